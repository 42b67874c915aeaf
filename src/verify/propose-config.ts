import type { VerifyContext } from "../checking/verify-context.ts";
import { readChoices } from "../config/choices.ts";
import type { App, Config } from "../config/schema.ts";
import { searchLoginLink } from "../oauth-checks/start.ts";
import { loadManifests } from "../platform/manifests.ts";
import { onOwnTargets } from "../platform/own-targets.ts";
import { isHttpUrl, isSamePlace } from "../protocol/url.ts";
import { type GuardSettings, proposeGuard } from "./propose-guard.ts";
import { proposeWebhook } from "./propose-webhook.ts";

/** What `verify --init` found out. */
export interface ProposedConfig {
  /** The command that the proposal is for. */
  readonly command: "verify";
  /** What logins by OAuth need in the block `app`; absent if nothing is missing, or nothing was found. */
  readonly app?: Pick<App, "redirectUris">;
  /** The block `verify` of the configuration, as far as it could be found out. */
  readonly verify: Partial<Config["verify"]>;
  /** What the app's owner must add. */
  readonly warnings: string[];
}

/** The run number for the journal. */
const RUN = 1;

/**
 * Works out settings for `verify`: whom each guard lets in and whom it denies, how its page is passed and failed, which
 * headers of a delivery a webhook compares, and where a login by OAuth starts.
 * @throws UsageError for an app at a public address, or an invalid manifest
 */
export async function proposeConfig(given: VerifyContext): Promise<ProposedConfig> {
  const context = await onOwnTargets(given, false);
  const installed = await loadManifests(context);
  if (!installed.ok) return { command: "verify", verify: {}, warnings: [installed.reason] };
  const search = { context, choices: readChoices(context.choices), run: RUN };
  const guards: Record<string, GuardSettings> = {};
  const webhooks: Config["verify"]["webhooks"] = {};
  const warnings: string[] = [...installed.warnings];
  for (const app of installed.apps) {
    for (const module of app.manifest.guards) {
      const proposed = await proposeGuard(search, { installed: app, module });
      if (Object.keys(proposed.found).length > 0) guards[module.key] = proposed.found;
      warnings.push(...proposed.warnings);
    }
    for (const module of app.manifest.webhooks) {
      const found = await proposeWebhook(search, { installed: app, module });
      if (found !== null) webhooks[module.key] = found;
    }
  }
  const [app] = context.config.apps;
  const login = app === undefined ? null : await proposeLogin(context, app);
  return {
    command: "verify",
    ...(login?.app === undefined ? {} : { app: login.app }),
    verify: {
      ...(Object.keys(guards).length === 0 ? {} : { guards }),
      ...(Object.keys(webhooks).length === 0 ? {} : { webhooks }),
      ...(login?.oauth === undefined ? {} : { oauth: login.oauth }),
    },
    warnings: [...warnings, ...(login?.warnings ?? [])],
  };
}

interface ProposedLogin extends Pick<ProposedConfig, "app" | "warnings"> {
  readonly oauth?: NonNullable<Config["verify"]["oauth"]>;
}

/** Where a login by OAuth starts, and where the platform must send its users back to. */
async function proposeLogin(context: VerifyContext, app: App): Promise<ProposedLogin> {
  const link = await searchLoginLink(context, app, RUN);
  if (!link.ok) return { warnings: [`if users log in to the app by OAuth: ${link.reason}`] };
  const oauth = { start: link.path };
  if (app.redirectUris.length > 0) return { oauth, warnings: [] };
  const uri = link.redirectUri;
  if (uri !== null && isHttpUrl(uri) && isSamePlace(new URL(uri), new URL(app.url))) {
    return { oauth, app: { redirectUris: [uri] }, warnings: [] };
  }
  const lines = JSON.stringify({ app: { redirectUris: ["URL"] } });
  return {
    oauth,
    warnings: [
      `the app asks the platform to send its users to ${uri ?? "no address"}; set the right address: ${lines}`,
    ],
  };
}
