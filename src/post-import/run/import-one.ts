import { setImmediate } from "node:timers/promises";
import { type CallResult, callApp } from "../../app-client/call-app.ts";
import { bytes } from "../../app-client/explain-outcome.ts";
import type { CallFacts } from "../../app-client/refusal-hints.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { App, User } from "../../config/schema.ts";
import { secretsOf } from "../../config/secrets.ts";
import type { Exchange, HeaderLines } from "../../journal/exchange.ts";
import { IN_QUERY, tokenFacts, withCircumstances } from "../../platform/call-facts.ts";
import type { ImportModule } from "../../platform/manifest.ts";
import type { Installed, InstalledApp } from "../../platform/manifests.ts";
import { moduleToken } from "../../platform/module-token.ts";
import { listenForRequests } from "../../platform/own-requests.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
import { IMPORT_WARN_BYTES, sizeLimit } from "../../protocol/limits.ts";
import { joinUrl } from "../../protocol/url.ts";
import { judgeImportAnswer } from "../checks/import-answer.ts";
import { ImportFindings } from "../checks/import-findings.ts";
import { importFinding } from "../checks/import-rules.ts";
import { fileRequestFindings, leakFindings } from "../checks/leak-findings.ts";
import { pluralRuleFaults } from "../checks/strings/plural-checks.ts";
import type { PlannedJob } from "../files/plan-jobs.ts";
import { RedactedLines } from "../files/redacted-lines.ts";
import type { SavedJob } from "../files/saved-jobs.ts";
import type { ImportContext } from "../import-context.ts";
import type { ImportedJob, ImportFinding } from "../import-result.ts";
import { importAccess } from "../rules/import-access.ts";
import { importMismatch } from "../rules/import-modules.ts";
import { unreadBodyHint } from "../rules/unread-body.ts";
import { type CarriedJob, carryJob, planTransport } from "./carry-job.ts";
import type { ImportOptions } from "./import-options.ts";
import { failedJob, type ImportFailure, newJob } from "./imported-job.ts";
import { compareExpected, judgeAnswer, saveExpected } from "./judge-answer.ts";
import { StringsJudge } from "./strings-judge.ts";

/** What the jobs of one run share. */
export interface ImportRun {
  readonly context: ImportContext;
  readonly choices: ChoiceReader;
  readonly options: ImportOptions;
  readonly user: User;
  readonly installed: Installed;
}

const interrupted = { reason: "interrupted before it was sent", hint: null, failure: "interrupted" } as const;

/** Sends one job to the module that fits it, and judges the answer. The caller closes what it received. */
export async function importOne(run: ImportRun, planned: PlannedJob): Promise<SavedJob> {
  const { context, choices, options, installed, user } = run;
  const notAnswered = (imported: ImportedJob): SavedJob => ({ planned, imported, received: null, preview: null });
  const job = newJob(planned, user);
  if (context.signal?.aborted === true) return notAnswered(failedJob(job, interrupted));
  if (!installed.ok) return notAnswered({ ...failedJob(job, installed), exchanges: [installed.exchange] });
  const chosen = await chooseModule(run, installed.apps, planned);
  if (!chosen.ok) {
    const outcome = chosen.failure === null ? "skipped" : "failed";
    return notAnswered({ ...failedJob(job, chosen), outcome });
  }
  const limit = sizeLimit(choices.get("limits.size"));
  const { transport, bytes: size } = planTransport(planned, options.via ?? "auto", limit);
  const withBytes = (bytes: number): ImportedJob => ({
    ...job,
    module: chosen.module.key,
    sent: { ...job.sent, via: transport.strings, contentVia: transport.content, bytes },
  });
  if (size > limit) return notAnswered(tooLarge(withBytes(size), limit));
  const carried = await carryJob(context, chosen.module.key, planned, transport);
  try {
    const sending = withBytes(carried.body.length);
    if (carried.body.length > limit) return notAnswered(tooLarge(sending, limit));
    return await callModule(run, planned, { ...chosen, carried, imported: sending, limit });
  } finally {
    carried.end();
  }
}

