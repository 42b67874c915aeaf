import { atOnce } from "../checking/at-once.ts";
import type { Evidence } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { ImportJob, StringRecord } from "../protocol/import-job.ts";
import {
  busyVerdict,
  type ImportCheck,
  importCheck,
  ofAnotherFile,
  sameVerdict,
  sentStrings,
  submitByUrl,
  submitPlainByUrl,
  untakenByUrl,
  withFileOf,
} from "./check.ts";
import { submitStringsAt } from "./hosts.ts";
import { previewOf, readImport, sentJob } from "./reading.ts";
import { HASH, idsOf, linesOfStrings, plainStrings, recordsOfTexts } from "./strings.ts";
import { fetchingLater, type ImportTools } from "./tools.ts";

const SHOWN_CHARACTERS = 80;
const JOBS = 8;
/** A job whose strings pause half way, and a longer one that is answered meanwhile: their numbers follow the others'. */
const [PAUSED, MEANWHILE] = [JOBS, JOBS + 1] as const;
/** The same, with a pause inside a character, and the other job by URL, too. */
const [TORN, BY_URL_MEANWHILE] = [JOBS + 2, JOBS + 3] as const;
const pausedJobs: readonly number[] = [PAUSED, TORN];
/** How long the strings pause for an app that answers one job after another. */
const LONGEST_PAUSE_MS = 1000;
/** A word that occurs in only one job. */
export const wordOf = (job: string) => `zq${job}xv`;

/** Texts of the very first job, which occur in none of these. */
const firstWords = plainStrings()
  .map(({ text }) => String(text))
  .filter((text) => text.includes(" "));

/** How many further strings jobs have that run at the same time, so that even a fast app has several in work. */
const FURTHER = 700;

/** Strings with the word of their job in every possible place. */
export function tellingStrings(word: string, further = 0): StringRecord[] {
  const texts = {
    [`${word}.one`]: `Hello ${word}`,
    [`${word}.two`]: `  Padded ${word}  `,
    [`${word}.three`]: `${word} %s`,
  };
  const more = Array.from({ length: further }, (_, index) => [`${word}.more.${index}`, `More ${word}`]);
  return recordsOfTexts({ ...texts, ...Object.fromEntries(more) }, `${word}hash`).map((record) => ({
    ...record,
    context: `context – ${word}`,
    labels: [`label ${word}`],
  }));
}

function tellingJob(word: string, further = 0): (job: ImportJob) => ImportJob {
  const strings = tellingStrings(word, further);
  return (job) => ({ ...job, strings });
}

/** The role of a job whose list of strings is empty. */
const NO_STRINGS = "no-strings";

/** The words of the texts of a file before its updates, and after each of them. */
const updates = ["u0", "u1", "u2"].map(wordOf);
const updateRole = (index: number) => `update-${index}`;

/** The strings of a file that is updated: they keep everything but their texts. */
function updatedStrings(word: string): StringRecord[] {
  return tellingStrings(word).map(({ text }, index) => ({
    uniqId: `${HASH}::u${index}`,
    identifier: `updated.${index}`,
    text,
  }));
}

/** Imports a file, then updates of it, the last one by URL. */
async function submitUpdates(tools: ImportTools): Promise<void> {
  for (const [index, word] of updates.entries()) {
    const strings = updatedStrings(word);
    if (index === updates.length - 1) {
      await submitByUrl(withFileOf(tools, strings), updateRole(index), linesOfStrings(strings));
    } else await tools.submit(updateRole(index), await tools.request((job) => ({ ...job, strings })));
  }
}

/**
 * The string that came back with the text that it had before an update, as a part of a sentence; null: none. Other fields
 * may tell how the text was before, and an app may refuse the update, which other checks judge.
 */
function outdatedString(evidence: Evidence): string | null {
  for (const [index, word] of updates.entries()) {
    const earlier = updates.slice(0, index);
    const strings = readImport(evidence, updateRole(index), updatedStrings(word))?.strings ?? [];
    const outdated = strings.find(
      ({ text }) => typeof text === "string" && !text.includes(word) && earlier.some((each) => text.includes(each)),
    );
    if (outdated !== undefined) return `"${clip(harmlessLine(outdated.identifier), SHOWN_CHARACTERS)}"`;
  }
  return null;
}

