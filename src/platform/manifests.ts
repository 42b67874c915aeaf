import { callApp } from "../app-client/call-app.ts";
import type { Explanation } from "../app-client/explain-outcome.ts";
import type { AppCall } from "../app-client/ports.ts";
import { explainStatus, readJsonAnswer } from "../app-client/read-answer.ts";
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
import { type AppIdentity, readIdentity } from "./manifest-words.ts";
import type { Failure } from "./result-parts.ts";

/** An installed app with its modules. */
export interface InstalledApp {
  readonly app: App;
  readonly manifest: Manifest;
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
      readonly warnings: readonly string[];
      readonly problems: readonly ManifestProblem[];
    }
  | Unread;

/** Where an app's manifest is: as configured, or `{app_base_url}/manifest.json`. */
export function manifestSource(app: App): string {
  return app.manifest ?? joinUrl(app.url, "/manifest.json");
}

/**
 * Reads the manifest of every installed app, in their order. If the simulator remembers manifests, the last good
 * one of an app replaces one that cannot be used, with a warning (hardening R38).
 * @throws UsageError for a manifest that breaks interface 2.1, with all its errors, unless it is replaced
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
      apps.push({ app, manifest: settled.value.manifest });
      warnings.push(...settled.value.warnings);
      problems.push(...settled.value.problems.map((problem) => ({ ...problem, app: app.url })));
    }
    // A memory has to know all manifests, whatever is wrong with the first.
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
    ? await fetchManifest(context, source)
    : { ok: true as const, value: await readJsonFile(source, "manifest", SMALL_ANSWER_LIMIT_BYTES) };
  if (!loaded.ok) return loaded;
  const { manifest, errors, warnings } = parseManifest(
    loaded.value,
    context.choices["guard.type.default"],
    context.choices["install.event"] === "on",
    [app.url, ...app.fileOrigins],
    context.choices["manifest.names"],
  );
  if (manifest === null) {
    throw new UsageError(
      "manifest-invalid",
      `the manifest ${source} is not valid`,
      likelyProfile(context, readIdentity(loaded.value)) ??
        "fixtures/manifests/access-control.json of app-sim is a complete one",
      [...errors, ...warnings.map(({ path, message }) => ({ path, message, severity: "warning" as const }))],
    );
  }
  context.identities.set(app.clientId, manifest.identity);
  const profile = likelyProfile(context, manifest.identity);
  const problems = [
    ...warnings,
    ...otherClient(app, manifest),
    ...(profile === null ? [] : [{ path: "", message: profile, kind: "unusual" as const }]),
  ];
  return { ok: true, manifest, warnings: shortWarnings(problems), problems };
}

/** What every command says of a manifest: several unknown members are counted. */
function shortWarnings(problems: readonly ManifestProblem[]): string[] {
  const unknown = problems.filter(({ kind }) => kind === "unknown");
  const isShort = unknown.length > 1;
  const listed = isShort ? problems.filter((problem) => !unknown.includes(problem)) : problems;
  const counted = `manifest: ${unknown.length} members are not part of the interface, and ignored: app-sim manifest lists them`;
  return [...listed.map(warningText), ...(isShort ? [counted] : [])];
}

/** The manifest of a deployment that a profile is shipped for, as long as nothing of it is switched on. */
function likelyProfile({ choices }: SimulatorContext, { identifier, grant }: AppIdentity): string | null {
  if (identifier === null || grant === null || choices["install.event"] !== "off") return null;
  return /^crowdin_/.test(grant) ? "the manifest looks like that of a Crowdin app: --profile crowdin" : null;
}

/** A manifest that names another client than the configuration: the app would be refused wherever it names itself. */
function otherClient({ clientId }: App, { identity }: Manifest): ManifestProblem[] {
  if (identity.clientId === null || identity.clientId === clientId) return [];
  const message = `is ${valueText(identity.clientId)}, but the configuration has ${valueText(clientId)}: set clientId of the app, or APP_SIM_CLIENT_ID`;
  return [{ path: "authentication.clientId", message, kind: "unusual" }];
}

/** Names the choices on which the reading of these guards relied in the result. */
export function readGuardChoices(guards: readonly GuardModule[], choices: ChoiceReader): void {
  if (guards.some(({ isDefaultType }) => isDefaultType)) choices.relyOn("guard.type.default");
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

async function fetchManifest(context: SimulatorContext, url: string): Promise<{ ok: true; value: unknown } | Unread> {
  const called = await callApp(context, "manifest", null, manifestCall(url));
  const exchange = called.record.id;
  const hint = "serve the manifest there, or give it with --manifest FILE|URL";
  const unread = (reason: string, failure: Unread["failure"] = "other", tip: string | null = hint): Unread => ({
    ok: false,
    failure,
    reason: `no manifest from ${url}: ${reason}`,
    hint: tip,
    exchange,
  });
  if (!called.ok) return unread(called.reason, called.failure, called.hint);
  const { answer } = called;
  if (answer.status !== 200) return unread(explainStatus(answer, "none").reason);
  const json = readJsonAnswer(answer, "a manifest");
  return json.ok ? { ok: true, value: json.value } : unread(json.reason);
}
