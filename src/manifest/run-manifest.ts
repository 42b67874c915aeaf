import { readChoices } from "../config/choices.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { warningText } from "../platform/manifest-problems.ts";
import {
  type Installed,
  type InstalledApp,
  loadManifests,
  manifestSource,
  readGuardChoices,
} from "../platform/manifests.ts";
import { completeManifest } from "../platform/usable-manifest.ts";
import { joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { ManifestResult } from "./manifest-result.ts";

type Problem = ManifestResult["problems"][number];
/** What is wrong with manifests that cannot be used. */
type Unusable = Pick<ManifestResult, "reason" | "hint" | "failure" | "problems">;

/**
 * Reads the manifest of every installed app and says what the platform makes of it (interface 2.1). All mistakes are in
 * the result in the same form: invalid JSON, a missing key, a misspelt type.
 * @throws UsageError for a file that cannot be read
 */
export async function runManifest(context: SimulatorContext): Promise<ManifestResult> {
  const choices = readChoices(context.choices);
  const read = await readAll(context);
  const command = "manifest";
  if (!("apps" in read)) {
    return { command, outcome: "failed", ...read, apps: [], warnings: [], choices: choices.used() };
  }
  const guards = read.apps.flatMap(({ manifest }) => manifest.guards);
  readGuardChoices(guards, choices);
  const problems = read.problems.map(
    ({ app, path, message, kind }): Problem => ({
      app,
      path,
      message,
      severity: kind === "slip" ? "error" : "warning",
    }),
  );
  const isWrong = problems.some(({ severity }) => severity === "error");
  return {
    command,
    outcome: isWrong ? "failed" : "ok",
    reason: isWrong ? reasonOf(read.apps) : null,
    hint: isWrong ? completeManifest() : null,
    failure: isWrong ? "other" : null,
    problems,
    apps: read.apps.map(withFullAddresses),
    warnings: problems.filter(({ severity }) => severity === "warning").map(warningText),
    choices: choices.used(),
  };
}

function reasonOf(apps: readonly InstalledApp[]): string {
  const has = "the manifest has mistakes";
  return apps.some(({ manifest }) => manifest.unusable.length > 0)
    ? `${has}; modules that cannot be used because of them are not listed`
    : has;
}

async function readAll(context: SimulatorContext): Promise<(Installed & { readonly ok: true }) | Unusable> {
  const { apps } = context.config;
  /** With several apps, the one whose manifest the text names. */
  const appOf = (text: string) => (apps.find((app) => text.includes(manifestSource(app))) ?? apps[0])?.url ?? "";
  const whole = (message: string): Problem => ({ app: appOf(message), path: "", message, severity: "error" });
  try {
    const installed = await loadManifests(context);
    if (installed.ok) return installed;
    const { reason, hint, failure } = installed;
    return { reason, hint, failure, problems: [whole(reason)] };
  } catch (error) {
    const isOfApp = error instanceof UsageError && (error.code === "manifest-invalid" || error.code === "not-json");
    if (!isOfApp) throw error;
    const { summary, hint } = error;
    const problems = error.problems.map(
      ({ path, message, severity = "error" as const }): Problem => ({ app: appOf(summary), path, message, severity }),
    );
    return { reason: summary, hint, failure: "other", problems: problems.length === 0 ? [whole(summary)] : problems };
  }
}

function withFullAddresses({
  app,
  manifest: { guards, imports, webhooks },
}: InstalledApp): ManifestResult["apps"][number] {
  const full = (url: string) => joinUrl(app.url, url);
  return {
    url: app.url,
    source: manifestSource(app),
    guards: guards.map(({ isDefaultType: _, hasOtherWords: __, ...guard }) => ({
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
