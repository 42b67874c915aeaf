import { setImmediate } from "node:timers/promises";
import type { ChoiceReader } from "../../config/choices.ts";
import type { App, User } from "../../config/schema.ts";
import type { ImportModule } from "../../platform/manifest.ts";
import type { InstalledApp } from "../../platform/manifests.ts";
import type { PlannedJob } from "../files/plan-jobs.ts";
import type { ImportContext } from "../import-context.ts";
import { importAccess } from "../rules/import-access.ts";
import { importMismatch } from "../rules/import-modules.ts";
import type { ImportFailure } from "./imported-job.ts";

type ModuleChoice =
  | { readonly ok: true; readonly app: App; readonly module: ImportModule }
  | ({ readonly ok: false } & ImportFailure);

export const interrupted = { reason: "interrupted before it was sent", hint: null, failure: "interrupted" } as const;

/**
 * The first installed post-import module that this user may use (interface 1) and that fits the file (interface 2.1,
 * signaturePatterns), or why there is no such module.
 */
export async function chooseModule(
  { config, patterns, signal }: ImportContext,
  apps: readonly InstalledApp[],
  { job, fixture }: PlannedJob,
  user: User,
  choices: ChoiceReader,
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
