import { readChoices } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { type InstalledApp, loadManifests, manifestSource, readGuardChoices } from "../platform/manifests.ts";
import { joinUrl } from "../protocol/url.ts";
import type { ManifestResult } from "./manifest-result.ts";

/** Reads the manifest of every installed app and says what the platform makes of it (interface 2.1). */
export async function runManifest(context: SimulatorContext): Promise<ManifestResult> {
  const choices = readChoices(context.choices);
  const installed = await loadManifests(context, true);
  const command = "manifest";
  if (!installed.ok) {
    const { reason, hint, failure } = installed;
    return { command, outcome: "failed", reason, hint, failure, apps: [], warnings: [], choices: choices.used() };
  }
  const guards = installed.apps.flatMap(({ manifest }) => manifest.guards);
  readGuardChoices(guards, choices);
  const apps = installed.apps.map(withFullAddresses);
  const warnings = [...installed.warnings];
  return { command, outcome: "ok", reason: null, hint: null, failure: null, apps, warnings, choices: choices.used() };
}

function withFullAddresses({
  app,
  manifest: { guards, imports, webhooks },
}: InstalledApp): ManifestResult["apps"][number] {
  const full = (url: string) => joinUrl(app.url, url);
  return {
    url: app.url,
    source: manifestSource(app),
    guards: guards.map(({ isDefaultType: _, ...guard }) => ({
      ...guard,
      url: full(guard.url),
      optionsUrl: guard.optionsUrl === null ? null : full(guard.optionsUrl),
    })),
    imports: imports.map(({ key, url, signaturePatterns }) => ({ key, url: full(url), signaturePatterns })),
    webhooks: webhooks.map(({ key, url, events, environments }) => ({
      key,
      url: full(url),
      events: [...events],
      environments: environments === null ? null : [...environments],
    })),
  };
}
