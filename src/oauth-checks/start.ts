import { PREPARATION } from "../checking/evidence.ts";
import { taggedContext } from "../checking/subject.ts";
import type { App, Config } from "../config/schema.ts";
import { parameterOf, queryParameters } from "../oauth/rules/oauth-parameters.ts";
import { findPage, findStart } from "../oauth-login/app-addresses.ts";
import { authorizationAddress } from "../oauth-login/begin-login.ts";
import { createLoginBrowser } from "../oauth-login/login-browser.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { joinUrl } from "../protocol/url.ts";

/** Common paths of login links. */
const commonPaths: readonly string[] = [
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
  | {
      readonly ok: false;
      readonly reason: string;
      /** Whether the configuration names the login link: a green run would then claim too much. Default false. */
      readonly isConfigured?: boolean;
    };

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
  const configured = context.config.verify.oauth;
  if (configured !== null) {
    const { app: owner, url } = findStart(context.config, configured.start);
    if (owner !== app) return { ok: false, reason: "the configured login link is another app's" };
    // A link that leads elsewhere is a finding.
    const reached =
      app.redirectUris.length > 0 ? null : await openLoginLink(context, app, { start: url, run, mayPress: true });
    if (reached !== null && !("unreachable" in reached))
      return { ok: false, reason: unregistered(reached), isConfigured: true };
    return { ok: true, app, start: url, use: configured.use === undefined ? null : findPage(app, configured.use) };
  }
  const found = await searchLoginLink(context, app, run);
  if (!found.ok) return found;
  if (app.redirectUris.length > 0) return { ok: true, app, start: joinUrl(app.url, found.path), use: null };
  return { ok: false, reason: unregistered(found) };
}

/** Why no login can be tried: the platform sends nobody to an address that is not registered (interface 5.2). */
function unregistered({ redirectUri }: ReachedPlatform): string {
  const lines = { app: { redirectUris: [redirectUri ?? "http://127.0.0.1:3000/oauth/callback"] } };
  return `no redirect address is registered for the app; add to the config file: ${JSON.stringify(lines)}`;
}

/** A link of the app that led to the platform, and the app's redirect_uri. */
interface ReachedPlatform {
  readonly redirectUri: string | null;
}

type SearchedLink =
  | ({ readonly ok: true; readonly path: string } & ReachedPlatform)
  | { readonly ok: false; readonly reason: string };

/** The first of the common paths that leads to the platform, and its redirect_uri. */
export async function searchLoginLink(context: SimulatorContext, app: App, run: number): Promise<SearchedLink> {
  for (const path of commonPaths) {
    // The only button of a login page logs in; what a button on the home page does is unknown.
    const reached = await openLoginLink(context, app, { start: joinUrl(app.url, path), run, mayPress: path !== "/" });
    if (reached !== null && "unreachable" in reached) return { ok: false, reason: reached.unreachable };
    if (reached !== null) return { ok: true, path, ...reached };
  }
  return { ok: false, reason: `no login link was found (tried ${commonPaths.join(", ")}): ${TELL}` };
}

/** Opens a link of the app; null if it does not lead to the platform. */
async function openLoginLink(
  context: SimulatorContext,
  app: App,
  { start, run, mayPress }: { readonly start: string; readonly run: number; readonly mayPress: boolean },
): Promise<ReachedPlatform | { readonly unreachable: string } | null> {
  const tagged = taggedContext(context, { run, subject: "oauth:search", id: null, role: PREPARATION });
  const browser = await createLoginBrowser(tagged, app);
  const opened = await browser.open(start, start);
  const isThere = authorizationAddress({ landing: opened }, context.baseUrl()) !== undefined;
  const landing = (mayPress && opened.kind === "page" && !isThere ? await browser.press() : null) ?? opened;
  if (landing.kind === "trouble" && landing.failure === "unreachable") return { unreachable: landing.reason };
  const isNear = landing.kind === "platform" && /auth/i.test(new URL(landing.url).pathname);
  const address = authorizationAddress({ landing }, context.baseUrl()) ?? (isNear ? landing.url : undefined);
  if (address === undefined) return null;
  const parameters = queryParameters(new URL(address).search) ?? new Map();
  return { redirectUri: parameterOf(parameters, "redirect_uri") ?? null };
}
