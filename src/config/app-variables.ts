import type { App } from "./schema.ts";

/** Where the secret that keys an app's webhook signatures is to be found. */
export interface AppSecretKey {
  /** In the configuration: `apps[0].appSecret`. */
  readonly setting: string;
  /** In what `app-sim env` prints: `PLATFORM_APP_SECRET`. */
  readonly variable: string;
}

/** What the variable of an app is called after the prefix: of several apps each has its number, from 1. */
export function appVariable(apps: readonly App[], index: number, name: string): string {
  return apps.length === 1 ? name : `${index + 1}_${name}`;
}

/** The names of the secret of one of the installed apps (interface 5.1). */
export function appSecretKey(apps: readonly App[], app: App): AppSecretKey {
  const index = apps.indexOf(app);
  return { setting: `apps[${index}].appSecret`, variable: `PLATFORM_${appVariable(apps, index, "APP_SECRET")}` };
}
