import type { Check, Verdict } from "../checking/check.ts";
import { checkResult } from "../checking/check-result.ts";
import { otherModules } from "../checking/declared-app.ts";
import { READ_OF, SEARCH } from "../checking/evidence.ts";
import type { Reply } from "../checking/reply.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import { type Subject, sendTo, taggedContext } from "../checking/subject.ts";
import type { Unit, Verification } from "../checking/unit.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import { skippedChecks, verifySubject } from "../checking/verify-subject.ts";
import type { Exchange, RecordedCheck } from "../journal/exchange.ts";
import type { ImportModule } from "../platform/manifest.ts";
import { IMPORT_LIMIT_BYTES } from "../protocol/limits.ts";
import { patternProblem } from "../protocol/pattern-syntax.ts";
import {
  type FittingJob,
  fittingJobs,
  type InstalledImport,
  importRequest,
  importUser,
  knownLanguage,
  withOwnFile,
} from "./call.ts";
import { importAccepted, importChecks, importJobChecks, importTokenChecks, importTokenMissing } from "./checks.ts";
import { hasDataToo, readImportReply, saysWhatIsWrong, sentJob } from "./reading.ts";
import { linesOfStrings } from "./strings.ts";
import { hostedFile, type ImportTools, type ImportToolsParts, importTools } from "./tools.ts";

/** The role of a job that the configuration names. */
export const NAMED = "named";
/** The role of a refused job that is sent once more, with its strings by URL. */
const BY_URL = "by URL";
/** Maximum number of jobs tried until one is accepted. */
const TRIED_JOBS = 4;
/** A correct app answers small jobs in similar time: it gets this many times as long, plus 15 s. */
const PATIENCE = { factor: 20, leastMs: 15_000 };

/** The post-import modules of the apps. */
export function installedImports({ context, apps }: Verification): InstalledImport[] {
  return apps.flatMap((installed) =>
    installed.manifest.imports.map((module) => ({ installed, module, user: importUser(context, installed) })),
  );
}

/** A unit for each post-import module of the apps. */
export function importUnits(verification: Verification): Unit[] {
  return installedImports(verification).map((each) => ({
    module: each.module.key,
    checks: importChecks.filter(verification.wants),
    run: () => verifyImport(verification, each),
  }));
}

/** What is known about a module before its checks run. */
interface FoundControl {
  /** The accepted job; null: none. */
  readonly fitting: FittingJob | null;
  readonly accepted: Verdict;
  readonly exchanges: readonly Exchange[];
  /** Milliseconds until that job was answered. */
  readonly answerMs: number;
  /** Why it makes no sense to change the token; null: it does. */
  readonly noToken: string | null;
}

async function verifyImport(verification: Verification, imported: InstalledImport): Promise<readonly CheckResult[]> {
  const { choices, wants } = verification;
  const { module } = imported;
  const about = { title: `post-import ${module.key}`, module: module.key };
  const id = `import:${module.key}`;
  const found = await findControl(verification, imported, id);
  const own = wants(importAccepted) ? [checkResult(about, importAccepted, found.accepted, found.exchanges)] : [];
  const { fitting } = found;
  const others = importChecks.filter((check) => check !== importAccepted && wants(check));
  if (fitting === null) {
    const { reason, hint } = found.accepted;
    return [...own, ...skippedChecks(about, others, `there is no job that the app accepts: ${reason}`, hint)];
  }
  const untried = found.noToken === null ? [] : importTokenChecks.filter(wants);
  const missing = choices.peek("postImport.auth") === "none" ? [] : [importTokenMissing];
  const subject: Subject<ImportTools> = {
    ...importSubject(verification, imported, id, { fitting, answerMs: found.answerMs }),
    sideBySide: true,
    checks: [
      ...missing,
      ...(found.noToken === null ? importTokenChecks : []),
      ...importJobChecks,
    ] as Check<ImportTools>[],
  };
  const skipped = skippedChecks(
    about,
    [...untried, ...(missing.length === 0 ? [importTokenMissing].filter(wants) : [])],
    found.noToken ?? "",
  );
  return [...own, ...skipped, ...(await verifySubject(verification, subject))];
}

/** A job that a module accepts. */
interface AcceptedJob {
  readonly fitting: FittingJob;
  /** Milliseconds until it was answered. */
  readonly answerMs: number;
}

/** A post-import module, without its checks. */
export function importSubject(
  verification: Verification,
  imported: InstalledImport,
  id: string,
  { fitting, answerMs }: AcceptedJob,
): Omit<Subject<ImportTools>, "checks"> {
  const { context, choices } = verification;
  const { app } = imported.installed;
  const module = imported.module.key;
  const complete: ImportToolsParts["complete"] = (job, written) => withOwnFile(job, fitting.file, written);
  return {
    id,
    title: `post-import ${module}`,
    app,
    module,
    otherModules: otherModules(verification.apps, app, module),
    call: callWithin(verification, answerMs),
    prepare: (tagged) => importRequest(tagged, choices, imported, fitting.job),
    read: readImportReply(choices),
    tools: (trial) => importTools(trial, { context, choices, app, module, complete }),
  };
}