/** A check that nothing from one job is in the answer to another. */
function unmixed(facts: Parameters<typeof importCheck>[0], run: ImportCheck["run"]): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    run,
    judge: (evidence) => {
      const numbers = Array.from({ length: BY_URL_MEANWHILE + 1 }, (_, index) => index);
      for (const index of numbers) {
        const answered = readImport(evidence, `job-${index}`);
        // An app may give up on strings that pause: another check judges how.
        if (answered === null || (pausedJobs.includes(index) && answered.reply.kind !== "accepted")) continue;
        const busy = busyVerdict(answered.exchange);
        if (busy !== null) return busy;
        if (answered.reply.kind !== "accepted") {
          const isByUrl = sentJob(answered.exchange)?.stringsUrl !== undefined;
          const untaken = isByUrl ? untakenByUrl(evidence, answered.reply) : null;
          if (untaken !== null) return untaken;
          return faulty(check, `the app ${answered.reply.says} to one of several correct jobs`);
        }
        const own = idsOf(sentStrings(answered));
        const seen = JSON.stringify([answered.strings, previewOf(evidence, `job-${index}`, answered)]);
        const foreign = numbers.map((each) => wordOf(String(each))).toSpliced(index, 1);
        if ([...foreign, ...firstWords].some((word) => seen.includes(word)))
          return faulty(check, "an answer has strings or texts of another job");
        const came = answered.strings ?? [];
        if (came.length > 0 && came.length < own.size && answered.verdict?.kind === "strings") {
          const all = Array.from({ length: JOBS }, (_, each) => readImport(evidence, `job-${each}`)?.strings?.length);
          if (all.some((count) => count === own.size))
            return faulty(check, "strings are missing from one of the answers");
        }
      }
      const words = [...numbers.map((each) => wordOf(String(each))), ...firstWords];
      const ofNone = JSON.stringify(readImport(evidence, NO_STRINGS, [])?.strings ?? []);
      if (words.some((word) => ofNone.includes(word)))
        return faulty(check, "the answer to a job without any strings has those of an earlier job");
      const ofUpdates = JSON.stringify(
        updates.map((word, index) => readImport(evidence, updateRole(index), updatedStrings(word))?.strings ?? []),
      );
      if (words.some((word) => ofUpdates.includes(word)))
        return faulty(check, "strings without context and labels came back with texts of an earlier job");
      const outdated = outdatedString(evidence);
      return outdated === null
        ? PASSED
        : faulty(check, `${outdated} of an updated file came back with the text that it had before the update`);
    },
  });
  return check;
}

/** Sends jobs at the same time, every other by URL. */
async function submitTogether(tools: ImportTools): Promise<void> {
  const jobs = Array.from({ length: JOBS }, (_, index) => {
    const strings = tellingStrings(wordOf(String(index)), FURTHER);
    const job = ofAnotherFile(tools, (each) => ({ ...each, strings }));
    return { role: `job-${index}`, strings, job, isByUrl: index % 2 === 1 };
  });
  const inline = jobs.filter(({ isByUrl }) => !isByUrl);
  const requests = atOnce(await Promise.all(inline.map(({ job }) => tools.request(job))));
  await Promise.all([
    ...requests.map((request, index) => tools.submit(inline[index]?.role ?? "", request)),
    ...jobs.map(({ role, strings, job, isByUrl }) =>
      isByUrl ? submitByUrl(withFileOf(tools, strings), role, linesOfStrings(strings), job) : null,
    ),
  ]);
}

/** Sends a job whose strings arrive only after another one was answered, or the longest pause. */
async function submitPaused(tools: ImportTools, paused: number, another: () => Promise<unknown>): Promise<void> {
  const strings = tellingStrings(wordOf(String(paused)));
  let answered: Promise<unknown> | null = null;
  const meanwhile = () => {
    answered ??= another();
    return Promise.race([answered, tools.pause(LONGEST_PAUSE_MS)]);
  };
  const role = `job-${paused}`;
  const served = { content: linesOfStrings(strings), meanwhile, pausesInside: paused === TORN };
  await tools.serving(role, served, (url) => submitStringsAt(withFileOf(tools, strings), role, url));
  await answered;
}

