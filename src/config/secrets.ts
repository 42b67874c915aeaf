import type { Config } from "./schema.ts";

/** Everything in the configuration that must never be shown (hardening S27). */
export function secretsOf({ apps, users }: Config): string[] {
  return [...apps.flatMap((app) => [app.clientSecret, app.appSecret]), ...users.map(({ totpSecret }) => totpSecret)];
}