function callWithin({ choices }: Verification, answerMs: number): Subject["call"] {
  const timeoutMs = Math.min(choices.get("postImport.timeout"), Math.max(PATIENCE.leastMs, PATIENCE.factor * answerMs));
  return { purpose: "post-import", timeoutMs, sizeLimit: IMPORT_LIMIT_BYTES["5MiB"] };
}

/** Sends jobs that fit until one is accepted; then that one without its token. */
export async function findControl(
  verification: Verification,
  imported: InstalledImport,
  subject: string,
): Promise<FoundControl> {
  const { context, choices, run } = verification;
  const { module } = imported;
  const tag = (role: string): RecordedCheck => ({ run, subject, id: null, role });
  const read = readImportReply(choices);
  const call = {
    purpose: "post-import",
    timeoutMs: choices.get("postImport.timeout"),
    sizeLimit: IMPORT_LIMIT_BYTES["5MiB"],
  } as const;
  const send = (request: RequestParts, role: string = SEARCH) =>
    sendTo({ module: module.key, call }, taggedContext(context, tag(role)), request);
  const [exchanges, named]: [Exchange[], Exchange[]] = [[], []];
  const none = { fitting: null, answerMs: 0, noToken: null };
  const jobs = await jobsToTry(verification, imported);
  for (const fitting of jobs) {
    const request = await importRequest(context, choices, imported, fitting.job);
    const isNamed = fitting.file === null;
    const exchange = await send(request, isNamed ? NAMED : SEARCH);
    exchanges.push(exchange);
    if (isNamed) named.push(exchange);
    const { kind } = read(exchange);
    if (kind === "gone" || exchange.outcome.kind === "timed-out") break;
    if (kind !== "accepted") continue;
    const noToken =
      request.token === null
        ? "the choice postImport.auth says that imports have no token"
        : await takesAll(request, send, read);
    const taken = [exchange, await send(await importRequest(context, choices, imported, fitting.job))];
    return {
      fitting,
      accepted: judgeAccepted(taken, read, named),
      exchanges: taken,
      answerMs: exchange.timings.totalMs,
      noToken,
    };
  }
  const last = exchanges.at(-1);
  if (last === undefined) return { ...none, exchanges, accepted: noFile(module) };
  const [likeliest] = jobs;
  if (likeliest !== undefined && exchanges.every((exchange) => read(exchange).kind === "refused"))
    exchanges.push(await sendByUrl(verification, imported, likeliest, { tag, send }));
  return { ...none, exchanges, accepted: judgeAccepted(exchanges, read, named) };
}

/** How the search for a job that a module accepts makes its calls. */
interface SearchTools {
  /** How an exchange in this role is recorded. */
  tag(role: string): RecordedCheck;
  send(request: RequestParts, role: string): Promise<Exchange>;
}

/** Sends a job with its strings by URL. */
async function sendByUrl(
  verification: Verification,
  imported: InstalledImport,
  { job: { strings = [], ...job } }: FittingJob,
  { tag, send }: SearchTools,
): Promise<Exchange> {
  const { context, choices } = verification;
  const file = hostedFile({ content: linesOfStrings(strings) });
  using hosting = await context.files.host(file, imported.module.key, tag(BY_URL + READ_OF));
  const request = await importRequest(context, choices, imported, { ...job, stringsUrl: hosting.url });
  // The file is served until this is answered.
  return await send(request, BY_URL);
}

/** Why the checks of the token are skipped: the app needs none; null: it does. */
async function takesAll(
  request: RequestParts,
  send: (request: RequestParts) => Promise<Exchange>,
  read: (exchange: Exchange) => Reply,
): Promise<string | null> {
  const { kind } = read(await send({ ...request, token: null }));
  return kind === "accepted" ? "the app accepts imports without any token" : null;
}

/** The jobs that fit; for the first one other occasions, too, for an app that handles only translations. */
async function jobsToTry({ context, choices }: Verification, imported: InstalledImport): Promise<FittingJob[]> {
  const fitting = await fittingJobs(context, choices, imported, TRIED_JOBS);
  const own = fitting.filter(({ file }) => file !== null).slice(0, 1);
  const translations = own.map(({ job, file }): FittingJob => {
    const strings = (job.strings ?? []).map((record) => ({ ...record, translations: { uk: { text: "Привіт" } } }));
    return { file, job: { ...job, targetLanguages: [knownLanguage("uk")], strings } };
  });
  return [...fitting.slice(0, 1), ...translations, ...fitting.slice(1)];
}

