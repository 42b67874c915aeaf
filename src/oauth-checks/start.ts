import { PREPARATION } from "../checking/evidence.ts";
import { taggedContext } from "../checking/subject.ts";
import type { App, Config } from "../config/schema.ts";
import { parameterOf, queryParameters } from "../oauth/rules/oauth-parameters.ts";
import { findPage, findStart } from "../oauth-login/app-addresses.ts";
import { authorizationAddress } from "../oauth-login/begin-login.ts";
import { createLoginBrowser } from "../oauth-login/login-browser.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { joinUrl } from "../protocol/url.ts";

/** Where login links often are. */
const commonPaths = [
  "/login",
  "/oauth/login",
  "/auth/login",
  "/oauth/start",
  "/auth",
  "/signin",
  "/connect",
  "/oauth",
  "/",
];

/** The login link of an app, or why none is known. */
export type FoundStart =
  | { readonly ok: true; readonly app: App; readonly start: string; readonly use: string | null }
  | { readonly ok: false; readonly reason: string };

const TELL = 'name it in the configuration: "verify": {"oauth": {"start": "/login", "use": "/projects"}}';

/**
 * Finds the login link of an app: the configuration names it, or a common path leads to the platform.
 * @throws UsageError for a configured address that is not the app's
 */
export async function findLoginLink(
  context: SimulatorContext & { readonly config: Config },
  app: App,
  run: number,
): Promise<FoundStart> {
  const told = context.config.verify.oauth;
  if (told !== null) {
    const { app: owner, url } = findStart(context.config, told.start);
    if (owner !== app) return { ok: false, reason: "the configured login link is another app's" };
    return { ok: true, app, start: url, use: told.use === undefined ? null : findPage(app, told.use) };
  }
  const found = await searchLoginLink(context, app, run);
  if (!found.ok) return found;
  const { path, redirectUri } = found;
  if (app.redirectUris.length > 0) return { ok: true, app, start: joinUrl(app.url, path), use: null };
  const uri = redirectUri ?? "http://127.0.0.1:3000/oauth/callback";
  return {
    ok: false,
    reason: `no redirect address is registered for the app: add "redirectUris": ["${uri}"] to it in the configuration`,
  };
}

type SearchedLink =
  | { readonly ok: true; readonly path: string; readonly redirectUri: string | null }
  | { readonly ok: false; readonly reason: string };

/** The first of the common paths that leads to the platform, and where it asks to come back to. */
export async function searchLoginLink(context: SimulatorContext, app: App, run: number): Promise<SearchedLink> {
  const tagged = taggedContext(context, { run, subject: "oauth:search", id: null, role: PREPARATION });
  for (const path of commonPaths) {
    const start = joinUrl(app.url, path);
    const browser = await createLoginBrowser(tagged, app);
    const landing = await browser.open(start, start);
    if (landing.kind === "trouble" && landing.failure === "unreachable") return { ok: false, reason: landing.reason };
    const isNear = landing.kind === "platform" && /auth/i.test(new URL(landing.url).pathname);
    const address = authorizationAddress({ landing }, context.baseUrl()) ?? (isNear ? landing.url : undefined);
    if (address === undefined) continue;
    const parameters = queryParameters(new URL(address).search) ?? new Map();
    return { ok: true, path, redirectUri: parameterOf(parameters, "redirect_uri") ?? null };
  }
  return { ok: false, reason: `no login link was found (tried ${commonPaths.join(", ")}): ${TELL}` };
}
