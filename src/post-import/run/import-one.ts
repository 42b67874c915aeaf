import { callApp } from "../../app-client/call-app.ts";
import { bytes } from "../../app-client/explain-outcome.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { App, User } from "../../config/schema.ts";
import { secretsOf } from "../../config/secrets.ts";
import type { ImportModule } from "../../platform/manifest.ts";
import type { Installed } from "../../platform/manifests.ts";
import type { ImportJob } from "../../protocol/import-job.ts";
import { IMPORT_WARN_BYTES, sizeLimit } from "../../protocol/limits.ts";
import { judgeImportAnswer } from "../checks/import-answer.ts";
import { collectFindings } from "../checks/import-findings.ts";
import { type ImportFinding, importFinding } from "../checks/import-rules.ts";
import { pluralRuleProblems } from "../checks/strings/plural-rule-problems.ts";
import { compareExpected } from "../files/compare-expected.ts";
import { begin, ended } from "../files/imported-job.ts";
import { type KeptLines, keepLines } from "../files/kept-lines.ts";
import type { PlannedJob } from "../files/plan-jobs.ts";
import type { SavedJob } from "../files/saved-jobs.ts";
import type { ImportContext } from "../import-context.ts";
import type { ImportedJob } from "../import-result.ts";
import { type CarriedJob, carryJob, planTransport } from "./carry-job.ts";
import { chooseModule, interrupted } from "./choose-module.ts";
import { importAddress } from "./import-address.ts";
import type { ImportOptions } from "./import-options.ts";
import { judgeStrings } from "./judge-strings.ts";
import { judgedJob } from "./judged-job.ts";

/** What the jobs of one run have in common. */
export interface ImportRun {
  readonly context: ImportContext;
  readonly choices: ChoiceReader;
  readonly options: ImportOptions;
  readonly user: User;
  readonly installed: Installed;
}

/** Sends one job to the module that fits it, and says what came of it. What it received is to be closed. */
export async function importOne(run: ImportRun, planned: PlannedJob): Promise<SavedJob> {
  const { context, choices, options, installed, user } = run;
  const nothing = (imported: ImportedJob): SavedJob => ({ planned, imported, received: null, preview: null });
  const blank = begin(planned, user);
  if (context.signal?.aborted === true) return nothing(ended(blank, "failed", interrupted));
  if (!installed.ok) return nothing({ ...ended(blank, "failed", installed), exchanges: [installed.exchange] });
  const chosen = await chooseModule(context, installed.apps, planned, user, choices);
  if (!chosen.ok) return nothing(ended(blank, chosen.failure === null ? "skipped" : "failed", chosen));
  const limit = sizeLimit(choices.get("limits.size"));
  const { transport, bytes: size } = planTransport(planned, options.via ?? "auto", limit);
  const sendingBytes = (bytes: number): ImportedJob => ({
    ...blank,
    module: chosen.module.key,
    sent: { ...blank.sent, via: transport.strings, contentVia: transport.content, bytes },
  });
  if (size > limit) return nothing(tooLarge(sendingBytes(size), limit));
  const carried = await carryJob(context, chosen.module.key, planned, transport);
  try {
    const sending = sendingBytes(carried.body.length);
    if (carried.body.length > limit) return nothing(tooLarge(sending, limit));
    return await callModule(run, planned, { ...chosen, carried, sending, limit });
  } finally {
    carried.end();
  }
}

function tooLarge(sending: ImportedJob, limit: number): ImportedJob {
  const { sent } = sending;
  return ended(sending, "failed", {
    reason: `the job is ${bytes(sent.bytes)}, over the limit of ${bytes(limit)} for a request`,
    hint:
      sent.via === "url" && sent.contentVia === "url"
        ? "strings and file go by URL already: what else the job holds is too large"
        : "send it by URL (--via url, or leave --via out): the app then reads stringsUrl and contentUrl",
    failure: "other",
  });
}

/** Where a job goes, and in what form. */
interface Sending {
  readonly app: App;
  readonly module: ImportModule;
  readonly carried: CarriedJob;
  readonly sending: ImportedJob;
  readonly limit: number;
}

async function callModule(run: ImportRun, planned: PlannedJob, sending: Sending): Promise<SavedJob> {
  const { update, save } = run.options;
  const received = update === true || save !== undefined ? keepLines(secretsOf(run.context.config)) : null;
  try {
    return { planned, received, ...(await callAndJudge(run, planned, sending, received)) };
  } catch (error) {
    received?.close();
    throw error;
  }
}

async function callAndJudge(
  { context, choices, options, user }: ImportRun,
  planned: PlannedJob,
  { app, module, carried, sending, limit }: Sending,
  received: KeptLines | null,
): Promise<Pick<SavedJob, "imported" | "preview">> {
  const { url, headers, credential } = await importAddress(context, choices, app, module, user, planned.job.project);
  const called = await callApp(context, "post-import", module.key, {
    method: "POST",
    url,
    headers,
    body: carried.body,
    timeoutMs: choices.get("postImport.timeout"),
    sizeLimit: limit,
  });
  const size = called.record.response?.body.size ?? 0;
  const sent: ImportedJob = {
    ...sending,
    received: { strings: 0, via: "inline", bytes: size },
    exchanges: [called.record.id, ...carried.fetches],
  };
  if (!called.ok) {
    const isTooLarge = called.record.outcome.kind === "too-large";
    const hint = isTooLarge ? "answer by URL: data.stringsUrl names a file of any size" : called.hint;
    return { imported: ended(sent, "failed", { ...called, hint }), preview: null };
  }
  const findings = collectFindings();
  findings.add(...sizeFindings(carried.body.length, size), ...pluralFindings(planned.job));
  const judge = judgeStrings({
    sent: planned.strings,
    expected: planned.expected?.strings ?? null,
    languages: { source: planned.job.sourceLanguage, targets: planned.job.targetLanguages },
    omittedAre: choices.peek("postImport.omitted"),
    findings,
    received,
  });
  const verdict = judgeImportAnswer(called.answer, choices, credential);
  const taking = { context, choices, app, module: module.key, judge, findings };
  const preview = { file: planned.job.file.name, shown: options.preview === true };
  const judged = await judgedJob(sent, verdict, taking, preview);
  const expected = await compareExpected(planned, options, judged, judge, received);
  return { imported: { ...judged.imported, expected }, preview: judged.preview };
}

function sizeFindings(request: number, response: number): ImportFinding[] {
  const sizes = [["request", request] as const, ["response", response] as const];
  return sizes.flatMap(([path, size]) => {
    if (size < IMPORT_WARN_BYTES) return [];
    const message = `is ${bytes(size)}: where 5 MB is read as 5,000,000 bytes, that is the limit or over it`;
    return [importFinding("import.size.near-limit", path, message, size)];
  });
}

/** What an app could stumble over in a job that the user made. */
function pluralFindings({ sourceLanguage, targetLanguages }: ImportJob): ImportFinding[] {
  const languages = [
    { language: sourceLanguage, at: "sourceLanguage" },
    ...targetLanguages.map((language, index) => ({ language, at: `targetLanguages[${index}]` })),
  ];
  return languages.flatMap(({ language, at }) =>
    pluralRuleProblems(language).map(({ path, message, value }) =>
      importFinding("import.job.pluralRules", `${at}.${path}`, message, value),
    ),
  );
}
