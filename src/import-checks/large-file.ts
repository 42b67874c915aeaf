import type { Evidence, Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { ImportFindings } from "../post-import/checks/import-findings.ts";
import { lineLimits } from "../post-import/files/read-lines.ts";
import { judgeOfJob } from "../post-import/run/strings-judge.ts";
import { type StringRecord, stringRecordSchema } from "../protocol/import-job.ts";
import { createLineSplitter, type Line, parseLine } from "../protocol/ndjson.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { knownLanguage } from "./call.ts";
import {
  type ImportCheck,
  importCheck,
  ofAnotherFile,
  submitByUrl,
  submitPlainByUrl,
  TOO_LARGE,
  untakenByUrl,
} from "./check.ts";
import { addressesIn } from "./hosted.ts";
import {
  brokenFile,
  keptContent,
  type ReadImport,
  readImport,
  STRINGS_OF,
  saysWhatIsWrong,
  sentJob,
} from "./reading.ts";
import { linesOfStrings, SENTENCE } from "./strings.ts";
import type { ReturnedString } from "./survey.ts";
import { garblingOf } from "./texts.ts";
import { fetchingLater, type ImportTools } from "./tools.ts";

/** Strings that do not fit into one answer. */
const LARGE_FILE_BYTES = 6_000_000;
/**
 * The files: many strings, and few long ones. The texts of the long ones would fit into an answer, but neither together
 * with their translations nor as a preview in base64. All numbers have the same length, and so have all lines of a file.
 */
const files = {
  large: { firstNumber: 100_000, sentences: 3, translated: 0 },
  long: { firstNumber: 500_000, sentences: 210, translated: 90 },
} as const;
/** The language of the translations. */
const TARGET = "uk";
type Role = keyof typeof files;

/** Strings that differ only in their number, so that an app treats all of them alike. */
export function largeStrings(role: Role): StringRecord[] {
  const { firstNumber, sentences, translated } = files[role];
  const text = (number: number, count: number) => `${SENTENCE.repeat(count)}${number}  `;
  const record = (number: number): StringRecord => ({
    uniqId: `large::${number}`,
    identifier: `key.${number}`,
    text: text(number, sentences),
    ...(translated > 0 && { translations: { [TARGET]: { text: text(number, translated) } } }),
  });
  const count = Math.ceil(LARGE_FILE_BYTES / Buffer.byteLength(linesOfStrings([record(firstNumber)])));
  return Array.from({ length: count }, (_, index) => record(firstNumber + index));
}

async function submitLarge(tools: ImportTools, role: Role) {
  const patient = { ...tools, submit: tools.submitPatiently };
  const languages = files[role].translated > 0 ? { targetLanguages: [knownLanguage(TARGET)] } : {};
  const change = ofAnotherFile(tools, (job) => ({ ...job, ...languages }));
  return submitByUrl(patient, role, linesOfStrings(largeStrings(role)), change);
}

/** The check of a file that is too large for an answer, and of the file that is then hosted for the platform. */
export const largeFileCheck: ImportCheck = importCheck(
  {
    id: "import.limit.by-url",
    title: "The app accepts strings of 6 MB at stringsUrl, and answers with all of them, but no more than 5 MB",
    section: "8",
    why: "The answer must use a URL, too, because one larger than 5 MB is refused. Strings missing from its file may be removed from the project.",
    fix: "Answer a job by URL with data.stringsUrl, at least if the answer would be larger than 5 MB: in bytes, not in characters. Write every string into that file, one record per line. Give the file of each answer an address of its own.",
  },
  {
    run: async (tools) => {
      await fetchingLater(tools, async (later) => {
        const answer = await submitLarge(later, "large");
        // An app may count the strings in place of the bytes, or their texts without the translations. And only two
        // addresses show whether they can be guessed, and whether one file replaces another: some apps host no smaller
        // files.
        if (addressesIn(answer).length > 0) await submitLarge(later, "long");
      });
      await submitPlainByUrl(tools);
    },
    judge: (evidence) => {
      const verdict = judgeLarge(largeFileCheck, evidence);
      return verdict.result === "pass" ? judgeLong(largeFileCheck, evidence) : verdict;
    },
  },
);

const REPLACED =
  "the file that its answer names held the strings of the next job: it was replaced before it was fetched";

/** The verdict on the answer to few long strings, of which only the size is of interest. */
function judgeLong(check: ImportCheck, evidence: Evidence): Verdict {
  const answer = evidence.steps.find(({ role }) => role === "long")?.exchange;
  return answer?.outcome.kind === "too-large"
    ? faulty(check, `the answer to ${largeStrings("long").length} long strings with translations ${TOO_LARGE}`)
    : PASSED;
}

function judgeLarge(check: ImportCheck, evidence: Evidence): Verdict {
  const sent = largeStrings("large");
  const answered = readImport(evidence, "large", sent);
  if (answered === null) return skipVerdict("it was not sent");
  const { exchange, reply, verdict } = answered;
  if (exchange.outcome.kind === "too-large") return faulty(check, `the answer ${TOO_LARGE}`);
  const what = `the app ${reply.says} to a file of 6 MB at stringsUrl`;
  if (reply.kind !== "accepted") {
    // An app may fail an import, and say why (interface 2.4, 7).
    const mayRefuse = reply.kind === "refused" && saysWhatIsWrong(exchange);
    return untakenByUrl(evidence, reply) ?? (mayRefuse ? { result: "warn", reason: what } : faulty(check, what));
  }
  if (verdict?.kind === "not-modified") return PASSED;
  const broken = brokenFile(answered);
  if (broken !== null) return faulty(check, `in its answer, ${broken}`);
  const file = evidence.steps.find(({ role }) => role === `large${STRINGS_OF}`)?.exchange;
  if (file !== undefined) return judgeFile(check, answered, sent, keptContent(file));
  // An answer with the strings themselves has no room for all of them.
  const few = answered.strings !== null && answered.strings.length > 0;
  const lost = few ? lostText(answered.strings.length, sent.length) : roughLoss(keptContent(exchange), sent.length);
  return lost === null ? PASSED : faulty(check, `in its answer, ${lost}`);
}

type Kept = ReturnType<typeof keptContent>;

/** The verdict on a file of strings, of which the journal may have only the beginning. */
function judgeFile(check: ImportCheck, { exchange }: ReadImport, sent: readonly StringRecord[], kept: Kept): Verdict {
  const job = sentJob(exchange);
  if (job === null) return skipVerdict("the journal does not have its request");
  const isWhole = isComplete(kept);
  const lines = linesOf(kept);
  const findings = new ImportFindings();
  const judge = judgeOfJob(job, sent, "unchanged", findings);
  for (const line of lines) judge.takeLine(line);
  const faultOf = (...ids: readonly string[]) => findings.list().find((each) => ids.includes(each.check));
  const pairs = pairsIn(lines, sent);
  if (pairs.length === 0 && pairsIn(lines, largeStrings("long")).length > 0) return faulty(check, REPLACED);
  const wrong = faultOf("import.string.shape", "import.uniqId.unique");
  if (wrong !== undefined) return faulty(check, `in its answer, ${wrong.path} ${wrong.message}`);
  const garbled = pairs.find((pair) => garblingOf(pair) !== null);
  if (garbled !== undefined) {
    return faulty(check, `in its file, the text of "${garbled.before.identifier}" ${garblingOf(garbled)}`);
  }
  const came = pairs.length;
  const lost = isWhole ? wholeLoss(lines.length, came, sent.length) : cutLoss(kept, lines.length, came, sent.length);
  if (lost !== null) return faulty(check, `in its file, ${lost}`);
  const emptied = faultOf("import.text.empty");
  return emptied === undefined
    ? PASSED
    : { result: "warn", reason: `in its answer, ${emptied.path} ${emptied.message}` };
}

const LF = 0x0a;

const isComplete = ({ bytes, size }: Kept) => bytes.length === size;

/** The complete lines of a file, as far as the journal keeps it. */
export function keptLines(file: Exchange): Line[] {
  return linesOf(keptContent(file));
}

function linesOf(kept: Kept): Line[] {
  const bytes = isComplete(kept) ? kept.bytes : kept.bytes.subarray(0, kept.bytes.lastIndexOf(LF) + 1);
  const splitter = createLineSplitter(lineLimits);
  return [...splitter.push(bytes).lines, ...splitter.end().lines];
}

/** The lines that are strings of the job, next to what was sent; each string is there once. */
function pairsIn(lines: readonly Line[], sent: readonly StringRecord[]): ReturnedString[] {
  const known = new Map(sent.map((record) => [record.uniqId, record]));
  return lines.flatMap((line) => {
    const parsed = parseLine(line);
    const after = parsed.ok ? stringRecordSchema.safeParse(parsed.value).data : undefined;
    const before = after && known.get(after.uniqId);
    return before === undefined || after === undefined ? [] : [{ before, after, job: "a file of 6 MB" }];
  });
}

const lostText = (came: number, sent: number) =>
  `only ${withCommas(came)} of ${withCommas(sent)} similar strings came back`;

/** What a complete file lost. An app may return only what it changed, but similar strings all alike: all, or none. */
function wholeLoss(lines: number, came: number, sent: number): string | null {
  return lines === 0 || came === sent ? null : lostText(came, sent);
}

/** What a file lost of which only the first lines are known. */
function cutLoss(kept: Kept, lines: number, came: number, sent: number): string | null {
  if (came === 0) return `none of the first ${withCommas(lines)} strings has the uniqId of one that was sent`;
  // The app added strings of its own: the size says nothing about the others.
  if (came < lines) return null;
  return exactLoss(kept, sent) ?? roughLoss(kept, sent);
}

/** What a file lost all of whose lines have the same length, by its size; null: nothing, or they differ. */
function exactLoss({ bytes, size }: Kept, sent: number): string | null {
  const length = bytes.indexOf(LF) + 1;
  if (size === null || length === 0) return null;
  for (let end = length - 1; end < bytes.length; end += length) {
    if (bytes[end] !== LF || bytes.indexOf(LF, end - length + 1) !== end) return null;
  }
  // The last line may lack its ending.
  const ending = bytes[length - 2] === CR ? 2 : 1;
  if (size >= sent * length - ending) return null;
  const came = Math.floor((size + ending) / length);
  const isBetweenLines = (size + ending) % length <= ending;
  return isBetweenLines ? lostText(came, sent) : `the last line is cut off; ${lostText(came, sent)}`;
}

const CR = 0x0d;

/** Strings may differ in length by so much, such as by a number that the app adds. */
const TOLERANCE = 0.9;
/** The least number of strings from which the others can be estimated. */
const FEWEST_STRINGS = 100;

/** What is lost of strings of which only the first are known, estimated by the size; null: nothing, or unknown. */
function roughLoss({ bytes, size }: Kept, sent: number): string | null {
  const places = new Map(
    [...bytes.toString("latin1").matchAll(/large::\d{6}/g)].map(({ 0: id, index }) => [id, index]),
  );
  const [first = 0, ...others] = [...places.values()].toSorted((a, b) => a - b);
  const average = ((others.at(-1) ?? 0) - first) / others.length;
  if (size === null || others.length < FEWEST_STRINGS || size >= TOLERANCE * average * sent) return null;
  return `${withCommas(size)} bytes are too few for ${withCommas(sent)} strings of ${Math.round(average)} bytes, like the first ones`;
}
