import type { Explanation } from "../checks/explain-outcome.ts";
import { bytes } from "../checks/explain-outcome.ts";
import type { Finding } from "../checks/finding.ts";
import { judgeImportAnswer } from "../checks/import-answer.ts";
import { checkImport } from "../checks/import-checks.ts";
import type { App, User } from "../config/schema.ts";
import type { HeaderLines } from "../journal/exchange.ts";
import { moduleClaims } from "../platform/claims.ts";
import { importMismatch } from "../platform/modules.ts";
import { compareStrings } from "../platform/string-changes.ts";
import { type ChoiceReader, readChoices } from "../protocol/choices.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { IMPORT_LIMIT_BYTES, IMPORT_TIMEOUT_MS } from "../protocol/limits.ts";
import type { ImportModule } from "../protocol/manifest.ts";
import { joinUrl } from "../protocol/url.ts";
import { callApp, type SimulatorContext } from "./context.ts";
import { type Installed, type InstalledApp, loadManifests } from "./manifests.ts";
import { readFixture, wireJob } from "./read-fixture.ts";
import type { Failure, ImportedJob, ImportResult } from "./results.ts";

/** A fixture file, or a job at hand with a name for it. */
export type ImportSource = string | { readonly name: string; readonly job: ImportJob };

/**
 * Sends each job to the first installed post-import module that fits its file (interface 2.1, 2.3) and says
 * what came back. All fixtures are read before the first is sent.
 */
export async function runImport(context: SimulatorContext, sources: readonly ImportSource[]): Promise<ImportResult> {
  const choices = readChoices(context.choices);
  const jobs: { name: string; job: ImportJob }[] = [];
  for (const source of sources) {
    jobs.push(
      typeof source === "string"
        ? { name: source, job: await readFixture(source, context, choices) }
        : { name: source.name, job: wireJob(source.name, source.job) },
    );
  }
  const installed = await loadManifests(context);
  const done: ImportedJob[] = [];
  for (const { name, job } of jobs) {
    done.push(
      context.signal?.aborted === true
        ? ended(begin(name, job), "failed", interrupted)
        : await importOne(context, choices, installed, name, job),
    );
  }
  return {
    command: "post-import",
    jobs: done,
    warnings: installed.ok ? [...installed.warnings] : [],
    choices: choices.used(),
  };
}

const interrupted = { reason: "interrupted before it was sent", hint: null, failure: "interrupted" } as const;

async function importOne(
  context: SimulatorContext,
  choices: ChoiceReader,
  installed: Installed,
  name: string,
  job: ImportJob,
): Promise<ImportedJob> {
  const blank = begin(name, job);
  if (!installed.ok) return { ...ended(blank, "failed", installed), exchanges: [installed.exchange] };
  const chosen = chooseModule(installed.apps, job, choices);
  if (!chosen.ok)
    return ended(blank, "skipped", {
      reason: chosen.reason,
      hint: "the platform would not call the app for this file",
      failure: null,
    });
  const { app, module } = chosen;
  const body = Buffer.from(JSON.stringify(job));
  const limit = IMPORT_LIMIT_BYTES[choices.get("limits.size")];
  const sending: ImportedJob = { ...blank, module: module.key, sent: { ...blank.sent, bytes: body.length } };
  if (body.length > limit) {
    choices.get("postImport.overLimit");
    const reason = `the job is ${bytes(body.length)}, over the limit of ${bytes(limit)} for a request`;
    return ended(sending, "failed", {
      reason,
      hint: "larger jobs travel by URL (stringsUrl, contentUrl), which this version does not do yet",
      failure: "other",
    });
  }
  const { url, headers } = await address(context, choices, app, module, job);
  const called = await callApp(context, "post-import", module.key, {
    method: "POST",
    url,
    headers,
    body,
    timeoutMs: IMPORT_TIMEOUT_MS,
    sizeLimit: limit,
  });
  const sent: ImportedJob = { ...sending, exchanges: [called.record.id] };
  if (!called.ok) {
    if (called.record.outcome.kind === "too-large") choices.get("postImport.overLimit");
    return ended({ ...sent, received: received(0, called.record.response?.body.size ?? 0) }, "failed", called);
  }
  return judge(sent, called.answer.body.length, judgeImportAnswer(called.answer, choices), job, choices);
}

