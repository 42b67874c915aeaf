import type { Arbitrary } from "fast-check";
import { constantFrom, nat, record } from "fast-check";
import type { CheckFacts, Evidence, Verdict } from "../../checking/check.ts";
import type { RequestParts } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import { knownLanguage } from "../../import-checks/call.ts";
import { sameVerdict, sentStrings } from "../../import-checks/check.ts";
import { effectOf } from "../../import-checks/effect.ts";
import { type ReadImport, readImport } from "../../import-checks/reading.ts";
import { linesOfStrings } from "../../import-checks/strings.ts";
import { garblingOf, isShortened } from "../../import-checks/texts.ts";
import type { ImportTools } from "../../import-checks/tools.ts";
import { BODY_LIMIT } from "../../journal/journal.ts";
import { clip, harmlessLine } from "../../protocol/harmless.ts";
import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import { randomImports } from "../checks.ts";
import { type RandomJob, randomJob, recordsOf, sentenceJob, smallerJobs } from "../random/jobs.ts";
import { type RandomCheck, randomCheck } from "../random-check.ts";

type ImportCases = RandomCheck<ImportTools>;

/** Roles: the job, the one that is compared with it, and the first again. */
const [FIRST, OTHER, AGAIN] = ["first", "other", "again"] as const;
/** The journal keeps only the beginning of larger bodies; an answer is larger than its job. */
const LARGEST_BYTES = BODY_LIMIT / 2;

async function requestOf(tools: ImportTools, of: RandomJob): Promise<RequestParts> {
  return tools.request((job) => {
    const targetLanguages = of.targets.map(knownLanguage);
    const strings = recordsOf(of, job.sourceLanguage, targetLanguages);
    return { ...job, targetLanguages, strings };
  });
}

const jobIn = ({ body }: RequestParts) => (body as { readonly json: ImportJob }).json;

/** The jobs that the journal keeps completely. */
function keptWhole(jobs: Arbitrary<RandomJob>): Arbitrary<RandomJob> {
  const bytes = ({ strings, targets }: RandomJob) =>
    Buffer.byteLength(JSON.stringify(strings)) * (1 + targets.length) + strings.length * 100;
  return jobs.filter((of) => bytes(of) < LARGEST_BYTES);
}

/** A check of the answers to single jobs. */
function singleCheck(
  facts: CheckFacts,
  judge: (answered: ReadImport, check: CheckFacts) => Verdict,
  jobs: Arbitrary<RandomJob> = randomJob,
): ImportCases {
  return randomCheck<RandomJob, ImportTools>(facts, {
    cases: () => keptWhole(jobs),
    smaller: smallerJobs,
    send: async (tools, of) => {
      await tools.submit(FIRST, await requestOf(tools, of));
    },
    judge: (check, evidence) => {
      const answered = readImport(evidence, FIRST);
      return answered === null ? skipVerdict("it was not sent") : judge(answered, check);
    },
  });
}

const isBusy = ({ exchange }: ReadImport) => exchange.response?.status === 429 || exchange.response?.status === 503;

const answered = singleCheck(randomImports.answered, (read, check) => {
  if (isBusy(read)) return skipVerdict("the app accepts no more for now");
  const { kind, says } = read.reply;
  if (kind !== "accepted" && kind !== "refused") return faulty(check, `the app ${says}`);
  const wrong = read.findings.find(({ result }) => result === "fail");
  return wrong === undefined ? PASSED : faulty(check, harmlessLine(`in its answer, ${wrong.path} ${wrong.message}`));
});

const taken = singleCheck(randomImports.taken, (read, check) => {
  if (isBusy(read)) return skipVerdict("the app accepts no more for now");
  const { kind, says } = read.reply;
  if (kind === "accepted") return PASSED;
  return kind === "refused" ? faulty(check, `the app ${says}`) : skipVerdict(`the app ${says}: see ${answered.id}`);
});

