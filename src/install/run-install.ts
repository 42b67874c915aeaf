import { z } from "zod";
import { explainStatus } from "../app-client/read-answer.ts";
import { type ChoiceReader, readChoices } from "../config/choices.ts";
import { type App, roles, type User } from "../config/schema.ts";
import { findUser, installingUser } from "../config/users.ts";
import type { OAuthRecord } from "../journal/record.ts";
import { isDecisionAbout } from "../oauth/decisions-about.ts";
import type { OAuth } from "../oauth/endpoints/oauth.ts";
import { installationEvent, installationGrant } from "../oauth/rules/installation.ts";
import { type CallResult, callApp, type SimulatorContext } from "../platform/context.ts";
import { loadManifests } from "../platform/manifests.ts";
import type { InstallResult, ToldApp } from "../platform/results.ts";
import { INSTALL_TIMEOUT_MS, SMALL_ANSWER_LIMIT_BYTES } from "../protocol/limits.ts";
import { joinUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Options of an installation, and of its end. */
export const installOptionsSchema = z.strictObject({
  user: z
    .enum(roles)
    .optional()
    .describe("who does it: the first user with this role; default the owner, else an admin, else the first user"),
});
export type InstallOptions = z.input<typeof installOptionsSchema>;

type InstallCommand = InstallResult["command"];

/** The member of a manifest's `events` that each command tells. */
const eventOf = { install: "installed", uninstall: "uninstall" } as const;

/**
 * Tells every app whose manifest names an address for it that it was installed, or is no more (choice
 * `install.event`). While the call is open the app counts as installed, and may ask for the installation grant. After
 * it, an app that did not answer an installation with 2XX, or was uninstalled, is not installed: it gets no grant, and
 * all that was granted to it is revoked.
 * @throws UsageError where the choice is off, or nobody has the role
 */
export async function runInstall(
  context: SimulatorContext,
  oauth: Pick<OAuth, "installed" | "revokeAll">,
  command: InstallCommand,
  { user: role }: InstallOptions,
): Promise<InstallResult> {
  const choices = readChoices(context.choices);
  if (choices.get("install.event") === "off") throw eventsAreOff(command);
  const user = role === undefined ? installingUser(context.config) : findUser(context.config, role);
  const blank = { command, reason: null, hint: null, failure: null, apps: [], warnings: [] };
  const manifests = await loadManifests(context);
  if (!manifests.ok) {
    const { reason, hint, failure } = manifests;
    return { ...blank, outcome: "failed", reason, hint, failure, choices: choices.used() };
  }
  const event = eventOf[command];
  const untold = manifests.apps.filter(({ manifest }) => manifest.events[event] === null);
  if (untold.length === manifests.apps.length) {
    const warnings = [...manifests.warnings];
    return { ...blank, ...noEvent(event), outcome: "no-event", warnings, choices: choices.used() };
  }
  const apps: ToldApp[] = [];
  for (const { app, manifest } of manifests.apps) {
    const address = manifest.events[event];
    if (address === null) continue;
    if (command === "install") oauth.installed.add(app);
    const told = await tell(context, choices, app, joinUrl(app.url, address), command, user);
    if (told.state === "not-installed") {
      oauth.installed.delete(app);
      oauth.revokeAll(app);
    }
    apps.push(told);
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
      ...untold.map(({ app }) => `the manifest of ${app.url} names no events.${event}: nothing was sent there`),
    ],
    choices: choices.used(),
  };
}

function eventsAreOff(command: InstallCommand): UsageError {
  return new UsageError(
    "install-off",
    `${command}: the choice install.event is off, because the interface shows no installation event: the platform sends none`,
    "--choose install.event=on, or the same in the config file or a profile, where the deployment does send them",
  );
}

function noEvent(event: "installed" | "uninstall") {
  return {
    reason: `no manifest names events.${event}: there is no address to send it to`,
    hint: 'beside "modules", a manifest says "events": {"installed": "/installed", "uninstall": "/uninstall"}',
  };
}

async function tell(
  context: SimulatorContext,
  choices: ChoiceReader,
  app: App,
  url: string,
  command: InstallCommand,
  user: User,
): Promise<ToldApp> {
  const { organization } = context.config;
  const event = installationEvent(app, organization, user, await context.listen(), choices.get("install.names"));
  choices.relyOn("oauth.grant.installation");
  const decisions: OAuthRecord[] = [];
  const isOwn = isDecisionAbout(app, context.config);
  const stop = context.journal.subscribe((record) => {
    if (isOwn(record)) decisions.push(record);
  });
  const called = await callApp(context, command, null, {
    method: "POST",
    url,
    headers: [
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
    ],
    body: Buffer.from(JSON.stringify(event)),
    timeoutMs: INSTALL_TIMEOUT_MS,
    sizeLimit: SMALL_ANSWER_LIMIT_BYTES,
  }).finally(stop);
  const grant = grantIn(decisions);
  const ending = endingOf(called);
  return {
    app: app.url,
    url,
    status: called.record.response?.status ?? null,
    ms: called.record.timings.totalMs,
    exchange: called.record.id,
    ...ending,
    hint: ending.failure === "other" ? (refusalHint(grant, context) ?? ending.hint) : ending.hint,
    state: command === "install" && ending.failure === null ? "installed" : "not-installed",
    grant,
    exchanges: decisions.map(({ exchange }) => exchange),
  };
}

function endingOf(called: CallResult): Pick<ToldApp, "reason" | "hint" | "failure"> {
  if (!called.ok) return { reason: called.reason, hint: called.hint, failure: called.failure };
  const { status } = called.answer;
  if (status >= 200 && status <= 299) return { reason: null, hint: null, failure: null };
  return { ...explainStatus(called.answer, "body"), failure: "other" };
}

/** Whether the app asked for the installation grant: a request that failed before its grant was read may have been one. */
function grantIn(requests: readonly OAuthRecord[]): ToldApp["grant"] {
  const asked = requests.filter(({ step }) => step === "installation" || step === "token");
  const answered = asked.find(({ outcome }) => outcome === "ok") ?? asked.at(-1);
  if (answered === undefined) return { outcome: "not-asked", error: null, reason: null, exchange: null };
  const { outcome, error, reason, exchange } = answered;
  return { outcome: outcome === "ok" ? "granted" : "refused", error, reason, exchange };
}

/** An app that was refused a token can do little but fail: then that is what to look at first. */
function refusalHint({ outcome, error, reason }: ToldApp["grant"], { choices }: SimulatorContext): string | null {
  if (outcome !== "refused") return null;
  const why = `meanwhile the app asked for a token and was refused: ${error}: ${reason}`;
  const isOff = error === "unsupported_grant_type" && installationGrant(choices) === null;
  return isOff ? `${why}; --choose oauth.grant.installation=NAME turns the installation grant on` : why;
}
