import path from "node:path";
import { readChoices } from "../../config/choices.ts";
import { loadManifests } from "../../platform/manifests.ts";
import { requireUsable } from "../../platform/require-usable.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { closeStrings, type ImportSource, type PlannedJob, planJobs } from "../files/plan-jobs.ts";
import { type SavedJob, savedDocument } from "../files/saved-jobs.ts";
import { openWhole, type WholeFile } from "../files/write-whole.ts";
import type { ImportContext } from "../import-context.ts";
import type { ImportResult } from "../import-result.ts";
import { importingUser } from "../rules/import-access.ts";
import { importOne } from "./import-one.ts";
import type { ImportOptions } from "./import-options.ts";

/**
 * Sends each job to the first installed post-import module that fits its file (interface 2.1, 2.3). All fixtures are
 * read before the first job is sent.
 * @throws UsageError for fixtures, options and expected answers that are not valid
 */
export async function runImport(
  context: ImportContext,
  sources: readonly ImportSource[],
  options: ImportOptions,
): Promise<ImportResult> {
  const choices = readChoices(context.choices);
  const user = importingUser(context.config.users, options.user ?? context.config.postImport.user);
  if (sources.length === 0) throw new UsageError("no-fixture", "postImport(): there is no fixture", "give one");
  const planned = await planJobs(context, choices, sources, options);
  const saved: SavedJob[] = [];
  let save: WholeFile | null = null;
  try {
    if (options.save !== undefined) save = await openSave(options.save, planned);
    const installed = await loadManifests(context);
    if (installed.ok) requireUsable(installed.apps, "file-post-import", "any");
    const run = { context, choices, options, user, installed };
    for (const job of planned) saved.push(await importOne(run, job));
    await save?.write(savedDocument(saved));
    return {
      command: "post-import",
      jobs: saved.map(({ imported }) => imported),
      warnings: [...(installed.ok ? installed.warnings : []), ...warningsOf(saved)],
      choices: choices.used(),
    };
  } finally {
    await save?.discard();
    closeStrings(planned);
    for (const { received } of saved) received?.close();
  }
}

/** Only this user may read an app's answers; a fixture is never overwritten. */
async function openSave(file: string, planned: readonly PlannedJob[]): Promise<WholeFile> {
  if (planned.some(({ fixture }) => fixture.file !== null && path.resolve(fixture.file) === path.resolve(file))) {
    throw new UsageError("file-unwritable", `--save ${file} is the fixture itself`, "give another name");
  }
  return openWhole(file, "--save", 0o600);
}

function warningsOf(saved: readonly SavedJob[]): string[] {
  const ofFixtures = new Set(saved.flatMap(({ planned }) => planned.fixture.warnings));
  const withSecrets = saved.filter(({ received }) => received?.hadSecrets === true);
  return [
    ...ofFixtures,
    ...withSecrets.map(
      ({ planned }) => `${planned.fixture.name}: the answer holds a secret or a token, which is not kept`,
    ),
  ];
}