type ModuleChoice =
  | { readonly ok: true; readonly app: App; readonly module: ImportModule }
  | ({ readonly ok: false } & ImportFailure);

/**
 * The first installed post-import module that this user may use (interface 1) and that fits the file (interface 2.1,
 * signaturePatterns), or why there is none.
 */
async function chooseModule(
  { context: { config, patterns, signal }, user, choices }: ImportRun,
  apps: readonly InstalledApp[],
  { job, fixture }: PlannedJob,
): Promise<ModuleChoice> {
  const file = { name: job.file.name, content: await fixture.sourceFile.head() };
  const project = config.projects.find(({ identifier }) => identifier === job.project.identifier) ?? null;
  const reasons: string[] = [];
  for (const { app, manifest } of apps) {
    const denied = importAccess(app, config, project, user);
    for (const module of manifest.imports) {
      await setImmediate();
      if (signal?.aborted === true) return { ok: false, ...interrupted };
      const mismatch = denied ?? (await importMismatch(module, file, choices, patterns.test));
      if (mismatch === null) return { ok: true, app, module };
      reasons.push(`${module.key}: ${mismatch}`);
    }
  }
  const reason =
    reasons.length === 0
      ? "the manifest declares no file-post-import module"
      : `no module fits the file: ${reasons.join("; ")}`;
  return { ok: false, reason, hint: "the platform would not call the app for this file", failure: null };
}

function tooLarge(sending: ImportedJob, limit: number): ImportedJob {
  const { via, contentVia, bytes: size } = sending.sent;
  return failedJob(sending, {
    reason: `the job is ${bytes(size)}, over the limit of ${bytes(limit)} for a request`,
    hint:
      via === "url" && contentVia === "url"
        ? "strings and file are already sent by URL: the rest of the job is too large"
        : "send it by URL (--via url, or leave --via out): the app then reads stringsUrl and contentUrl",
    failure: "other",
  });
}

/** A job on its way to a module. */
interface Sending {
  readonly app: App;
  readonly module: ImportModule;
  readonly carried: CarriedJob;
  readonly imported: ImportedJob;
  /** Size limits of request and response, in bytes. */
  readonly limit: number;
}

async function callModule(run: ImportRun, planned: PlannedJob, sending: Sending): Promise<SavedJob> {
  const { update, save } = run.options;
  const received = update === true || save !== undefined ? new RedactedLines(secretsOf(run.context.config)) : null;
  try {
    return { planned, received, ...(await callAndJudge(run, planned, sending, received)) };
  } catch (error) {
    received?.close();
    throw error;
  }
}

async function callAndJudge(
  run: ImportRun,
  planned: PlannedJob,
  sending: Sending,
  received: RedactedLines | null,
): Promise<Pick<SavedJob, "imported" | "preview">> {
  const { context, choices, options } = run;
  const { job, strings } = planned;
  const { app, module, carried, limit } = sending;
  const { url, headers, facts } = await importAddress(run, job, sending);
  const requests = listenForRequests(context, app);
  const called = await callApp(context, {
    purpose: "post-import",
    module: module.key,
    method: "POST",
    url,
    headers,
    body: carried.body,
    timeoutMs: choices.get("postImport.timeout"),
    sizeLimit: limit,
  }).finally(requests.end);
  const size = called.record.response?.body.size ?? 0;
  const sent: ImportedJob = {
    ...sending.imported,
    received: { strings: 0, via: "inline", bytes: size },
    exchanges: [called.record.id, ...carried.fetches],
  };
  if (!called.ok) {
    return { imported: failedJob(sent, { ...called, hint: unansweredHint(called, sent) }), preview: null };
  }
  const findings = new ImportFindings();
  findings.add(...sizeFindings(carried.body.length, size), ...pluralFindings(job));
  const judge = new StringsJudge({
    sent: strings,
    expected: planned.expected?.strings ?? null,
    languages: { source: job.sourceLanguage, targets: job.targetLanguages },
    omittedAre: choices.peek("postImport.omitted"),
    findings,
    received,
  });
  const verdict = judgeImportAnswer(
    called.answer,
    choices,
    await withCircumstances(context, app, facts, { status: called.answer.status, ownRequests: requests.end() }),
  );
  findings.add(
    ...leakFindings(called.record, app, verdict.kind === "app-error" || verdict.kind === "failed"),
    ...fileRequestFindings(exchangesOf(context, carried.fetches), app),
  );
  const preview = { file: job.file.name, shown: options.preview === true };
  const answer = { context, choices, app, module: module.key, judge, findings };
  const answered = await judgeAnswer(sent, verdict, answer, preview);
  const expected =
    options.update === true && planned.expectedFile !== null && received !== null
      ? await saveExpected(planned.expectedFile, answered.head, received)
      : compareExpected(planned.expected, answered, judge);
  const { imported } = answered;
  const isRefusal = verdict.kind === "app-error" || (verdict.kind === "failed" && called.answer.status >= 400);
  const hint = isRefusal
    ? unreadBodyHint({ ...called, sent: carried.body.length, hint: imported.hint })
    : imported.hint;
  return { imported: { ...imported, hint, expected }, preview: answered.preview };
}