/** Letters that no app has a reason to drop; some drop other characters, such as spaces and emoji. */
const FOREIGN_LETTER = /(?=\p{L})[^a-z]/iu;

interface Pair {
  readonly before: StringRecord;
  readonly after: StringRecord;
  readonly job: string;
}

function pairsIn(read: ReadImport): Pair[] {
  const known = new Map(sentStrings(read).map((sent) => [sent.uniqId, sent]));
  return (read.strings ?? []).flatMap((after) => {
    const before = known.get(after.uniqId);
    return before === undefined ? [] : [{ before, after, job: "a random job" }];
  });
}

const named = ({ before }: Pair) => `the text of "${clip(harmlessLine(before.identifier), 40)}"`;

const encoding = singleCheck(randomImports.encoding, (read, check) => {
  for (const pair of pairsIn(read)) {
    const { text } = pair.before;
    const garbled = typeof text === "string" && FOREIGN_LETTER.test(text) ? garblingOf(pair) : null;
    if (garbled !== null) return faulty(check, `${named(pair)} ${garbled}`);
  }
  return read.reply.kind === "accepted" ? PASSED : skipVerdict("the app accepted none of the jobs");
});

const all = singleCheck(
  randomImports.all,
  (read, check) => {
    const sent = sentStrings(read);
    const effect = effectOf(read, sent);
    if (effect === null) return skipVerdict("the app accepted none of the jobs");
    const { omitted, changed, returned } = effect;
    const shortened = pairsIn(read).find(isShortened);
    if (shortened !== undefined) return faulty(check, `the end of ${named(shortened)} did not come back`);
    const missing = sent.filter(({ uniqId }) => omitted?.has(uniqId) === true);
    // An app may return only its changes.
    if (missing.length === 0 || returned === 0 || changed.size === returned) return PASSED;
    return faulty(check, `${missing.length} of ${sent.length} strings did not come back`);
  },
  sentenceJob,
);

interface Comparison<Case extends { readonly job: RandomJob }> {
  readonly cases: (jobs: Arbitrary<RandomJob>) => Arbitrary<Case>;
  /** Sends the job in another way. */
  readonly other: (tools: ImportTools, request: RequestParts, of: Case) => Promise<unknown>;
  /** The other job, in words. */
  readonly what: string;
  /** Judges the answers; default: they give the same result. */
  readonly compare?: (check: CheckFacts, answers: Compared) => Verdict;
}

interface Compared {
  readonly first: ReadImport;
  readonly other: ReadImport;
  /** Of the first job, when it was sent again; the same as `first` if it was not. */
  readonly again: ReadImport;
  readonly sent: readonly StringRecord[];
  readonly what: string;
}

/** A check that two forms of a job give the same result. */
function comparedCheck<Case extends { readonly job: RandomJob }>(
  facts: CheckFacts,
  { cases, other, what, compare = sameVerdict }: Comparison<Case>,
): ImportCases {
  const first = (tools: ImportTools, role: string, { job }: Case) =>
    requestOf(tools, job).then((request) => tools.submit(role, request));
  return randomCheck<Case, ImportTools>(facts, {
    cases: () => cases(keptWhole(randomJob)),
    smaller: (of) => smallerJobs(of.job).map((job) => ({ ...of, job })),
    send: async (tools, of) => {
      await first(tools, FIRST, of);
      await other(tools, await requestOf(tools, of.job), of);
    },
    confirm: (tools, of) => first(tools, AGAIN, of).then(() => undefined),
    judge: (check, evidence) => judgeCompared(check, evidence, what, compare),
  });
}

