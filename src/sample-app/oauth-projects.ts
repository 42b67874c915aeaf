import type { IncomingMessage } from "node:http";
import { GrantRefused, type OAuthClient } from "./oauth-client.ts";
import { html, orErrorPage, page } from "./pages.ts";
import { callPlatform, type PlatformAnswer } from "./platform-call.ts";
import { isObject, Refusal, type Reply, redirect } from "./request.ts";
import type { Session, Sessions } from "./sessions.ts";

const WHO = "The platform's list of projects";
const POLICY = "form-action 'none'; frame-ancestors 'none'";
const ROOT = ".";

/** The page with the projects of the user who is logged in (interface 4.1, 5.4): those that the API lists first. */
export function projectsPage(
  apiUrl: string,
  client: OAuthClient,
  sessions: Sessions,
  loginUrl: string,
): (request: IncomingMessage) => Promise<Reply> {
  const errorPage = {
    title: "Your projects cannot be shown",
    advice: html`<p><a href="${loginUrl}">Log in again</a></p>`,
    root: ROOT,
  };

  async function answer(request: IncomingMessage): Promise<Reply> {
    const session = sessions.find(request);
    if (session === undefined) return redirect("/login");
    try {
      return listPage(namesIn(await callApi(session)));
    } catch (error) {
      if (!(error instanceof GrantRefused)) throw error;
      sessions.end(request);
      // A page and not a redirect: to a platform that asks for no approval that would be a loop.
      throw new Refusal(403, "Your login at the platform has ended.");
    }
  }

  /** A token that the API does not take is refreshed once; a second no is final. */
  async function callApi(session: Session): Promise<PlatformAnswer> {
    const { accessToken } = session.tokens;
    const first = await fetchProjects(accessToken);
    if (first.status !== 401) return first;
    // While this call was under way, another may have got new tokens already.
    if (session.tokens.accessToken === accessToken) await refreshOnce(session);
    return fetchProjects(session.tokens.accessToken);
  }

  /** A refresh token is good once: all requests of a session wait for the same refresh. */
  function refreshOnce(session: Session): Promise<void> {
    session.refreshing ??= refresh(session).finally(() => {
      session.refreshing = null;
    });
    return session.refreshing;
  }

  async function refresh(session: Session): Promise<void> {
    const { refreshToken } = session.tokens;
    if (refreshToken === null) throw new GrantRefused(502, "The platform gave no refresh token.");
    try {
      session.tokens = await client.refresh(refreshToken);
    } catch (error) {
      // Requests of this session that are still under way need not ask again.
      if (error instanceof GrantRefused) session.tokens = { ...session.tokens, refreshToken: null };
      throw error;
    }
  }

  function fetchProjects(accessToken: string): Promise<PlatformAnswer> {
    const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
    return callPlatform(WHO, `${apiUrl}/api/v2/projects`, { headers });
  }

  return (request) => orErrorPage(answer(request), POLICY, errorPage);
}

function namesIn({ status, body }: PlatformAnswer): string[] {
  if (status !== 200) throw new Refusal(502, `${WHO} answered ${status}.`);
  const entries = isObject(body) && Array.isArray(body.data) ? body.data : null;
  if (entries === null) throw new Refusal(502, `${WHO} is not in a form that this app knows.`);
  return entries.map(nameIn);
}

function nameIn(entry: unknown): string {
  const project = isObject(entry) ? entry.data : undefined;
  if (isObject(project) && typeof project.name === "string") return project.name;
  throw new Refusal(502, `${WHO} holds a project without a name.`);
}

function listPage(names: readonly string[]): Reply {
  const items = names.map((name) => html`<li>${name}</li>`);
  const content = items.length === 0 ? html`<p>There are none that you may see.</p>` : html`<ul>${items}</ul>`;
  return page(200, "Your projects", content, POLICY, { root: ROOT });
}