function judge(
  sent: ImportedJob,
  size: number,
  verdict: ReturnType<typeof judgeImportAnswer>,
  job: ImportJob,
  choices: ChoiceReader,
): ImportedJob {
  if (verdict.kind === "failed")
    return ended({ ...sent, received: received(0, size) }, "failed", { ...verdict, failure: "other" });
  const before = job.strings ?? [];
  if (verdict.kind === "not-modified") {
    return {
      ...sent,
      outcome: "not-modified",
      received: received(0, size),
      changes: { ...sent.changes, unchanged: before.length },
    };
  }
  const answer = { ...sent, received: received(verdict.strings.length, size) };
  const returned = new Set(verdict.strings.map((record) => record.uniqId));
  const omittedAre = before.every((record) => returned.has(record.uniqId))
    ? "removed"
    : choices.get("postImport.omitted");
  const findings = [
    ...verdict.warnings.map(contentTypeFinding),
    ...checkImport({
      sent: before,
      received: verdict.strings,
      hasPreview: verdict.hasPreview,
      sentBytes: sent.sent.bytes,
      receivedBytes: size,
      omittedAre,
    }),
  ];
  const fault = findings.find((finding) => finding.result === "fail");
  if (fault !== undefined) {
    return {
      ...ended(answer, "failed", { reason: `${fault.path} ${fault.message}`, hint: null, failure: "other" }),
      findings,
    };
  }
  if (verdict.strings.some(({ attributes }) => attributes?.platformType != null))
    choices.get("postImport.platformType");
  const { strings, ...counts } = compareStrings(before, verdict.strings, omittedAre);
  if (strings.some(({ fields }) => fields.some(({ field }) => field.endsWith(".status"))))
    choices.get("postImport.statusTransitions");
  return {
    ...answer,
    outcome: "imported",
    changes: { ...counts, strings: strings.map((string) => ({ ...string, fields: [...string.fields] })) },
    findings,
  };
}

function contentTypeFinding(message: string): Finding {
  return { check: "import.content-type", section: "2.4", result: "warn", path: "response", message };
}

type Chosen = { ok: true; app: App; module: ImportModule } | { ok: false; reason: string };

function chooseModule(apps: readonly InstalledApp[], job: ImportJob, choices: ChoiceReader): Chosen {
  const file = {
    name: job.file.name,
    content: job.file.content === undefined ? null : Buffer.from(job.file.content, "base64"),
  };
  const reasons: string[] = [];
  for (const { app, manifest } of apps) {
    for (const module of manifest.imports) {
      const mismatch = importMismatch(module, file, choices);
      if (mismatch === null) return { ok: true, app, module };
      reasons.push(`${module.key}: ${mismatch}`);
    }
  }
  return {
    ok: false,
    reason:
      reasons.length === 0
        ? "the manifest declares no file-post-import module"
        : `no module fits the file: ${reasons.join("; ")}`,
  };
}

/** Where and with what credentials a post-import module is called (choice `postImport.auth`). */
async function address(
  context: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  module: ImportModule,
  job: ImportJob,
): Promise<{ url: string; headers: HeaderLines }> {
  const url = joinUrl(app.url, module.url);
  const headers: HeaderLines = [
    ["Content-Type", "application/json"],
    ["Accept-Encoding", "identity"],
  ];
  const auth = choices.get("postImport.auth");
  if (auth === "none") return { url, headers };
  const now = Math.floor(context.clock.now() / 1000);
  const subject = {
    app,
    organization: context.config.organization,
    user: importingUser(context),
    module: module.key,
    project: job.project,
  };
  const claims = moduleClaims(subject, now, choices.get("guard.jwt.lifetime"), choices.get("guard.jwt.claims"));
  const token = await context.signer.sign(claims, app, choices);
  if (auth === "bearer") return { url, headers: [["Authorization", `Bearer ${token}`], ...headers] };
  const withToken = new URL(url);
  withToken.searchParams.set("jwtToken", token);
  return { url: withToken.href, headers };
}

/** Files are uploaded by somebody who manages the project; where nobody does, by the first user. */
function importingUser({ config: { users } }: SimulatorContext): User {
  const user = users.find(({ role }) => role === "manager") ?? users[0];
  if (user === undefined) throw new RangeError("a configuration without users");
  return user;
}

function begin(fixture: string, job: ImportJob): ImportedJob {
  const count = job.strings?.length ?? 0;
  return {
    fixture,
    module: null,
    outcome: "failed",
    error: null,
    hint: null,
    failure: null,
    sent: { strings: count, via: job.strings === undefined ? "url" : "inline", bytes: 0 },
    received: received(0, 0),
    changes: { changed: 0, added: 0, removed: 0, unchanged: 0, strings: [] },
    findings: [],
    exchanges: [],
  };
}

function received(strings: number, size: number): ImportedJob["received"] {
  return { strings, via: "inline", bytes: size };
}

function ended(
  job: ImportedJob,
  outcome: "failed" | "skipped",
  { reason, hint, failure }: Explanation & { readonly failure: Failure },
): ImportedJob {
  return { ...job, outcome, error: reason, hint, failure };
}
