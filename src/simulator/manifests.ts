import type { Explanation } from "../checks/explain-outcome.ts";
import { explainStatus, readJsonAnswer } from "../checks/read-answer.ts";
import { readJsonFile } from "../config/json-file.ts";
import type { App } from "../config/schema.ts";
import type { ChoiceReader } from "../protocol/choices.ts";
import { MANIFEST_TIMEOUT_MS, SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { type GuardModule, type Manifest, parseManifest } from "../protocol/manifest.ts";
import { isHttpUrl, joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { callApp, type SimulatorContext } from "./context.ts";
import type { Failure } from "./results.ts";

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

/**
 * Reads the manifest of every installed app, in their order.
 * @throws UsageError for a manifest that breaks interface 2.1, with all its errors
 */
export async function loadManifests(context: SimulatorContext): Promise<Installed> {
  const apps: InstalledApp[] = [];
  const warnings: string[] = [];
  for (const app of context.config.apps) {
    const source = manifestSource(app);
    const loaded = isHttpUrl(source)
      ? await fetchManifest(context, source)
      : { ok: true as const, value: await readJsonFile(source, "manifest") };
    if (!loaded.ok) return loaded;
    const parsed = parseManifest(loaded.value, context.choices["guard.type.default"]);
    if (parsed.manifest === null) {
      throw new UsageError(
        "manifest-invalid",
        `the manifest ${source} is not valid`,
        "fixtures/manifests/access-control.json of app-sim is a complete one",
        [
          ...parsed.errors,
          ...parsed.warnings.map(({ path, message }) => ({ path, message: `${message} (a warning)` })),
        ],
      );
    }
    apps.push({ app, manifest: parsed.manifest });
    warnings.push(...parsed.warnings.map(({ path, message }) => `manifest: ${path} ${message}`));
  }
  return { ok: true, apps, warnings };
}

/** Asks for the choices that the reading of these guards relied on, so that the result can name them. */
export function readGuardChoices(guards: readonly GuardModule[], choices: ChoiceReader): void {
  if (guards.length > 0) choices.relyOn("manifest.fieldTypes");
  if (guards.some(({ optionsUrl }) => optionsUrl !== null)) choices.relyOn("manifest.optionsUrl");
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
