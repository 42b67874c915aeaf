import type { Evidence, Verdict } from "../checking/check.ts";
import { A_MOMENT_SECONDS } from "../checking/moment.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { type StringRecord, stringRecordSchema } from "../protocol/import-job.ts";
import { parseLine } from "../protocol/ndjson.ts";
import { type ImportCheck, importCheck, NOT_WHOLE, submitByUrl, submitPlainByUrl, withFileOf } from "./check.ts";
import { effectDifference, effectOf } from "./effect.ts";
import { keptLines, largeStrings } from "./large-file.ts";
import { readImport, STRINGS_OF } from "./reading.ts";
import { idsOf, linesOfStrings } from "./strings.ts";
import type { ImportTools } from "./tools.ts";
import { forTranslation, stringsForTranslation } from "./varied-strings.ts";

async function submitSmall(tools: ImportTools, role: string): Promise<void> {
  const strings = stringsForTranslation();
  await tools.submit(role, await withFileOf(tools, strings).request((job) => ({ ...forTranslation(job), strings })));
}

/** The requests shared by the checks of this file: jobs of which one is so large that the answer names a file. */
const IN_LARGE_FILE = "import.same.in-large-file";
const SMALL = "small";
const LARGE = "large";
const AGAIN = "again";
const NO_FILE = "its answer to a file of 6 MB names no file";

async function submitAll(tools: ImportTools): Promise<void> {
  const submitLater: ImportTools["submit"] = async (role, request) => {
    const answer = await tools.sendPatiently(role, request);
    await tools.pause(A_MOMENT_SECONDS * 1000);
    await tools.fetchFiles(role, answer);
    return answer;
  };
  // The varied strings come first, because the journal keeps the beginning of the answer.
  const patient = { ...withFileOf(tools, stringsForTranslation()), submit: submitLater };
  await submitSmall(tools, SMALL);
  await submitByUrl(
    patient,
    LARGE,
    linesOfStrings([...stringsForTranslation(), ...largeStrings("long")]),
    forTranslation,
  );
  await submitSmall(tools, AGAIN);
  await submitPlainByUrl(tools);
}

/** The check that an app has no other code for the files of large answers, which loses what strings have besides texts. */
export const inLargeFileCheck: ImportCheck = importCheck(
  {
    id: IN_LARGE_FILE,
    title: "Strings give the same result in a job so large that the answer names a file",
    why: "The platform chooses how to send a job only by its size. Plural forms, translations and other fields that are missing from the file are gone after the import.",
    fix: "Write the same complete records into the file that you would put into data.strings.",
  },
  { trial: IN_LARGE_FILE, run: submitAll, judge: (evidence) => judgeInLargeFile(inLargeFileCheck, evidence) },
);

/** The check that the platform has some time to fetch the file of an answer. */
export const fileLaterCheck: ImportCheck = importCheck(
  {
    id: "import.answer.file-later",
    title: `The file at stringsUrl can be fetched ${A_MOMENT_SECONDS} seconds after the answer`,
    section: "2.4",
    why: "The platform fetches the file after the answer, perhaps behind other work. A lifetime in seconds that is taken for milliseconds passes every test in which that happens at once.",
    fix: "Keep the file for some minutes, or until it has been fetched.",
  },
  {
    trial: IN_LARGE_FILE,
    run: submitAll,
    judge: (evidence) => {
      const file = fileIn(evidence);
      if (file === undefined) return skipVerdict(NO_FILE);
      return file.response?.status === 200
        ? PASSED
        : faulty(fileLaterCheck, `the app answered ${file.response?.status ?? "nothing"} to the request for its file`);
    },
  },
);

/** The file of the answer to the large job, as the platform fetched it; undefined: there is none. */
function fileIn({ steps }: Evidence): Exchange | undefined {
  return steps.find(({ role }) => role === `${LARGE}${STRINGS_OF}`)?.exchange;
}

function judgeInLargeFile(check: ImportCheck, evidence: Evidence): Verdict {
  const sent = stringsForTranslation();
  const [small, large, again] = [SMALL, LARGE, AGAIN].map((role) => readImport(evidence, role, sent));
  const file = fileIn(evidence);
  if (!small || !large || !again) return skipVerdict("it was not sent");
  const unaccepted = [small, large, again].find(({ reply }) => reply.kind !== "accepted");
  if (unaccepted !== undefined) return skipVerdict(`the app ${unaccepted.reply.says} to one of the jobs`);
  if (file === undefined) return skipVerdict(NO_FILE);
  const records = keptLines(file).map((line) => parseLine(line));
  const known = idsOf(sent);
  const values = records.flatMap((parsed) => (parsed.ok && known.has(uniqIdOf(parsed.value)) ? [parsed.value] : []));
  const broken = values.find((value) => !stringRecordSchema.safeParse(value).success);
  if (broken !== undefined) return faulty(check, `in its file, the record ${uniqIdOf(broken)} is not a valid string`);
  const [before, after] = [effectOf(small, sent), effectOf(again, sent)];
  const came = values.map((value) => stringRecordSchema.parse(value));
  const changed = effectOf({ ...large, strings: came }, sent);
  if (before === null || after === null || changed === null) {
    return skipVerdict(NOT_WHOLE);
  }
  if (effectDifference(before, after) !== null) return skipVerdict("its answers to the same job differ");
  const inBoth = [...idsOf(came)].filter((uniqId) => before.omitted?.has(uniqId) !== true);
  const difference = effectDifference(before, changed, new Set(inBoth));
  return difference === null ? PASSED : faulty(check, `in the file of its answer to 6 MB, ${difference}`);
}

function uniqIdOf(value: unknown): string {
  return String((value as Partial<StringRecord> | null)?.uniqId);
}
