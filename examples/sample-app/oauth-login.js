import { createExpiringMap } from "./expiring-map.js";
import { cookieOf, demand, onlyValue, queryOf, Refusal, redirect, setCookie, unguessable } from "./http.js";
import { createOAuthClient, GrantRefused } from "./oauth.js";
import { html, page, withErrorPage } from "./pages.js";
import { callPlatform } from "./platform.js";

const LOGIN_COOKIE = "sample_app_login";
const LOGIN_SECONDS = 10 * 60;
const SESSION_COOKIE = "sample_app_session";
const SESSION_MS = 8 * 60 * 60_000;
const LIMIT = 10_000;
const PROJECTS = "The platform's list of projects";

/** A login with the platform, and a page that calls its API with the tokens of the user who logged in. */
export function oauthRoutes(settings) {
  const client = createOAuthClient(settings);
  const sessions = createSessions();
  /** The code verifier of each login in progress, by its browser and its state. */
  const verifiers = createExpiringMap(LOGIN_SECONDS * 1000, LIMIT);
  // The full address: a browser that used another name of this host has its cookies only there.
  const advice = html`<p><a href="${settings.url}/login">Log in again</a></p>`;
  const policy = "form-action 'none'; frame-ancestors 'none'";
  const callbackLayout = { policy, root: "..", errorTitle: "This login cannot go on here", advice };
  const projectsLayout = { policy, root: ".", errorTitle: "Your projects cannot be shown", advice };

  const login = async (request) => {
    // A browser may have several logins in progress, in several tabs, so it keeps its cookie.
    const browser = browserOf(request) || unguessable();
    const [state, verifier] = [unguessable(), unguessable()];
    verifiers.add(`${browser} ${state}`, verifier);
    const cookie = setCookie(LOGIN_COOKIE, browser, `; Max-Age=${LOGIN_SECONDS}`);
    return redirect(client.authorizeUrl({ state, verifier }), cookie);
  };

  const callback = withErrorPage(callbackLayout, async (request) => {
    const query = new URLSearchParams(queryOf(request));
    // This comes first: an attacker may have made up this address, to log this user in as somebody else.
    const key = `${browserOf(request)} ${onlyValue(query, "state")}`;
    const verifier = verifiers.get(key);
    demand(verifier, "This browser did not begin this login, or too long ago, or it came back before.");
    // There is no await between the lookup and the deletion, so of two concurrent callbacks only one continues.
    verifiers.delete(key);
    if (query.has("error")) {
      const reason = onlyValue(query, "error_description") || onlyValue(query, "error");
      const content = html`<p>The platform says: ${reason.slice(0, 200)}</p>${advice}`;
      return page(callbackLayout, "The login was declined", content, { status: 403 });
    }
    const code = onlyValue(query, "code");
    demand(code !== "", "The platform's answer must hold one code.");
    return redirect("/projects", sessions.begin(request, await client.exchange(code, verifier)));
  });

  const projects = withErrorPage(projectsLayout, async (request) => {
    const session = sessions.find(request);
    if (session === undefined) return redirect("/login");
    try {
      const items = readNames(await callApi(session)).map((name) => html`<li>${name}</li>`);
      const content = items.length === 0 ? html`<p>There are none that you may see.</p>` : html`<ul>${items}</ul>`;
      return page(projectsLayout, "Your projects", content);
    } catch (error) {
      if (!(error instanceof GrantRefused)) throw error;
      sessions.end(request);
      // A page, not a redirect: on a platform that does not ask for approval again, a redirect would be a loop.
      throw new Refusal(403, "Your login at the platform has ended.");
    }
  });

  /** A token that the API refuses is refreshed once; a second refusal is final. */
  async function callApi(session) {
    const { accessToken } = session.tokens;
    const first = await fetchProjects(accessToken);
    if (first.status !== 401) return first;
    // During this call, another one may already have got new tokens.
    if (session.tokens.accessToken === accessToken) {
      // A refresh token works once, so all requests of a session wait for the same refresh.
      session.refreshing ??= refresh(session).finally(() => (session.refreshing = null));
      await session.refreshing;
    }
    return fetchProjects(session.tokens.accessToken);
  }

  async function refresh(session) {
    const { refreshToken } = session.tokens;
    if (refreshToken === null) throw new GrantRefused(502, "The platform gave no refresh token.");
    try {
      session.tokens = await client.refresh(refreshToken);
    } catch (error) {
      // Requests of this session that are still in progress need not refresh again.
      if (error instanceof GrantRefused) session.tokens = { ...session.tokens, refreshToken: null };
      throw error;
    }
  }

  function fetchProjects(accessToken) {
    const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
    return callPlatform(PROJECTS, `${settings.apiUrl}/api/v2/projects`, { headers });
  }

  return {
    // No HEAD, which must not change anything: a link preview would use up what a login needs.
    "/login": { GET: login },
    "/oauth/callback": { GET: callback },
    "/projects": { GET: projects, HEAD: projects },
  };
}

/** "" without a cookie that this app could have set. */
function browserOf(request) {
  return /^[\w-]{43}$/.exec(cookieOf(request, LOGIN_COOKIE))?.[0] ?? "";
}

function readNames({ status, body }) {
  if (status !== 200) throw new Refusal(502, `${PROJECTS} answered ${status}.`);
  if (!Array.isArray(body?.data)) throw new Refusal(502, `${PROJECTS} is not in a form that this app knows.`);
  const names = body.data.map((entry) => entry?.data?.name);
  if (names.every((name) => typeof name === "string")) return names;
  throw new Refusal(502, `${PROJECTS} holds a project without a name.`);
}

/** Keeps track of who is logged in, by the cookie of the browser. Tokens are sent only to the platform. */
export function createSessions(now = () => performance.now()) {
  const sessions = createExpiringMap(SESSION_MS, LIMIT, now);
  const find = (request) => sessions.get(cookieOf(request, SESSION_COOKIE));
  const end = (request) => sessions.delete(cookieOf(request, SESSION_COOKIE));
  const begin = (request, tokens) => {
    end(request);
    // Always a new id: one that was there before the login may be known to somebody else.
    const id = unguessable();
    sessions.add(id, { tokens, refreshing: null });
    return setCookie(SESSION_COOKIE, id);
  };
  return { begin, find, end };
}
