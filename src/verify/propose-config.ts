import { readChoices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import type { InstalledGuard, Person } from "../guard-checks/call.ts";
import { findPeople } from "../guard-checks/candidates.ts";
import { searchLoginLink } from "../oauth-checks/start.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { loadManifests } from "../platform/manifests.ts";
import { onOwnTargets } from "../platform/own-targets.ts";

type VerifySettings = Config["verify"];
type GuardSettings = VerifySettings["guards"][string];

/** What `verify --init` found out. */
export interface ProposedConfig {
  /** The command that the proposal is for. */
  readonly command: "verify";
  /** The block `verify` of the configuration, as far as it could be found. */
  readonly verify: Partial<VerifySettings>;
  /** What the app's owner has to add. */
  readonly warnings: string[];
}

/** The number of the run that its requests are recorded under. */
const RUN = 1;

/**
 * Finds out what `verify` can be told: whom each guard lets in and whom it does not, and where a login by OAuth starts.
 * @throws UsageError for an app at a public address, or an invalid manifest
 */
export async function proposeConfig(given: SimulatorContext): Promise<ProposedConfig> {
  const context = await onOwnTargets(given, false);
  const installed = await loadManifests(context);
  if (!installed.ok) return { command: "verify", verify: {}, warnings: [installed.reason] };
  const guards: Record<string, GuardSettings> = {};
  const warnings: string[] = [...installed.warnings];
  for (const app of installed.apps) {
    for (const module of app.manifest.guards) {
      const found = await tryGuard(context, { installed: app, module });
      if (Object.keys(found).length > 0) guards[module.key] = found;
      const where = `verify.guards.${module.key}`;
      if (found.lets === undefined) warnings.push(`nobody was let in by ${module.key}: say who is (${where}.lets)`);
      if (module.type !== "direct") {
        warnings.push(`say how the page of ${module.key} is passed and failed (${where}.pass and .fail)`);
      }
    }
  }
  const [app] = context.config.apps;
  const link = app === undefined ? null : await searchLoginLink(context, app, RUN);
  if (link?.ok !== true)
    warnings.push("no link was found that starts a login by OAuth: say where it is (verify.oauth.start)");
  return {
    command: "verify",
    verify: {
      ...(Object.keys(guards).length === 0 ? {} : { guards }),
      ...(link?.ok === true ? { oauth: { start: link.path } } : {}),
    },
    warnings,
  };
}

async function tryGuard(context: SimulatorContext, guard: InstalledGuard): Promise<GuardSettings> {
  const search = { context, choices: readChoices(context.choices), run: RUN };
  const { passes, asked } = await findPeople(search, guard, `guard.first:${guard.module.key}`);
  const somebody = ({ user, ipAddress }: Person) => ({ user: user.role, ip: ipAddress });
  const [denied] = asked;
  return {
    ...(passes === null ? {} : { lets: somebody(passes) }),
    ...(denied === undefined ? {} : { denies: somebody(denied) }),
  };
}