/** Sends jobs whose strings pause half way, and others meanwhile. */
async function submitOvertaken(tools: ImportTools): Promise<void> {
  await submitPaused(tools, PAUSED, async () =>
    tools.submit(`job-${MEANWHILE}`, await tools.request(tellingJob(wordOf(String(MEANWHILE)), FURTHER))),
  );
  const strings = tellingStrings(wordOf(String(BY_URL_MEANWHILE)));
  await submitPaused(tools, TORN, () =>
    submitByUrl(withFileOf(tools, strings), `job-${BY_URL_MEANWHILE}`, linesOfStrings(strings)),
  );
}

/** How many jobs are sent one by one, then simultaneously, then one by one again. */
const TOGETHER = 4;

/** A separate job with its own file: some apps mark strings by their file. */
function ownJob(index: number): (job: ImportJob) => ImportJob {
  const telling = tellingJob(wordOf(`t${index}`));
  return (job) => ({ ...telling(job), file: { ...job.file, ...withBlanks(job.file.content, index) } });
}

/** Trailing white space means nothing in the usual file formats. */
function withBlanks(content: string | undefined, count: number): Pick<ImportJob["file"], "content"> {
  if (content === undefined) return {};
  const bytes = Buffer.from(content, "base64");
  return { content: Buffer.concat([bytes, Buffer.from("\n".repeat(count))]).toString("base64") };
}

const together: ImportCheck = importCheck(
  {
    id: "import.parallel.same",
    title: "A job gives the same result alone and at the same time as others",
    section: "2.4",
    why: "Several people import files at the same time. Otherwise temporary data of one job can get into the strings of another.",
    fix: "Keep a job's data in local variables of its call, not in module variables.",
  },
  {
    run: async (tools) => {
      const indexes = Array.from({ length: TOGETHER }, (_, index) => index);
      const request = (index: number) => tools.request(ownJob(index));
      for (const index of indexes) await tools.submit(`before-${index}`, await request(index));
      const requests = atOnce(await Promise.all(indexes.map(request)));
      await Promise.all(requests.map((each, index) => tools.submit(`together-${index}`, each)));
      for (const index of indexes) await tools.submit(`after-${index}`, await request(index));
    },
    judge: (evidence) => {
      let verdict = skipVerdict("the jobs were not sent");
      for (let index = 0; index < TOGETHER; index += 1) {
        const sent = ownJob(index)({ file: {} } as ImportJob).strings ?? [];
        const [first, other, again] = ["before", "together", "after"].map((role) =>
          readImport(evidence, `${role}-${index}`, sent),
        );
        if (!first || !other || !again) continue;
        const refused = [first, other, again].find(({ reply }) => reply.kind !== "accepted");
        if (refused !== undefined) return skipVerdict(`the app ${refused.reply.says} to one of the jobs`);
        verdict = sameVerdict(together, { first, other, again, sent, what: "other jobs at the same time" });
        if (verdict.result !== "pass") return verdict;
      }
      return verdict;
    },
  },
);

/** Checks that data of one job does not get into another (hardening I8). */
export const importSeparateJobChecks: readonly ImportCheck[] = [
  unmixed(
    {
      id: "import.parallel.unmixed",
      title: "Jobs that run at the same time do not mix",
      section: "2.4",
      why: "Several people import files at the same time. Strings of one project would end up in another, which may belong to somebody else.",
      fix: "Keep a job's data in local variables of its call, not in module variables.",
    },
    async (tools) => {
      await fetchingLater(tools, submitTogether);
      await submitOvertaken(tools);
      await submitPlainByUrl(tools);
    },
  ),
  unmixed(
    {
      id: "import.sequence.unmixed",
      title: "Nothing from a job is in the answers to later ones, not even the texts of a file after its update",
      section: "2.4",
      why: "An app that keeps received strings may pass them on to another project, or undo the update of a file. It also grows until it runs out of memory.",
      fix: "Keep a job's data in local variables of its call, not in module variables. Cache no text by uniqId: an update of the file changes the text.",
    },
    async (tools) => {
      for (const [index] of Array.from({ length: 3 }).entries()) {
        await tools.submit(`job-${index}`, await tools.request(tellingJob(wordOf(String(index)))));
      }
      await tools.submit(NO_STRINGS, await tools.request((job) => ({ ...job, strings: [] })));
      await submitUpdates(tools);
    },
  ),
  together,
];
