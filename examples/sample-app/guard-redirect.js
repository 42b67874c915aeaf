import { createHash } from "node:crypto";
import { createExpiringMap } from "./expiring-map.js";
import { guardLayout, guardWithPage } from "./guard.js";
import { demand, onlyValue, queryOf, Refusal, readBody, redirect, requireType } from "./http.js";
import { isSamePerson, personOf, verifyToken } from "./jwt.js";
import { html, page, withErrorPage } from "./pages.js";

const managers = new Set([103]);
const DECLINED = "The confidentiality terms were declined – access denied.";
// Without an action, the form posts to the page's own address, so `jwtToken` and `state` come back unchanged.
const TERMS = html`<p>What you see of products and texts before they are published stays between you and your team.</p>
    <form method="post">
    <button type="submit" name="decision" value="accept">I accept</button>
    <button type="submit" name="decision" value="decline">I decline</button>
    </form>`;

/** A `redirect` guard: the platform sends managers to a page to accept the terms, and the page sends them back. */
export function termsGuard(settings, codes) {
  // Browsers also apply form-action to the redirect after the form.
  const layout = guardLayout(`form-action 'self' ${new URL(settings.authUrl).origin}; frame-ancestors 'none'`);
  // The logins that have opened the page, by state: the person, and the code once the terms are accepted. They are kept
  // longer than the platform's tokens are valid, so a state that has its code never gets another.
  const visits = createExpiringMap(20 * 60_000, 10_000);

  /** Refuses a state that arrives with another user's token, or with which the page was never opened. */
  function findVisit({ key, person }) {
    const visit = visits.get(key);
    if (visit !== undefined && isSamePerson(visit.person, person)) return visit;
    throw new Refusal(403, "This page was not opened by your login, or too long ago.");
  }

  const show = withErrorPage(layout, async (request) => {
    const login = await readLogin(request, settings);
    if (visits.get(login.key) === undefined) visits.add(login.key, { person: login.person, code: null });
    findVisit(login);
    return page(layout, "Confidentiality terms", TERMS);
  });

  const decide = withErrorPage(layout, async (request) => {
    const login = await readLogin(request, settings);
    const decision = await readDecision(request);
    const visit = findVisit(login);
    // URLSearchParams would write a space as "+", which not every server reads as a space.
    const back = `${login.callback}?state=${encodeURIComponent(login.state)}`;
    if (decision === "decline") return redirect(`${back}&error=${encodeURIComponent(DECLINED)}`);
    // A second click sends the form twice, and the browser shows the second answer: it must be the same.
    visit.code ??= codes.issue({ ...login.person, moduleKey: "terms" });
    return redirect(`${back}&code=${visit.code}`);
  });

  const firstRule = ({ userId }) => (managers.has(userId) ? "Accept the confidentiality terms." : null);
  return {
    "/guards/terms": { POST: guardWithPage("terms", settings, codes, firstRule) },
    "/guards/terms/page": { GET: show, HEAD: show, POST: decide },
  };
}

/** Reads the page's address: the user in the token, the state of the login, and where to send the user back. */
async function readLogin(request, settings) {
  const query = queryOf(request);
  const fields = new URLSearchParams(query);
  const claims = await verifyToken(onlyValue(fields, "jwtToken"), "terms", settings);
  const state = onlyValue(fields, "state");
  demand(state !== "" && isDecodable(query), "The address must hold one state, in percent-encoded UTF-8.");
  // One label of a domain name: anything else, such as "../..", could lead to another page of the platform. An
  // organization may have none, and then the address has none either.
  const hasNoDomain = claims.domain === null;
  const isDomain = typeof claims.domain === "string" && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(claims.domain);
  demand(isDomain || hasNoDomain, "The token does not say which organization to go back to.");
  // A digest, because a state may be long, and long ones would fill the memory.
  const key = createHash("sha256").update(state).digest("base64url");
  const path = hasNoDomain ? "/guard/callback" : `/${claims.domain}/guard/callback`;
  return { person: personOf(claims), state, key, callback: settings.authUrl + path };
}

/** URLSearchParams replaces what it cannot decode, and the state must go back exactly as it came. */
function isDecodable(query) {
  try {
    return decodeURIComponent(query) !== null;
  } catch {
    return false;
  }
}

async function readDecision(request) {
  requireType(request, "application/x-www-form-urlencoded");
  const form = new URLSearchParams((await readBody(request, 4 * 1024)).toString());
  const decision = onlyValue(form, "decision");
  demand(decision === "accept" || decision === "decline", "The form must say whether the terms are accepted.");
  return decision;
}
