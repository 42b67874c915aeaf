import type { CheckFacts, Evidence, TrialCheck, Verdict } from "../checking/check.ts";
import { READ_OF } from "../checking/evidence.ts";
import type { Reply } from "../checking/reply.ts";
import { type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { BODY_LIMIT } from "../journal/journal.ts";
import type { ImportJob, StringRecord } from "../protocol/import-job.ts";
import { parseUrl } from "../protocol/url.ts";
import { effectDifference, effectOf } from "./effect.ts";
import { brokenFile, type ReadImport, readImport, sentJob } from "./reading.ts";
import { linesOfStrings, plainStrings } from "./strings.ts";
import type { ImportTools, ServedFile } from "./tools.ts";

/** A check of imports. */
export type ImportCheck = TrialCheck<ImportTools>;

/** What every check of imports declares. */
export type ImportFacts = Pick<ImportCheck, "id" | "title" | "why" | "fix"> &
  Partial<Pick<ImportCheck, "severity" | "section" | "choices" | "isSlow" | "isCause">>;

/** Makes a check of imports: by default `must`, section 2.3. */
export function importCheck(facts: ImportFacts, rest: Pick<ImportCheck, "run" | "judge" | "trial">): ImportCheck {
  return { area: "import", section: "2.3", severity: "must", ...facts, ...rest };
}

/** The verdict on a correct job: it must be accepted. */
export function takenVerdict(check: CheckFacts, evidence: Evidence, role: string, what: string): Verdict {
  const answered = readImport(evidence, role);
  if (answered === null) return skipVerdict("it was not sent");
  const { kind, says } = answered.reply;
  return kind === "accepted" ? PASSED : faulty(check, `for ${what}, the app ${says}`);
}

/** What is wrong with an answer that exceeds the limit (interface 8). */
export const TOO_LARGE =
  "is larger than 5 MB: send long lists of strings, and long previews, by URL (data.stringsUrl, data.previewUrl)";

/** Why answers cannot be compared. */
export const NOT_WHOLE = `the answer is missing, or longer than the ${BODY_LIMIT / 1024} KiB that the journal keeps`;

/** The roles of a comparison: the first job, the other one, and the first again. */
const [FIRST, OTHER, AGAIN] = ["first", "other", "again"];

/** The definition of a comparison. */
export interface ComparedJobs {
  readonly strings: () => readonly StringRecord[];
  /** What both jobs have beyond these strings; default nothing. */
  readonly base?: (job: ImportJob) => ImportJob;
  /** Sends the other job in this role. */
  readonly other: (tools: ImportTools, role: string) => Promise<unknown>;
  /** The strings whose results are compared; default all. */
  readonly only?: ReadonlySet<string>;
  /** Whether the other job is by URL: an app that accepts no such jobs is not judged by it. */
  readonly needsUrl?: boolean;
  /** Whether an error message is right as well, because the other job may be too much for an app. */
  readonly mayFail?: boolean;
  /** The other job, in words: `the same job by URL`. */
  readonly what: string;
}

/**
 * A check that two jobs give the same result. The first is sent again at the end: an app that answers the same job
 * differently cannot be judged.
 */
export function comparison(facts: ImportFacts, compared: ComparedJobs): ImportCheck {
  const check: ImportCheck = importCheck(facts, {
    run: async (tools) => {
      const { base = (job) => job } = compared;
      const strings = compared.strings();
      const first = () => tools.request((job) => ({ ...base(job), strings: [...strings] }));
      await tools.submit(FIRST as string, await first());
      await compared.other(withFileOf(tools, strings), OTHER as string);
      await tools.submit(AGAIN as string, await first());
      if (compared.needsUrl === true) await submitPlainByUrl(tools);
    },
    judge: (evidence) => judgeComparison(check, evidence, compared),
  });
  return check;
}

function judgeComparison(
  check: ImportCheck,
  evidence: Evidence,
  { strings, only, mayFail, what }: ComparedJobs,
): Verdict {
  const sent = strings();
  const read = (role: string | undefined) => readImport(evidence, role ?? "", sent);
  const [first, other, again] = [read(FIRST), read(OTHER), read(AGAIN)];
  if (first === null || other === null || again === null) return skipVerdict("it was not sent");
  if (first.reply.kind !== "accepted") return skipVerdict(`the app ${first.reply.says} to the job without the change`);
  if (other.reply.kind === "refused" && mayFail === true) return PASSED;
  if (other.reply.kind !== "accepted") {
    const verdict = untakenByUrl(evidence, other.reply) ?? faulty(check, `for ${what}, the app ${other.reply.says}`);
    return { ...verdict, ...(other.reply.kind === "refused" ? hintAtAddress(evidence, other.exchange) : {}) };
  }
  const verdict = sameVerdict(check, { first, other, again, sent, only, what });
  if (verdict.result === "pass" || verdict.result === "skip" || !isUnread(evidence)) return verdict;
  return unreadByUrl(evidence) ?? { ...verdict, reason: `the app never requested stringsUrl: ${verdict.reason}` };
}

/** The answers to several jobs with the same strings. */
export interface ComparedAnswers {
  readonly first: ReadImport;
  readonly other: ReadImport;
  readonly again: ReadImport;
  readonly sent: readonly StringRecord[];
  /** The strings whose results are compared; undefined: all. */
  readonly only?: ReadonlySet<string> | undefined;
  /** The other job, in words. */
  readonly what: string;
}

/** Whether two jobs give the same result; skipped if the first one gives another result the next time. */
export function sameVerdict(check: CheckFacts, { first, other, again, sent, only, what }: ComparedAnswers): Verdict {
  const [before, changed, after] = [first, other, again].map((each) => effectOf(each, sent));
  const lines = brokenFile(other);
  if (lines !== null && brokenFile(first) === null) return faulty(check, `its answer to ${what} is broken: ${lines}`);
  if (!before || !changed || !after) return skipVerdict(NOT_WHOLE);
  if (effectDifference(before, after) !== null) return skipVerdict("its answers to the same job differ");
  const difference = effectDifference(before, changed, only);
  return difference === null ? PASSED : faulty(check, `with ${what}, ${difference}`);
}

/** Tools whose jobs have these strings in their file, which an app may read, too. */
export function withFileOf(tools: ImportTools, strings: readonly StringRecord[]): ImportTools {
  return { ...tools, request: (change) => tools.request(change, strings) };
}

/** A change of the job that also gives its file an id that no job had before. */
export function ofAnotherFile(
  tools: Pick<ImportTools, "number">,
  change: (job: ImportJob) => ImportJob = (job) => job,
): (job: ImportJob) => ImportJob {
  const id = tools.number();
  return (job) => change({ ...job, file: { ...job.file, id } });
}

/** The job with these strings at an address, which is served meanwhile. */
export async function submitByUrl(
  tools: ImportTools,
  role: string,
  content: string | Uint8Array,
  change?: (job: ImportJob) => ImportJob,
): Promise<Exchange> {
  return submitServed(tools, role, { content }, change);
}

/** The same, with a file that the platform serves in a certain way. */
export async function submitServed(
  tools: ImportTools,
  role: string,
  file: ServedFile,
  change: (job: ImportJob) => ImportJob = (job) => job,
): Promise<Exchange> {
  return tools.serving(role, file, async (stringsUrl) => {
    const request = await tools.request((job) => {
      const { strings: _, ...rest } = change(job);
      return { ...rest, stringsUrl };
    });
    return tools.submit(role, request);
  });
}

/** The check of a plain job by URL, on which all other checks of such jobs depend. */
export const BY_URL = "import.same.by-url";

/** The role of a plain job by URL. */
const PLAIN = "plain";

/** Sends a plain job by URL, to distinguish an app that accepts no job by URL from one that fails only this check. */
export async function submitPlainByUrl(tools: ImportTools): Promise<void> {
  const strings = plainStrings();
  await submitByUrl(withFileOf(tools, strings), PLAIN, linesOfStrings(strings));
}

/**
 * The verdict on a job by URL that an app refuses or answers invalidly, if it treats the plain one the same way; null:
 * it does not. A job that brought the app down does not count: the plain one comes after it.
 * @param reply undefined: there was no answer
 */
export function untakenByUrl({ steps, read }: Evidence, reply: Reply | undefined): Verdict | null {
  const kind = reply?.kind;
  const plain = steps.find(({ role }) => role === PLAIN)?.exchange;
  if (plain === undefined || (kind !== "refused" && kind !== "unclear") || read(plain).kind !== kind) return null;
  const does = kind === "refused" ? "refuses" : "gives no valid answer to";
  const verdict = restsOnByUrl(`the app ${does} a plain job with stringsUrl, too`);
  return { ...verdict, ...(kind === "refused" ? hintAtAddress({ steps }, plain) : {}) };
}

/** How to fix it if an app refuses a job by URL without requesting the file: its platform may be at another address. */
function hintAtAddress(evidence: Pick<Evidence, "steps">, refused: Exchange): Pick<Verdict, "hint"> {
  const address = parseUrl(sentJob(refused)?.stringsUrl ?? "");
  if (address === null || !isUnread(evidence)) return {};
  return {
    hint: `Fetch stringsUrl from ${address.origin}, where the platform is. An app that fetches only from its PLATFORM_AUTH_URL needs this one there.`,
  };
}

function restsOnByUrl(why: string): Verdict {
  return {
    result: "inconclusive",
    reason: `${why}: see ${BY_URL}`,
    hint: `first fix what ${BY_URL} reports: until then, this check proves nothing`,
  };
}

/** Whether there were jobs with stringsUrl, and the app requested none of these files. */
function isUnread({ steps }: Pick<Evidence, "steps">): boolean {
  const isByUrl = ({ exchange }: Evidence["steps"][number]) => sentJob(exchange)?.stringsUrl !== undefined;
  return steps.some(isByUrl) && !steps.some(({ role }) => role.endsWith(READ_OF));
}

/** The verdict on a job by URL of an app that does not request the file of the plain one either; null: it does. */
export function unreadByUrl(evidence: Evidence): Verdict | null {
  const isPlainSent = evidence.steps.some(({ role }) => role === PLAIN);
  return isPlainSent && isUnread(evidence) ? restsOnByUrl("the app never requests stringsUrl") : null;
}

/** The strings that were sent in the job of a role. */
export function sentStrings(answered: ReadImport): readonly StringRecord[] {
  return sentJob(answered.exchange)?.strings ?? [];
}

/** The request with the file of its job at an address. */
export function withFileAt(request: RequestParts, contentUrl: string): RequestParts {
  const { file } = (request.body as { readonly json: ImportJob }).json;
  const { content: _, ...named } = file;
  return withMembers(request, { file: { ...named, contentUrl } }) ?? request;
}

/** The verdict on an app that limits how many jobs it accepts; null: it did not say so. */
export function busyVerdict({ response }: Exchange): Verdict | null {
  const status = response?.status;
  return status === 429 || status === 503
    ? skipVerdict(`the app answered ${status}: it accepts no more for now`)
    : null;
}
