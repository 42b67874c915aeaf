import type { App, Config } from "./schema.ts";

/** Everything in the configuration that must never be shown (hardening S27). */
export function secretsOf({ apps, users }: Config): string[] {
  return [...apps.flatMap((app) => [app.clientSecret, app.appSecret]), ...users.map(({ totpSecret }) => totpSecret)];
}

/** A secret, and its name in messages. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}

/** Secrets that only an app and the platform may see (interface 2.7). */
export function appSecrets({ clientSecret, appSecret }: Pick<App, "clientSecret" | "appSecret">): NamedSecret[] {
  return [
    { name: "client secret", value: clientSecret },
    { name: "app secret", value: appSecret },
  ];
}
