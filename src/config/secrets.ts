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

/**
 * Secrets that only an app and the platform may see (interface 2.7), to search for in what the app sends. A secret that is
 * a word is left out: a page about `projects` would count as a leak.
 */
export function appSecrets({ clientSecret, appSecret }: Pick<App, "clientSecret" | "appSecret">): NamedSecret[] {
  return [
    { name: "client secret", value: clientSecret },
    { name: "app secret", value: appSecret },
  ].filter(({ value }) => !isWord(value));
}

/** Whether a text looks like a word, which a page may contain for other reasons. */
function isWord(text: string): boolean {
  return /^[A-Za-z][a-z]{0,11}$/.test(text);
}
