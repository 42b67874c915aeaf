import { setImmediate } from "node:timers/promises";
import { bytes } from "../checks/explain-outcome.ts";
import { judgeImportAnswer } from "../checks/import-answer.ts";
import type { Credential } from "../checks/read-answer.ts";
import type { App } from "../config/schema.ts";
import type { HeaderLines } from "../journal/exchange.ts";
import { importingUser, importMismatch } from "../platform/modules.ts";
import { type ChoiceReader, readChoices } from "../protocol/choices.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import { IMPORT_LIMIT_BYTES, IMPORT_TIMEOUT_MS } from "../protocol/limits.ts";
import type { ImportModule } from "../protocol/manifest.ts";
import { valueText } from "../protocol/problems.ts";
import { joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { callApp, type SimulatorContext } from "./context.ts";
import { begin, type Ending, ended, judgedJob, received } from "./imported-job.ts";
import { type Installed, type InstalledApp, loadManifests } from "./manifests.ts";
import { moduleToken } from "./module-token.ts";
import { readFixture, wireJob } from "./read-fixture.ts";
import type { ImportedJob, ImportResult } from "./results.ts";

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
    if (typeof source !== "string" && typeof (source as { name?: unknown } | null)?.name !== "string") {
      throw new UsageError(
        "source-invalid",
        `postImport(): ${valueText(source)} is not a fixture`,
        "give file names, or objects {name, job}, one argument each",
      );
    }
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
  const chosen = await chooseModule(installed.apps, job, context, choices);
  if (!chosen.ok) return ended(blank, chosen.failure === null ? "skipped" : "failed", chosen);
  const { app, module } = chosen;
  const body = Buffer.from(JSON.stringify(job));
  const limit = IMPORT_LIMIT_BYTES[choices.get("limits.size")];
  const sending: ImportedJob = { ...blank, module: module.key, sent: { ...blank.sent, bytes: body.length } };
  if (body.length > limit) {
    choices.relyOn("postImport.overLimit");
    const reason = `the job is ${bytes(body.length)}, over the limit of ${bytes(limit)} for a request`;
    return ended(sending, "failed", {
      reason,
      hint: "larger jobs travel by URL (stringsUrl, contentUrl), which this version does not do yet",
      failure: "other",
    });
  }
  const { url, headers, credential } = await address(context, choices, app, module, job);
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
    if (called.record.outcome.kind === "too-large") choices.relyOn("postImport.overLimit");
    return ended({ ...sent, received: received(0, called.record.response?.body.size ?? 0) }, "failed", called);
  }
  return judgedJob(
    sent,
    called.answer.body.length,
    judgeImportAnswer(called.answer, choices, credential),
    job,
    choices,
  );
}

type Chosen = { ok: true; app: App; module: ImportModule } | ({ ok: false } & Ending);

async function chooseModule(
  apps: readonly InstalledApp[],
  job: ImportJob,
  context: SimulatorContext,
  choices: ChoiceReader,
): Promise<Chosen> {
  const file = {
    name: job.file.name,
    content: job.file.content === undefined ? null : Buffer.from(job.file.content, "base64"),
  };
  const reasons: string[] = [];
  for (const { app, manifest } of apps) {
    for (const module of manifest.imports) {
      // A slow pattern holds everything up until it is stopped: between two, Ctrl-C is heard.
      await setImmediate();
      if (context.signal?.aborted === true) return { ok: false, ...interrupted };
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
    hint: "the platform would not call the app for this file",
    failure: null,
  };
}

/** Where and with what credentials a post-import module is called (choice `postImport.auth`). */
async function address(
  context: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  module: ImportModule,
  job: ImportJob,
): Promise<{ url: string; headers: HeaderLines; credential: Credential }> {
  const url = joinUrl(app.url, module.url);
  const headers: HeaderLines = [
    ["Content-Type", "application/json"],
    ["Accept-Encoding", "identity"],
  ];
  const auth = choices.get("postImport.auth");
  if (auth === "none") return { url, headers, credential: "none" };
  const subject = { app, user: importingUser(context.config.users), module: module.key, project: job.project };
  const token = await moduleToken(context, choices, subject);
  if (auth === "bearer") {
    return { url, headers: [["Authorization", `Bearer ${token}`], ...headers], credential: "token" };
  }
  const withToken = new URL(url);
  withToken.searchParams.set("jwtToken", token);
  return { url: withToken.href, headers, credential: "token" };
}