/** Lines of configuration that name a job for the module. */
const NAMED_JOB = '"verify": { "fixtures": ["fixtures/jobs/greetings.json"] }';

function noFile({ key, signaturePatterns }: ImportModule): Verdict {
  for (const [part, pattern] of Object.entries(signaturePatterns)) {
    const found = pattern === undefined ? null : patternProblem(pattern);
    if (found?.isReadable === false)
      return skipVerdict(`no file can fit ${key}: its ${part} ${pattern} cannot be read: ${found.problem}`);
  }
  return skipVerdict(`none of verify's own files fits the signaturePatterns of ${key}`, NAMED_JOB);
}

/**
 * The verdict on the jobs that were tried until one was accepted, and on that one sent again.
 * @param named those that the configuration names
 */
export function judgeAccepted(
  exchanges: readonly Exchange[],
  read: (exchange: Exchange) => Reply,
  named: readonly Exchange[],
): Verdict {
  const isInline = (exchange: Exchange) => sentJob(exchange)?.stringsUrl === undefined;
  const inline = exchanges.filter(isInline);
  const replies = inline.map(read);
  const taken = replies.findIndex(({ kind }) => kind === "accepted");
  const [first] = named;
  if (taken < 0) {
    if (first !== undefined) return namedNotTaken(first, read(first));
    const isTakenByUrl = exchanges.some((exchange) => !isInline(exchange) && read(exchange).kind === "accepted");
    if (!isTakenByUrl) return notTaken(inline, read);
    const says = `the app ${replies[0]?.says} to correct jobs with strings, and accepts one with stringsUrl`;
    return faulty(importAccepted, says);
  }
  const again = replies.slice(taken + 1).find(({ kind }) => kind === "refused" || kind === "broken");
  if (again === undefined) return PASSED;
  return { ...faulty(importAccepted, `the app ${again.says} to a correct job that it had accepted`), hint: ONCE_ONLY };
}

/** What to look at if an app accepts a job only once. */
const ONCE_ONLY =
  "keep nothing from one import to the next, such as a list of known ids in a field of a service: people import a file again whenever it changes";

/** What to look at if an app does not believe any import (the interface does not show how imports authenticate). */
const BELIEVED =
  "verify the token of imports with the PLATFORM_CLIENT_SECRET that `app-sim env` prints; or choose how imports authenticate: --choose postImport.auth=none, or query";

/** Statuses that say nothing about the file of a small job in JSON (RFC 9110, 15.5). */
const NEVER_ABOUT_FILE: readonly unknown[] = [405, 406, 411, 413, 414];

const ERROR_ALONE =
  "its answers have both data and an error, and with an error nothing is imported: leave error out unless the app rejects the file";

/** The verdict on an app that does not accept a job that its owner says it accepts. */
function namedNotTaken({ response }: Exchange, { says }: Reply): Verdict {
  const isUnbelieved = response?.status === 401 || response?.status === 403;
  const verdict = faulty(importAccepted, `the app ${says} to a job of verify.fixtures`);
  return isUnbelieved ? { ...verdict, hint: BELIEVED } : verdict;
}

/**
 * The verdict on an app that accepted none of the jobs, none of which is named. It may report a file that it cannot
 * read, or expect authentication other than a token. Nothing shows which, so its refusal of wrong jobs proves nothing.
 */
function notTaken(exchanges: readonly Exchange[], read: (exchange: Exchange) => Reply): Verdict {
  const replies = exchanges.map((exchange) => ({ exchange, reply: read(exchange) }));
  const broken = replies.find(({ reply }) => reply.kind !== "refused");
  if (broken !== undefined) return faulty(importAccepted, `the app ${broken.reply.says}`);
  const [first] = replies;
  const says = `the app ${first?.reply.says} to ${replies.length === 1 ? "a correct job" : "every correct job"}`;
  const odd = replies.find(({ exchange }) => NEVER_ABOUT_FILE.includes(exchange.response?.status));
  if (odd !== undefined) return faulty(importAccepted, `the app ${odd.reply.says} to a correct job`);
  if (replies.some(({ exchange }) => saysWhatIsWrong(exchange) && exchange.response?.status !== 401)) {
    const hint = replies.some(({ exchange }) => hasDataToo(exchange))
      ? ERROR_ALONE
      : `name a job that the app accepts: ${NAMED_JOB}`;
    return { result: "inconclusive", reason: says, hint };
  }
  const isBelieved = replies.some(({ exchange: { response } }) => response?.status !== 401 && response?.status !== 403);
  return isBelieved ? faulty(importAccepted, says) : { result: "inconclusive", reason: says, hint: BELIEVED };
}
