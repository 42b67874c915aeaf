import { parameterOf } from "../oauth/rules/oauth-parameters.ts";
import { type Asked, beginLogin, type Login, visit } from "./begin-login.ts";
import type { OAuthLoginFacts, SecondLogin } from "./checks/oauth-login-facts.ts";
import { isLoggedIn } from "./checks/oauth-token-checks.ts";
import { createLoginBrowser } from "./login-browser.ts";

/**
 * Begins a second login in a browser of its own, and brings the app a good code with another state than it sent
 * (hardening C3); null: the first one, its control, did not succeed.
 */
export async function forgeCallback(login: Login, first: OAuthLoginFacts): Promise<SecondLogin | null> {
  if (!isLoggedIn(first)) return null;
  const { context, app } = login;
  const other = { ...login, browser: await createLoginBrowser(context, app) };
  const asked = await beginLogin(other, first.start.url);
  const { start, authorization } = asked;
  const location = forgedLocation(asked, context.ids.secret());
  return { start, authorization, callback: location === null ? null : await visit(other, location, context.baseUrl()) };
}

/** Where the user is sent back to, with another state of the same length; null: there is no code, or no state. */
function forgedLocation({ authorization }: Asked, secret: string): string | null {
  const state = authorization?.parameters && parameterOf(authorization.parameters, "state");
  if (state == null || authorization?.verdict.kind !== "decided" || !authorization.verdict.isApproved) return null;
  const location = new URL(authorization.verdict.location);
  location.searchParams.set("state", otherState(state, secret));
  return location.href;
}

function otherState(state: string, secret: string): string {
  const other = secret.repeat(Math.ceil(state.length / secret.length)).slice(0, state.length);
  return other === state ? `${state.startsWith("A") ? "B" : "A"}${state.slice(1)}` : other;
}