function unansweredHint({ record, hint }: Extract<CallResult, { ok: false }>, { sent }: ImportedJob): string | null {
  const { outcome } = record;
  if (outcome.kind === "too-large") return "answer by URL: the file at data.stringsUrl may have any size";
  const isClosed = outcome.kind === "disconnected" && outcome.phase !== "body";
  return isClosed ? unreadBodyHint({ sent: sent.bytes, answer: null, hint }) : hint;
}

function exchangesOf({ journal }: ImportContext, ids: readonly string[]): Exchange[] {
  return ids.flatMap((id) => {
    const record = journal.find(id);
    return record?.type === "exchange" ? [record] : [];
  });
}

/** Where and with what credentials a post-import module is called (choice `postImport.auth`). */
async function importAddress(
  { context, choices, user }: ImportRun,
  { project }: ImportJob,
  { app, module }: Sending,
): Promise<{ url: string; headers: HeaderLines; facts: CallFacts }> {
  const url = joinUrl(app.url, module.url);
  const headers: HeaderLines = [
    ["Content-Type", "application/json"],
    ["Accept-Encoding", "identity"],
  ];
  const auth = choices.get("postImport.auth");
  if (auth === "none") return { url, headers, facts: { by: "none", url } };
  const token = await moduleToken(context, choices, { app, user, module: module.key, project });
  if (auth === "bearer") {
    const facts = { ...tokenFacts(context, app, module.key), url, method: "POST" };
    return { url, headers: [["Authorization", `Bearer ${token}`], ...headers], facts };
  }
  const withToken = new URL(url);
  withToken.searchParams.set("jwtToken", token);
  return {
    url: withToken.href,
    headers,
    facts: { ...tokenFacts(context, app, module.key, IN_QUERY), url, method: "POST" },
  };
}

function sizeFindings(request: number, response: number): ImportFinding[] {
  return Object.entries({ request, response }).flatMap(([path, size]) => {
    if (size < IMPORT_WARN_BYTES) return [];
    const message = `is ${bytes(size)}: if 5 MB means 5,000,000 bytes, that is at or over the limit`;
    return [importFinding("import.size.near-limit", path, message, size)];
  });
}

/** What could trip up an app in a job made by the user. */
function pluralFindings({ sourceLanguage, targetLanguages }: ImportJob): ImportFinding[] {
  const languages = [
    { language: sourceLanguage, at: "sourceLanguage" },
    ...targetLanguages.map((language, index) => ({ language, at: `targetLanguages[${index}]` })),
  ];
  return languages.flatMap(({ language, at }) =>
    pluralRuleFaults(language).map(({ path, message, value }) =>
      importFinding("import.job.pluralRules", `${at}.${path}`, message, value),
    ),
  );
}
