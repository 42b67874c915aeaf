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
}

/** The id of an app whose manifest names none. */
const DEFAULT_APP_ID = "app-sim-app";

/** The id of an installed app: as configured, else the identifier of its manifest. */
export function appIdOf({ appId }: Pick<App, "appId">, identity: AppIdentity | undefined): string {
  return appId ?? identity?.identifier ?? DEFAULT_APP_ID;
}

/** The name of the grant for an installed app; null if the platform has none (choice `oauth.grant.installation`). */
export function installationGrant(choices: Pick<Choices, "oauth.grant.installation">): string | null {
  const name = choices["oauth.grant.installation"];
  return name === "off" ? null : name;
}

/** The body of an installation event (choice `install.event`), with the names of the deployment. */
export function installationEvent(
  app: App & { readonly appId: string },
  organization: Organization,
  user: User,
  baseUrl: string,
  names: InstallNames,
): Record<string, unknown> {
  const event = {
    appId: app.appId,
    appSecret: app.appSecret,
    clientId: app.clientId,
    userId: user.id,
    organizationId: organization.id,
    domain: organization.domain,
    baseUrl,
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
  return { appId: read("app_id"), appSecret: read("app_secret"), domain: read("domain"), userId: read("user_id") };
}

/**
 * Judges the installation grant: the app must be installed in this organization, and the user must belong to it.
 * @param app the authenticated client
 */
export function judgeInstallation(
  { appId, appSecret, domain, userId }: InstallationProof,
  app: App & { readonly appId: string },
  isInstalled: boolean,
  organization: Organization,
  users: readonly User[],
): Judged<User> {
  if (appId === null || appSecret === null || domain === null || userId === null) {
    return refuse(
      "invalid_request",
      "the installation grant needs the app's id and secret, the domain and the user's id",
    );
  }
  if (appId !== app.appId) {
    const sent = `the app's id is ${appId}, but its installation has ${app.appId}`;
    return refuse("invalid_grant", `${sent} (the manifest's identifier, or appId in the configuration)`);
  }
  if (!isSameSecret(appSecret, app.appSecret)) {
    return refuse("invalid_grant", "the app's id is right, but its secret is not the appSecret of its installation");
  }
  if (!isInstalled || domain !== organization.domain) {
    return refuse("invalid_grant", "the app is not installed in this organization");
  }
  const user = users.find(({ id }) => String(id) === userId);
  return user === undefined ? refuse("invalid_grant", "the organization has no such user") : accept(user);
}
