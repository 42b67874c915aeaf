import type { App } from "./schema.ts";

/** Where a secret of an app is configured and printed. */
export interface AppSecretKey {
  /** In the configuration: `apps[0].appSecret`. */
  readonly setting: string;
  /** In what `app-sim env` prints: `PLATFORM_APP_SECRET`. */
  readonly variable: string;
}

/** The name of an app's variable after the prefix; with several apps, each has a number, from 1. */
export function appVariable(apps: readonly App[], index: number, name: string): string {
  return apps.length === 1 ? name : `${index + 1}_${name}`;
}

/** The names of the secret that signs deliveries to one of the installed apps (interface 5.1). */
export function appSecretKey(apps: readonly App[], app: App): AppSecretKey {
  return secretKey(apps, app, "appSecret");
}

/** The names of one of the secrets of an installed app. */
export function secretKey(apps: readonly App[], app: App, secret: "appSecret" | "clientSecret"): AppSecretKey {
  const index = apps.indexOf(app);
  const name = secret === "appSecret" ? "APP_SECRET" : "CLIENT_SECRET";
  return { setting: `apps[${index}].${secret}`, variable: `PLATFORM_${appVariable(apps, index, name)}` };
}
