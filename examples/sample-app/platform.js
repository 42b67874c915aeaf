import { demand, Refusal, readBody } from "./http.js";

const MAX_ANSWER_BYTES = 1024 * 1024;

/** Reads an address of the platform from this app's settings, without trailing slashes. Throws a TypeError. */
export function readAddress(name, address) {
  const href = parseUrl(address)?.href ?? "";
  // ";" and "," are not allowed: in a Content-Security-Policy, they would begin a new directive or policy.
  if (/^https?:\/\/[\w.:[\]-]+\/[\w./~-]*$/.test(href)) return href.replace(/\/+$/, "");
  throw new TypeError(`${name} must be an http(s) address such as https://platform.example, not ${address}`);
}

/**
 * An address from a request, if it is the platform's. Any other is refused: it could make this app fetch what only this
 * app can reach, such as a server in its own network (server-side request forgery).
 */
export function demandPlatformUrl(name, address, { authUrl, apiUrl }) {
  const url = typeof address === "string" ? parseUrl(address) : null;
  const origins = [...new Set([new URL(authUrl).origin, new URL(apiUrl).origin])];
  const isPlatforms = url !== null && origins.includes(url.origin) && url.username + url.password === "";
  demand(isPlatforms, `${name} must be an address of the platform, which is at ${origins.join(" and ")}.`);
  return url.href;
}

/**
 * Streams a file from the platform, until the signal is aborted. A redirect is refused: it could lead from an address
 * that was checked to any other.
 */
export async function* download(name, address, signal) {
  try {
    const headers = { "accept-encoding": "identity" };
    const response = await fetch(address, { headers, redirect: "manual", signal });
    if (response.status !== 200) await response.body?.cancel();
    demand(response.status === 200, `${name} was answered with ${response.status} instead of 200.`);
    yield* response.body ?? [];
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // The details may contain internal addresses, and the user could not do anything about them.
    const what = signal.aborted ? "did not arrive in time" : "cannot be reached, or broke off";
    throw new Refusal(502, `The file at ${name} ${what}.`);
  }
}

/**
 * Calls the platform; the body of the answer is undefined if it is not JSON. Does not follow redirects, because the
 * secrets in the request are for this address only.
 *
 * @param {string} who the part of the platform that is called, for messages
 */
export async function callPlatform(who, address, init) {
  const signal = AbortSignal.timeout(10_000);
  try {
    const response = await fetch(address, { ...init, redirect: "error", signal });
    const bytes = await readBody(response.body ?? [], MAX_ANSWER_BYTES);
    const body = await new Response(bytes).json().catch(() => undefined);
    return { status: response.status, body };
  } catch {
    const what = signal.aborted
      ? "did not answer in time"
      : "cannot be reached, or broke off, or sent this app elsewhere";
    throw new Refusal(502, `${who} ${what}. Try again later.`);
  }
}

function parseUrl(address) {
  // In Node 20, URL.canParse refuses some valid addresses after many calls.
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
