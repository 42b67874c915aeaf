import type { IncomingMessage } from "node:http";
import { cookieOf, setCookie } from "./cookies.ts";
import { createExpiringMap } from "./expiring-map.ts";
import type { OAuthClient } from "./oauth-client.ts";
import { html, orErrorPage, page } from "./pages.ts";
import { demand, onlyValue, queryOf, type Reply, redirect } from "./request.ts";
import type { Sessions } from "./sessions.ts";
import { unguessable } from "./unguessable.ts";

const LIFETIME_S = 10 * 60;
const LIMIT = 10_000;
const COOKIE = "sample_app_login";
const POLICY = "form-action 'none'; frame-ancestors 'none'";
/** The callback is one folder deep. */
const ROOT = "..";
const MAX_REASON_CHARACTERS = 200;

/** A login with the platform (interface 5.2): how it begins and where it comes back to. */
interface OAuthLogin {
  begin(request: IncomingMessage): Promise<Reply>;
  callback(request: IncomingMessage): Promise<Reply>;
}

/** @param loginUrl where `begin` is; a browser that came by another name of this host finds its cookies only there */
export function createOAuthLogin(
  client: OAuthClient,
  sessions: Sessions,
  loginUrl: string,
  now: () => number = () => performance.now(),
): OAuthLogin {
  /** The code verifier of each login under way, by its browser and its state together. */
  const verifiers = createExpiringMap<string>(LIFETIME_S * 1000, LIMIT, now);
  const again = html`<p><a href="${loginUrl}">Log in again</a></p>`;

  async function begin(request: IncomingMessage): Promise<Reply> {
    const browser = browserOf(request) || unguessable();
    const state = unguessable();
    const verifier = unguessable();
    verifiers.add(keyOf(browser, state), verifier);
    return redirect(client.authorizeUrl({ state, verifier }), {
      "set-cookie": setCookie(COOKIE, browser, LIFETIME_S),
    });
  }

  async function answer(request: IncomingMessage): Promise<Reply> {
    const query = new URLSearchParams(queryOf(request));
    // First of all: whatever else the address holds, somebody may have made it up to log this user in as another.
    const verifier = takeVerifier(request, onlyValue(query, "state"));
    if (query.has("error")) return declinedPage(query);
    const code = onlyValue(query, "code");
    demand(code !== null && code !== "", "The platform's answer must hold one code.");
    const tokens = await client.exchange(code, verifier);
    return redirect("/projects", { "set-cookie": sessions.begin(request, tokens) });
  }

  /** Refuses with 400 a state that this browser did not get, or that came back before. */
  function takeVerifier(request: IncomingMessage, state: string | null): string {
    const key = keyOf(browserOf(request), state ?? "");
    const verifier = verifiers.get(key);
    demand(verifier !== undefined, "This browser did not begin this login, or too long ago, or it came back before.");
    // Nothing is awaited between looking and deleting, so of two callbacks at once only one goes on.
    verifiers.delete(key);
    return verifier;
  }

  function declinedPage(query: URLSearchParams): Reply {
    const reason = onlyValue(query, "error_description") ?? onlyValue(query, "error") ?? "";
    const content = html`<p>The platform says: ${reason.slice(0, MAX_REASON_CHARACTERS)}</p>${again}`;
    return page(403, "The login was declined", content, POLICY, { root: ROOT });
  }

  return {
    begin,
    callback: (request) => orErrorPage(answer(request), POLICY, { advice: again, root: ROOT }),
  };
}

/** One browser may have several logins under way, in several tabs, so the cookie stays. "" without a usable one. */
function browserOf(request: IncomingMessage): string {
  return /^[\w-]{43}$/.exec(cookieOf(request, COOKIE))?.[0] ?? "";
}

function keyOf(browser: string, state: string): string {
  return `${browser} ${state}`;
}
