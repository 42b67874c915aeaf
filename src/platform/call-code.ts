import { createHmac } from "node:crypto";
import type { App } from "../config/schema.ts";
import { isSameSecret } from "../protocol/same-secret.ts";

/**
 * A code that an app exchanges for a token (choice `oauth.grant.callCode`). It contains its own expiry time, so no list
 * of issued codes is needed.
 * @param expiresAt in seconds since the epoch
 * @param nonce makes it unique
 */
export function makeCallCode(app: App, expiresAt: number, nonce: string): string {
  const signed = `${expiresAt}.${nonce}`;
  const digest = createHmac("sha256", `${app.clientSecret} ${app.appSecret}`);
  return `${signed}.${digest.update(`call code ${app.clientId} ${signed}`).digest("base64url")}`;
}

/**
 * Whether a code was made for this app, and has not expired.
 * @param now in seconds since the epoch
 */
export function isCallCode(code: string, app: App, now: number): boolean {
  const [expiresAt = "", nonce = ""] = code.split(".");
  return (
    /^\d{1,15}$/.test(expiresAt) &&
    isSameSecret(code, makeCallCode(app, Number(expiresAt), nonce)) &&
    now < Number(expiresAt)
  );
}
