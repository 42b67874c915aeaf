import { type CallResult, callApp } from "../app-client/call-app.ts";
import { explainStatus } from "../app-client/explain-status.ts";
import { type ChoiceReader, readChoices } from "../config/choices.ts";
import type { App, User } from "../config/schema.ts";
import { findUser, installingUser } from "../config/users.ts";
import type { OAuthRecord } from "../journal/record.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import {
  agentIdOf,
  appIdOf,
  type GrantedByEvent,
  installationEvent,
  installationGrants,
} from "../oauth/rules/installation.ts";
import { makeCallCode } from "../platform/call-code.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { type InstalledApp, loadManifests } from "../platform/manifests.ts";
import { listenForRequests } from "../platform/own-requests.ts";
import { INSTALL_TIMEOUT_MS, SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { InstallOptions } from "./install-options.ts";
import type { AppInstallation, InstallResult } from "./install-result.ts";

type InstallCommand = InstallResult["command"];

/** The member of a manifest's `events` that names the address for each command. */
const eventOf = { install: "installed", uninstall: "uninstall" } as const;

/**
 * Sends an installation event (choice `install.event`) to every app whose manifest names an address for it. During the
 * call the app counts as installed, and may ask for the installation grant. Afterwards an app that was uninstalled, or
 * did not answer its installation with 2XX, is not installed: it gets no grant, and all its grants are revoked.
 * @throws UsageError if the choice is off, or no user has the role
 */
export async function runInstall(
  context: SimulatorContext,
  oauth: Pick<OAuth, "setInstalled" | "issueInstallationCode">,
  command: InstallCommand,
  { user: role }: InstallOptions,
): Promise<InstallResult> {
  const choices = readChoices(context.choices);
  if (choices.get("install.event") === "off") {
    throw new UsageError(
      "install-off",
      `${command}: the choice install.event is off, because the interface shows no installation event`,
      "if your deployment sends them: --choose install.event=on, or the same in the config file or a profile",
    );
  }
  const user = role === undefined ? installingUser(context.config) : findUser(context.config, role);
  const blank = { command, reason: null, hint: null, failure: null, apps: [], warnings: [] };
  const manifests = await loadManifests(context);
  if (!manifests.ok) {
    const { reason, hint, failure } = manifests;
    return { ...blank, outcome: "failed", reason, hint, failure, choices: choices.used() };
  }
  const event = eventOf[command];
  const unnamed = manifests.apps.filter(({ manifest }) => manifest.events[event] === null);
  if (unnamed.length === manifests.apps.length) {
    return {
      ...blank,
      outcome: "no-event",
      reason: `no manifest names events.${event}: there is no address to send the event to`,
      hint: 'next to "modules", the manifest needs "events": {"installed": "/installed", "uninstall": "/uninstall"}',
      warnings: [...manifests.warnings],
      choices: choices.used(),
    };
  }
  const apps: AppInstallation[] = [];
  for (const { app, manifest } of manifests.apps) {
    const address = manifest.events[event];
    if (address === null) continue;
    if (command === "install") oauth.setInstalled(app, true);
    const issueCode = () => oauth.issueInstallationCode(app, user);
    const granted = command === "install" ? grantedByEvent(context, choices, { app, manifest }, issueCode) : {};
    const notified = await notify(context, choices, app, { command, url: joinUrl(app.url, address), user, granted });
    if (notified.state === "not-installed") oauth.setInstalled(app, false);
    apps.push(notified);
  }
  const failed = apps.find(({ failure }) => failure !== null);
  return {
    ...blank,
    outcome: failed === undefined ? (command === "install" ? "installed" : "uninstalled") : "failed",
    reason: failed?.reason ?? null,
    hint: failed?.hint ?? null,
    failure: failed?.failure ?? null,
    apps,
    warnings: [
      ...manifests.warnings,
      ...unnamed.map(({ app }) => `the manifest of ${app.url} names no events.${event}: nothing was sent there`),
    ],
    choices: choices.used(),
  };
}

/**
 * The event's data for the grant that the manifest names: a code to exchange, or the id of the app's agent.
 * @param issueCode issues an authorization code for this installation
 */
function grantedByEvent(
  { config, clock, ids }: SimulatorContext,
  choices: ChoiceReader,
  { app, manifest }: Pick<InstalledApp, "app" | "manifest">,
  issueCode: () => string,
): GrantedByEvent {
  const { grant } = manifest.identity;
  if (grant === "authorization_code") return { code: issueCode() };
  if (grant === choices.get("oauth.grant.callCode")) {
    const expiresAt = Math.floor(clock.now() / 1000) + choices.get("oauth.code.lifetime");
    return { code: makeCallCode(app, expiresAt, ids.next()) };
  }
  return grant === choices.get("oauth.grant.agent") ? { agentId: agentIdOf(app, config.apps) } : {};
}

interface Notification {
  readonly command: InstallCommand;
  /** Where the app gets the event. */
  readonly url: string;
  readonly user: User;
  readonly granted: GrantedByEvent;
}

async function notify(
  context: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  { command, url, user, granted }: Notification,
): Promise<AppInstallation> {
  const { organization } = context.config;
  const named = { ...app, appId: appIdOf(app, context.identities.get(app.clientId)) };
  const names = choices.get("install.names");
  const installation = { app: named, organization, user, baseUrl: await context.listen(), granted };
  const event = installationEvent(installation, names);
  choices.relyOn("oauth.grant.installation");
  const requests = listenForRequests(context, app);
  const called = await callApp(context, {
    purpose: command,
    module: null,
    method: "POST",
    url,
    headers: [
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
    ],
    body: Buffer.from(JSON.stringify(event)),
    timeoutMs: INSTALL_TIMEOUT_MS,
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  }).finally(requests.end);
  const decisions = requests.end();
  const grant = grantIn(decisions, context.choices);
  const outcome = outcomeOf(called);
  return {
    app: app.url,
    url,
    status: called.record.response?.status ?? null,
    ms: called.record.timings.totalMs,
    exchange: called.record.id,
    ...outcome,
    hint: outcome.failure === "other" ? (refusalHint(grant, context) ?? outcome.hint) : outcome.hint,
    state: command === "install" && outcome.failure === null ? "installed" : "not-installed",
    grant,
    exchanges: decisions.map(({ exchange }) => exchange),
  };
}

function outcomeOf(called: CallResult): Pick<AppInstallation, "reason" | "hint" | "failure"> {
  if (!called.ok) return { reason: called.reason, hint: called.hint, failure: called.failure };
  const { status } = called.answer;
  if (status >= 200 && status <= 299) return { reason: null, hint: null, failure: null };
  return { ...explainStatus(called.answer, { by: "body", url: called.record.request.url }), failure: "other" };
}

/** The outcome of the app's token request; one that failed before its grant type was read counts, too. */
function grantIn(requests: readonly OAuthRecord[], choices: SimulatorContext["choices"]): AppInstallation["grant"] {
  const types: Partial<Record<OAuthRecord["step"], string | null>> = {
    ...installationGrants(choices),
    exchange: "authorization_code",
    refresh: "refresh_token",
    token: null,
  };
  const asked = requests.filter(({ step }) => Object.hasOwn(types, step));
  const answered = asked.find(({ outcome }) => outcome === "ok") ?? asked.at(-1);
  if (answered === undefined) return { outcome: "not-asked", type: null, error: null, reason: null, exchange: null };
  const { outcome, step, error, reason, exchange } = answered;
  const type = types[step] ?? null;
  return { outcome: outcome === "ok" ? "granted" : "refused", type, error, reason, exchange };
}

/** The hint if the app was refused a token, which is probably why it failed. */
function refusalHint(
  { outcome, error, reason }: AppInstallation["grant"],
  { choices }: SimulatorContext,
): string | null {
  if (outcome !== "refused") return null;
  const why = `meanwhile the app's token request was refused: ${error}: ${reason}`;
  const isOff = error === "unsupported_grant_type" && installationGrants(choices).installation === null;
  return isOff ? `${why}; --choose oauth.grant.installation=NAME enables the installation grant` : why;
}
