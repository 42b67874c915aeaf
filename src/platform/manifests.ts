import { callApp } from "../app-client/call-app.ts";
import type { Explanation } from "../app-client/explain-outcome.ts";
import { explainStatus, readJsonAnswer } from "../app-client/read-answer.ts";
import type { ChoiceReader } from "../config/choices.ts";
import { readJsonFile } from "../config/json-file.ts";
import type { App } from "../config/schema.ts";
import { MANIFEST_TIMEOUT_MS, SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { isHttpUrl, joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { SimulatorContext } from "./context.ts";
import { type GuardModule, type Manifest, parseManifest } from "./manifest.ts";
import type { ManifestMemory } from "./manifest-memory.ts";
import type { Failure } from "./result-parts.ts";

/** An installed app with its modules. */
export interface InstalledApp {
  readonly app: App;
  readonly manifest: Manifest;
}

/** The manifests of all installed apps, or why one could not be had. */
export type Installed =
  | {
      readonly ok: true;
      readonly apps: readonly InstalledApp[];
      readonly warnings: readonly string[];
    }
  | ({ readonly ok: false; readonly failure: Exclude<Failure, null>; readonly exchange: string } & Explanation);

/** Where an app's manifest is: as configured, or `{app_base_url}/manifest.json`. */
export function manifestSource(app: App): string {
  return app.manifest ?? joinUrl(app.url, "/manifest.json");
}

/** The manifest of one app, as it is to be used now. */
type Read =
  | { readonly ok: true; readonly manifest: Manifest; readonly warnings: readonly string[] }
  | Extract<Installed, { ok: false }>;

/**
 * Reads the manifest of every installed app, in their order. Where the simulator remembers manifests, the last good
 * one of an app stands in for one that cannot be used now, with a warning (hardening R38).
 * @throws UsageError for a manifest that breaks interface 2.1, with all its errors, when none stands in for it
 */
export async function loadManifests(context: SimulatorContext): Promise<Installed> {
  const apps: InstalledApp[] = [];
  const warnings: string[] = [];
  for (const { app, settled } of await readEach(context)) {
    if (settled.status === "rejected") throw settled.reason;
    const read = settled.value;
    if (!read.ok) return read;
    apps.push({ app, manifest: read.manifest });
    warnings.push(...read.warnings);
  }
  return { ok: true, apps, warnings };
}

/** Reads one after another: all of them where they are remembered, else as far as they are good. */
async function readEach(context: SimulatorContext) {
  const { manifests: memory, config } = context;
  const all: { readonly app: App; readonly settled: PromiseSettledResult<Read> }[] = [];
  for (const app of config.apps) {
    const reading = memory === null ? readManifest(context, app) : readOrRemember(context, app, memory);
    const [settled] = await Promise.allSettled([reading]);
    all.push({ app, settled });
    if (memory === null && (settled.status === "rejected" || !settled.value.ok)) break;
  }
  return all;
}

async function readOrRemember(context: SimulatorContext, app: App, memory: ManifestMemory): Promise<Read> {
  const source = manifestSource(app);
  const standIn = (problem: Explanation): Read | null => {
    const manifest = memory.readBadly(app, source, problem);
    if (manifest === null) return null;
    return { ok: true, manifest, warnings: [`${problem.reason}; the last good manifest stays in use`] };
  };
  try {
    const read = await readManifest(context, app);
    if (!read.ok) return read.failure === "interrupted" ? read : (standIn(read) ?? read);
    memory.readWell(app, source, read.manifest, read.warnings);
    return read;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const instead = standIn({ reason: error.message, hint: error.hint });
    if (instead === null) throw error;
    return instead;
  }
}

async function readManifest(context: SimulatorContext, app: App): Promise<Read> {
  const source = manifestSource(app);
  const loaded = isHttpUrl(source)
    ? await fetchManifest(context, source)
    : { ok: true as const, value: await readJsonFile(source, "manifest") };
  if (!loaded.ok) return loaded;
  const { manifest, errors, warnings } = parseManifest(
    loaded.value,
    context.choices["guard.type.default"],
    context.choices["install.event"] === "on",
  );
  if (manifest === null) {
    throw new UsageError(
      "manifest-invalid",
      `the manifest ${source} is not valid`,
      "fixtures/manifests/access-control.json of app-sim is a complete one",
      [...errors, ...warnings.map(({ path, message }) => ({ path, message: `${message} (a warning)` }))],
    );
  }
  return { ok: true, manifest, warnings: warnings.map(({ path, message }) => `manifest: ${path} ${message}`) };
}

/** Notes the choice that the reading of these guards relied on. */
export function readGuardChoices(guards: readonly GuardModule[], choices: ChoiceReader): void {
  if (guards.some(({ isDefaultType }) => isDefaultType)) choices.relyOn("guard.type.default");
}

async function fetchManifest(
  context: SimulatorContext,
  url: string,
): Promise<{ ok: true; value: unknown } | Extract<Installed, { ok: false }>> {
  const called = await callApp(context, "manifest", null, {
    method: "GET",
    url,
    headers: [
      ["accept", "application/json"],
      ["accept-encoding", "identity"],
    ],
    body: new Uint8Array(),
    timeoutMs: MANIFEST_TIMEOUT_MS,
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  });
  const exchange = called.record.id;
  const because = (reason: string) => `no manifest from ${url}: ${reason}`;
  if (!called.ok)
    return { ok: false, failure: called.failure, reason: because(called.reason), hint: called.hint, exchange };
  const { answer } = called;
  const hint = "serve the manifest there, or give it with --manifest FILE|URL";
  if (answer.status !== 200)
    return { ok: false, failure: "other", reason: because(explainStatus(answer, "none").reason), hint, exchange };
  const json = readJsonAnswer(answer, "a manifest");
  return json.ok
    ? { ok: true, value: json.value }
    : { ok: false, failure: "other", reason: because(json.reason), hint, exchange };
}
