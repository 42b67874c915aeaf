import { parseTime } from "../protocol/duration.ts";
import type { Settings } from "./environment.ts";

/** Puts a value where it belongs in the configuration. */
export type SettingPlace<Value> = (value: Value) => Record<string, unknown>;
/** A setting that is a part of the configuration. */
export type PlacedSetting = Exclude<keyof Settings, "config" | "choose">;

/** Where the value of each variable and flag goes in the configuration. */
export const settingPlaces: { readonly [Setting in PlacedSetting]: SettingPlace<NonNullable<Settings[Setting]>> } = {
  app: (url) => ({ apps: [{ url }] }),
  manifest: (manifest) => ({ apps: [{ manifest }] }),
  appId: (appId) => ({ apps: [{ appId }] }),
  clientId: (clientId) => ({ apps: [{ clientId }] }),
  clientSecret: (clientSecret) => ({ apps: [{ clientSecret }] }),
  appSecret: (appSecret) => ({ apps: [{ appSecret }] }),
  organizationId: (id) => ({ organization: { id: numberOrText(id) } }),
  domain: (domain) => ({ organization: { domain } }),
  edition: (edition) => ({ organization: { edition } }),
  user: (user) => ({ login: { user } }),
  ip: (ipAddress) => ({ login: { ipAddress } }),
  mfa: (mfa) => ({ login: { mfa: booleanOrText(mfa) } }),
  deviceTrust: (deviceTrust) => ({ login: { deviceTrust: booleanOrText(deviceTrust) } }),
  rememberMe: (rememberMe) => ({ login: { rememberMe: booleanOrText(rememberMe) } }),
  interactionTimeout: (time) => ({ login: { interactionTimeout: secondsOrText(time) } }),
  consent: (consent) => ({ oauth: { consent } }),
  redirectUri: (redirectUris) => ({ apps: [{ redirectUris }] }),
  as: (user) => ({ postImport: { user } }),
  allowOrigin: (fileOrigins) => ({ apps: [{ fileOrigins }] }),
  allowPath: (allowPaths) => ({ allowPaths }),
  port: (port) => ({ port: numberOrText(port) }),
  tls: (tls) => ({ tls: booleanOrText(tls) }),
  cert: (cert) => ({ tls: { cert } }),
  key: (key) => ({ tls: { key } }),
  publicUrl: (publicUrl) => ({ publicUrl }),
  journal: (journal) => ({ journal }),
  profile: (profile) => ({ profile }),
};

function numberOrText(text: string): number | string {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** Seconds of a duration, or of a plain number; otherwise the text, for the schema to report. */
function secondsOrText(text: string): number | string {
  try {
    return parseTime(text) / 1000;
  } catch {
    return text;
  }
}

function booleanOrText(text: string): boolean | string {
  return text === "true" || text === "false" ? text === "true" : text;
}