function judgeCompared(
  check: CheckFacts,
  evidence: Evidence,
  what: string,
  compare: (check: CheckFacts, answers: Compared) => Verdict,
): Verdict {
  const before = readImport(evidence, FIRST);
  if (before === null) return skipVerdict("it was not sent");
  const sent = sentStrings(before);
  const other = readImport(evidence, OTHER, sent);
  const again = readImport(evidence, AGAIN, sent) ?? before;
  if (other === null) return skipVerdict("it was not sent");
  if (before.reply.kind !== "accepted" || again.reply.kind !== "accepted") {
    return skipVerdict(`the app ${before.reply.says} to the job without the change`);
  }
  if (isBusy(other)) return skipVerdict("the app accepts no more for now");
  if (other.reply.kind !== "accepted") return faulty(check, `for ${what}, the app ${other.reply.says}`);
  return compare(check, { first: before, other, again, sent, what });
}

const withJob = (request: RequestParts, json: ImportJob): RequestParts => ({ ...request, body: { json } });

const byUrl = comparedCheck(randomImports.byUrl, {
  cases: (jobs) => record({ job: jobs, what: constantFrom("strings", "content", "both") }),
  what: "the same job by URL",
  other: async (tools, request, { what }) => {
    const { strings = [], ...rest } = jobIn(request);
    const { content, ...file } = rest.file;
    const withContent = (job: ImportJob): Promise<unknown> =>
      what === "strings" || content === undefined
        ? tools.submit(OTHER, withJob(request, job))
        : tools.serving(OTHER, { content: Buffer.from(content, "base64") }, (contentUrl) =>
            tools.submit(OTHER, withJob(request, { ...job, file: { ...file, contentUrl } })),
          );
    if (what === "content") return withContent({ ...rest, strings });
    return tools.serving(OTHER, { content: linesOfStrings(strings) }, (stringsUrl) =>
      withContent({ ...rest, stringsUrl }),
    );
  },
});

const plainCases = (jobs: Arbitrary<RandomJob>) => record({ job: jobs });

const repeated = comparedCheck(randomImports.repeated, {
  cases: plainCases,
  what: "the same job once more",
  other: (tools, request) => tools.submit(OTHER, request),
  compare: (check, { first, other }) => {
    const idsOf = ({ verdict, strings }: ReadImport) =>
      verdict?.kind === "not-modified"
        ? "304"
        : strings
            ?.map(({ uniqId }) => uniqId)
            .toSorted()
            .join();
    const [once, twice] = [idsOf(first), idsOf(other)];
    if (once === undefined || twice === undefined) return skipVerdict("it did not get strings each time");
    return once === twice ? PASSED : faulty(check, "the answers to the same job have different strings");
  },
});

const order = comparedCheck(randomImports.order, {
  cases: plainCases,
  what: "the same strings in reverse order",
  other: (tools, request) => {
    const { strings = [], ...rest } = jobIn(request);
    return tools.submit(OTHER, withJob(request, { ...rest, strings: strings.toReversed() }));
  },
});

const alone = comparedCheck(randomImports.alone, {
  cases: (jobs) => record({ job: jobs, which: nat() }),
  what: "only one of the strings",
  other: (tools, request, { which }) => {
    const { strings = [], ...rest } = jobIn(request);
    return tools.submit(
      OTHER,
      withJob(request, { ...rest, strings: strings.filter((_, index) => index === which % strings.length) }),
    );
  },
  compare: (check, answers) => {
    const only = new Set(sentStrings(answers.other).map(({ uniqId }) => uniqId));
    // If an app changes nothing in a string, it may omit it.
    const nothing = answers.other.strings?.length === 0;
    const { first, again } = answers;
    if (!nothing) return sameVerdict(check, { ...answers, only });
    const changes = [first, again].map((each) => [...only].some((id) => effectOf(each, answers.sent)?.changed.has(id)));
    return changes.every((isChanged) => isChanged)
      ? faulty(check, `with ${answers.what}, it does not come back changed`)
      : PASSED;
  },
});

/** Every check with random jobs. */
export const randomImportChecks: readonly ImportCases[] = [
  answered,
  taken,
  byUrl,
  repeated,
  order,
  alone,
  encoding,
  all,
];
