import type { Choices } from "../../config/choices.ts";
import { type InstallName, type InstallNames, installGrantNames } from "../../config/installation-names.ts";
import type { App, Organization, User } from "../../config/schema.ts";
import type { AppIdentity } from "../../platform/manifest-words.ts";
import { isSameSecret } from "../../protocol/same-secret.ts";
import { accept, type Judged, refuse } from "../../protocol/wire-answer.ts";
import { type Parameters, parameterOf } from "./oauth-parameters.ts";

/** What an app sends to prove its installation. */
export interface InstallationProof {
  readonly appId: string | null;
  readonly appSecret: string | null;
  readonly domain: string | null;
  readonly userId: string | null;
  readonly agentId: string | null;
  readonly code: string | null;
}

/** The extra members of an installation event for the grant that the app's manifest names. */
export interface GrantedByEvent {
  /** Id of the agent that the app acts as (choice `oauth.grant.agent`). */
  readonly agentId?: number;
  /**
   * For apps that exchange one: an authorization code, or one like that of each call (choice `oauth.grant.callCode`).
   */
  readonly code?: string;
}

/** The id of an app whose manifest has none. */
const DEFAULT_APP_ID = "app-sim-app";

/** The id of an installed app: the configured one, else the manifest's identifier. */
export function appIdOf({ appId }: Pick<App, "appId">, identity: AppIdentity | undefined): string {
  return appId ?? identity?.identifier ?? DEFAULT_APP_ID;
}

/** The first id of an agent; each installed app has its own. */
const AGENT_IDS = 900_000_001;

/** The id of the agent that an app acts as. */
export function agentIdOf({ clientId }: Pick<App, "clientId">, apps: readonly Pick<App, "clientId">[]): number {
  return AGENT_IDS + apps.findIndex((app) => app.clientId === clientId);
}

/** The choices that name the grants of installed apps. */
export type InstallationGrants = Pick<Choices, (typeof grantChoices)[InstallationGrant]>;

/** The kinds of these grants, as the journal names them, and the choices of their names. */
export const grantChoices = {
  installation: "oauth.grant.installation",
  agent: "oauth.grant.agent",
  "call-code": "oauth.grant.callCode",
} as const;
export type InstallationGrant = "installation" | "agent" | "call-code";

/** The names of the grants for installed apps; null if the platform has none of that kind. */
export function installationGrants(choices: InstallationGrants): Readonly<Record<InstallationGrant, string | null>> {
  const nameOf = (grant: InstallationGrant) => {
    const name = choices[grantChoices[grant]];
    return name === "off" ? null : name;
  };
  return { installation: nameOf("installation"), agent: nameOf("agent"), "call-code": nameOf("call-code") };
}

/** The kind of the grant with this name; null: not a grant for installed apps. */
export function installationGrantOf(name: string, choices: InstallationGrants): InstallationGrant | null {
  const names = installationGrants(choices);
  return (["installation", "agent", "call-code"] as const).find((grant) => names[grant] === name) ?? null;
}

/** What an installation event says. */
interface Installation {
  readonly app: App & { readonly appId: string };
  readonly organization: Organization;
  /** Who installs the app. */
  readonly user: User;
  /** Address of the platform. */
  readonly baseUrl: string;
  readonly granted: GrantedByEvent;
}

/** The body of an installation event (choice `install.event`), with the deployment's names. */
export function installationEvent(
  { app, organization, user, baseUrl, granted: { agentId, code } }: Installation,
  names: InstallNames,
): Record<string, unknown> {
  const event = {
    appId: app.appId,
    appSecret: app.appSecret,
    clientId: app.clientId,
    userId: user.id,
    ...(agentId === undefined ? {} : { agentId }),
    organizationId: organization.id,
    domain: organization.domain,
    baseUrl,
    ...(code === undefined ? {} : { code }),
  };
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [names[name as InstallName] ?? name, value]));
}

/** The names of the parameters of the installation grant, other than the client credentials. */
export function installationParameters(names: InstallNames): string[] {
  return installGrantNames.map((name) => (names as Partial<Record<InstallName, string>>)[name] ?? name);
}

/** Reads the parameters of the installation grant, other than the client credentials. */
export function readInstallation(parameters: Parameters, names: InstallNames): InstallationProof {
  const read = (name: InstallName) => parameterOf(parameters, names[name] ?? name);
  return {
    appId: read("app_id"),
    appSecret: read("app_secret"),
    domain: read("domain"),
    userId: read("user_id"),
    agentId: read("agent_id"),
    code: read("code"),
  };
}

/** An authenticated client, and what its grant needs. */
export interface GrantedApp extends App {
  readonly appId: string;
  readonly isInstalled: boolean;
  /** Id of the app's agent, if the grant is an agent's. */
  readonly agentId: number | null;
  /** Judges the code, if the grant needs one. */
  readonly isCode: ((code: string) => boolean) | null;
}

/** Judges the installation grant: the app must be installed in this organization, and the user must belong to it. */
export function judgeInstallation(
  { appId, appSecret, domain, userId, agentId, code }: InstallationProof,
  app: GrantedApp,
  organization: Organization,
  users: readonly User[],
): Judged<User> {
  const lacksDomain = organization.domain !== null && domain === null;
  if (appId === null || appSecret === null || lacksDomain || userId === null) {
    const needed = organization.domain === null ? "" : ", the domain";
    return refuse("invalid_request", `the installation grant needs the app's id and secret${needed} and the user's id`);
  }
  if (appId !== app.appId) {
    const sent = `the app's id is ${appId}, but its installation has ${app.appId}`;
    return refuse("invalid_grant", `${sent} (the manifest's identifier, or appId in the configuration)`);
  }
  if (!isSameSecret(appSecret, app.appSecret)) {
    return refuse("invalid_grant", "the app's id is right, but its secret is not the appSecret of its installation");
  }
  if (!app.isInstalled || domain !== organization.domain) {
    return refuse("invalid_grant", "the app is not installed in this organization");
  }
  if (app.agentId !== null && agentId !== String(app.agentId)) {
    const sent = agentId === null ? "agent_id is missing" : `there is no agent ${agentId}`;
    return refuse("invalid_grant", `${sent}: the installation event has ${app.agentId} as agentId`);
  }
  if (app.isCode !== null && (code === null || !app.isCode(code))) {
    const sent = code === null ? "code is missing" : "the code was not issued to this app, or has expired";
    return refuse("invalid_grant", `${sent}: the JWT of each call has one in its claim code`);
  }
  const user = users.find(({ id }) => String(id) === userId);
  return user === undefined ? refuse("invalid_grant", "the organization has no such user") : accept(user);
}
