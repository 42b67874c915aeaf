import { callApp } from "../app-client/call-app.ts";
import type { Explanation } from "../app-client/explain-outcome.ts";
import type { AppCall } from "../app-client/ports.ts";
import { PAGE_INSTEAD, readJsonAnswer } from "../app-client/read-answer.ts";
import type { ChoiceReader } from "../config/choices.ts";
import { readJsonFile } from "../config/json-file.ts";
import type { App } from "../config/schema.ts";
import { MANIFEST_TIMEOUT_MS, SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { valueText } from "../protocol/problems.ts";
import { isHttpUrl, joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { SimulatorContext } from "./context.ts";
import { type GuardModule, type Manifest, parseManifest } from "./manifest.ts";
import type { ManifestMemory } from "./manifest-memory.ts";
import { type ManifestProblem, warningText } from "./manifest-problems.ts";
import { explainManifestStatus, LEAST_MANIFEST, MANIFEST_PATH, noManifestHint } from "./manifest-status.ts";
import { type AppIdentity, readIdentity } from "./manifest-words.ts";
import type { Failure } from "./result-parts.ts";
import { completeManifest, usableManifest } from "./usable-manifest.ts";

/** An installed app with its modules. */
export interface InstalledApp {
  /** As it is configured. */
  readonly app: App;
  /** What it declares. */
  readonly manifest: Manifest;
  /** The error for actions that need a module that was left out of the manifest. */
  readonly refusal?: UsageError | undefined;
  /** What is odd in the manifest, each with its path. */
  readonly warnings?: readonly string[];
}

export type Unread = {
  readonly ok: false;
  readonly failure: Exclude<Failure, null>;
  readonly exchange: string;
} & Explanation;

/** The manifests of all installed apps, or why one could not be read. */
export type Installed =
  | {
      readonly ok: true;
      readonly apps: readonly InstalledApp[];
      readonly warnings: readonly string[];
      /** What is wrong with the manifests, although they can be used. */
      readonly problems: readonly (ManifestProblem & { readonly app: string })[];
    }
  | Unread;

type ReadManifest =
  | {
      readonly ok: true;
      readonly manifest: Manifest;
      readonly refusal?: UsageError | undefined;
      readonly warnings: readonly string[];
      readonly problems: readonly ManifestProblem[];
    }
  | Unread;

/** Where an app's manifest is: as configured, or `{app_base_url}/manifest.json`. */
export function manifestSource(app: App): string {
  return app.manifest ?? joinUrl(app.url, MANIFEST_PATH);
}

/**
 * Reads the manifest of every installed app, in order. If the simulator remembers manifests, an app's last good one
 * replaces one that cannot be used, with a warning (hardening R38).
 * @throws UsageError for a manifest that violates interface 2.1, with all its errors, unless it is replaced
 */
export async function loadManifests(context: SimulatorContext): Promise<Installed> {
  const { manifests: memory, config } = context;
  const apps: InstalledApp[] = [];
  const warnings: string[] = [];
  const problems: (ManifestProblem & { app: string })[] = [];
  const failures: PromiseSettledResult<Unread>[] = [];
  for (const app of config.apps) {
    const reading = memory === null ? readManifest(context, app) : readOrRemember(context, app, memory);
    const [settled] = await Promise.allSettled([reading]);
    if (settled.status === "rejected") failures.push(settled);
    else if (!settled.value.ok) failures.push({ status: "fulfilled", value: settled.value });
    else {
      const { manifest, refusal, warnings: own } = settled.value;
      apps.push({ app, manifest, refusal, warnings: own });
      warnings.push(...own);
      problems.push(...settled.value.problems.map((problem) => ({ ...problem, app: app.url })));
    }
    // A manifest memory has to know all manifests, whatever is wrong with the first.
    if (memory === null && failures.length > 0) break;
  }
  const [failure] = failures;
  if (failure === undefined) return { ok: true, apps, warnings, problems };
  if (failure.status === "rejected") throw failure.reason;
  return failure.value;
}

async function readOrRemember(context: SimulatorContext, app: App, memory: ManifestMemory): Promise<ReadManifest> {
  const source = manifestSource(app);
  const lastGood = (problem: Explanation): ReadManifest | null => {
    const manifest = memory.readBadly(app, source, problem);
    if (manifest === null) return null;
    const message = `${problem.reason}; the last good manifest stays in use`;
    return { ok: true, manifest, warnings: [message], problems: [{ path: "", message, kind: "unusual" }] };
  };
  try {
    const read = await readManifest(context, app);
    if (!read.ok) return read.failure === "interrupted" ? read : (lastGood(read) ?? read);
    if (read.refusal !== undefined) return lastGood({ reason: read.refusal.message, hint: read.refusal.hint }) ?? read;
    memory.readWell(app, source, read.manifest, read.warnings);
    return read;
  } catch (error) {
    const instead = error instanceof UsageError ? lastGood({ reason: error.message, hint: error.hint }) : null;
    if (instead === null) throw error;
    return instead;
  }
}

async function readManifest(context: SimulatorContext, app: App): Promise<ReadManifest> {
  const source = manifestSource(app);
  const loaded = isHttpUrl(source)
    ? await fetchManifest(context, source, app)
    : { ok: true as const, value: await readJsonFile(source, "manifest", SMALL_ANSWER_LIMIT_BYTES) };
  if (!loaded.ok) return loaded;
  const { choices } = context;
  const parse = (value: unknown) =>
    parseManifest(value, {
      defaultGuardType: choices["guard.type.default"],
      hasInstallEvents: choices["install.event"] === "on",
      origins: [app.url, ...app.fileOrigins],
      names: choices["manifest.names"],
    });
  const { manifest, errors, warnings } = usableManifest(loaded.value, parse);
  const profile = likelyProfile(context, readIdentity(loaded.value));
  const refusal = new UsageError(
    "manifest-invalid",
    `the manifest ${source} is not valid`,
    profile ?? completeManifest(),
    [...errors, ...warnings.map(({ path, message }) => ({ path, message, severity: "warning" as const }))],
  );
  if (manifest === null || isEmpty(manifest)) throw refusal;
  context.identities.set(app.clientId, manifest.identity);
  const unusual = [
    ...warnings,
    ...otherRegistration(app, manifest),
    ...(profile === null ? [] : [{ path: "", message: profile, kind: "unusual" as const }]),
  ];
  return {
    ok: true,
    manifest,
    refusal: errors.length === 0 ? undefined : refusal,
    warnings: [...leftOut(manifest), ...shortWarnings(unusual)],
    problems: [...errors.map((error) => ({ ...error, kind: "slip" as const })), ...unusual],
  };
}

/** Whether everything was left out. */
function isEmpty({ unusable, guards, imports, webhooks }: Manifest): boolean {
  return unusable.length > 0 && guards.length + imports.length + webhooks.length === 0;
}

function leftOut({ unusable }: Manifest): string[] {
  return unusable.map(({ path, problems: [problem] }) => {
    const member = problem.path.slice(path.length).replace(/^\./, "");
    return `manifest: ${path} is not valid, so it is left out: ${`${member} ${problem.message}`.trim()}`;
  });
}

/** Warnings about a manifest that every command shows: several unknown members are only counted. */
function shortWarnings(all: readonly ManifestProblem[]): string[] {
  const problems = all.filter(({ kind }) => kind !== "suspect");
  const unknown = problems.filter(({ kind }) => kind === "unknown");
  const isShort = unknown.length > 1;
  const listed = isShort ? problems.filter((problem) => !unknown.includes(problem)) : problems;
  const counted = `manifest: ${unknown.length} members are not part of the interface and are ignored: app-sim manifest lists them`;
  return [...listed.map(warningText), ...(isShort ? [counted] : [])];
}

/** Recognizes a deployment that has a shipped profile, as long as none of its choices are set. */
function likelyProfile({ choices }: SimulatorContext, { identifier, grant }: AppIdentity): string | null {
  if (identifier === null || grant === null || choices["install.event"] !== "off") return null;
  return /^crowdin_/.test(grant) ? "the manifest looks like that of a Crowdin app: --profile crowdin" : null;
}

/** Where a manifest and the configuration disagree: the platform would refuse what the app believes is its own. */
function otherRegistration({ clientId, scopes }: App, { identity }: Manifest): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const differs = (path: string, declared: unknown, configured: unknown, fix: string) => {
    const message = `is ${valueText(declared)}, but the configuration has ${valueText(configured)}: ${fix}`;
    problems.push({ path, message, kind: "unusual" });
  };
  if (identity.clientId !== null && identity.clientId !== clientId) {
    const fix = "set clientId of the app, or APP_SIM_CLIENT_ID";
    differs("authentication.clientId", identity.clientId, clientId, fix);
  }
  const isDecided = scopes.length > 0 && identity.scopes.length > 0;
  if (isDecided && String([...scopes].sort()) !== String([...identity.scopes].sort())) {
    differs("scopes", identity.scopes, scopes, "the app may request only the latter");
  }
  return problems;
}

/** Marks the choices that the reading of these guards relied on, for the result. */
export function readGuardChoices(guards: readonly GuardModule[], choices: ChoiceReader): void {
  if (guards.some(({ isDefaultType }) => isDefaultType)) choices.relyOn("guard.type.default");
  if (guards.some((guard) => guard.hasOtherWords)) choices.relyOn("manifest.names");
}

/** The call that fetches a manifest. */
export function manifestCall(url: string): Omit<AppCall, "signal"> {
  return {
    method: "GET",
    url,
    headers: [
      ["accept", "application/json"],
      ["accept-encoding", "identity"],
    ],
    body: new Uint8Array(),
    timeoutMs: MANIFEST_TIMEOUT_MS,
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  };
}

async function fetchManifest(
  context: SimulatorContext,
  url: string,
  app: App,
): Promise<{ ok: true; value: unknown } | Unread> {
  const called = await callApp(context, { purpose: "manifest", module: null, ...manifestCall(url) });
  const exchange = called.record.id;
  const unread = ({ reason, hint }: Explanation, failure: Unread["failure"] = "other"): Unread => ({
    ok: false,
    failure,
    reason: `no manifest from ${url}: ${reason}`,
    hint,
    exchange,
  });
  if (!called.ok) return unread(called, called.failure);
  const { answer } = called;
  if (answer.status !== 200) return unread(explainManifestStatus(answer, url, app.url));
  const nothingThere = noManifestHint(url, app.url);
  const json = readJsonAnswer(answer, "a manifest", LEAST_MANIFEST);
  if (json.ok) return { ok: true, value: json.value };
  if (json.isPage === true) return unread({ ...json, hint: `${PAGE_INSTEAD} If so, ${nothingThere}` });
  return unread({ reason: json.reason, hint: json.isSlip === true ? json.hint : nothingThere });
}
