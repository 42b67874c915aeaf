import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Codes } from "./codes.ts";
import { createExpiringMap } from "./expiring-map.ts";
import { html, orErrorPage, page } from "./pages.ts";
import { callbackUrl, originOf, type Platform } from "./platform.ts";
import { demand, onlyValue, queryOf, Refusal, type Reply, readBody, redirect, requireType } from "./request.ts";
import { type Credentials, isSamePerson, type Person, personOf, verifyToken } from "./token.ts";

const MAX_FORM_BYTES = 4 * 1024;

/** Longer than the platform's tokens live, so that a state that got its code never gets another. */
const VISIT_LIFETIME_MS = 20 * 60_000;
const MAX_VISITS = 10_000;

const DECLINED = "The confidentiality terms were declined – access denied.";

/** A login that has opened the page; its `state` is unique. */
interface Visit {
  readonly person: Person;
  /** null until the terms are accepted. */
  code: string | null;
}

/**
 * The page of a `redirect` guard (interface 3.1, 4.2). GET shows a form, which posts to the address that the page itself
 * has: `jwtToken` and `state` come back as they were, and the form holds nothing that would have to be escaped.
 */
export function termsPage(
  moduleKey: string,
  credentials: Credentials,
  platform: Platform,
  codes: Codes,
): (request: IncomingMessage) => Promise<Reply> {
  const visits = createExpiringMap<Visit>(VISIT_LIFETIME_MS, MAX_VISITS, () => performance.now());
  // A browser applies form-action to the redirect that answers the form, too.
  const policy = `form-action 'self' ${originOf(platform.authUrl)}; frame-ancestors 'none'`;

  async function answer(request: IncomingMessage): Promise<Reply> {
    const query = queryOf(request);
    const token = onlyValue(new URLSearchParams(query), "jwtToken") ?? "";
    const claims = await verifyToken(token, moduleKey, credentials);
    const person = personOf(claims);
    const state = readState(query);
    const callback = callbackUrl(platform, claims.domain);
    const decision = request.method === "POST" ? await readDecision(request) : null;
    const visit = visitOf(state, person, decision === null);
    if (decision === null) return formPage(policy);
    if (decision === "decline") return redirectTo(callback, { state, error: DECLINED });
    // A second click sends the form twice, and the browser shows the second answer: it must be the same.
    visit.code ??= codes.issue({ ...person, moduleKey });
    return redirectTo(callback, { state, code: visit.code });
  }

  /** Refuses with 403 a state that came with another user's token, or that this page was never opened with. */
  function visitOf(state: string, person: Person, isOpening: boolean): Visit {
    // A digest, because a state may be long and what is kept in memory must not be.
    const key = createHash("sha256").update(state).digest("base64url");
    if (isOpening && visits.get(key) === undefined) visits.add(key, { person, code: null });
    const visit = visits.get(key);
    if (visit !== undefined && isSamePerson(visit.person, person)) return visit;
    throw new Refusal(403, "This page was not opened by your login, or too long ago.");
  }

  return (request) => orErrorPage(answer(request), policy);
}

/** Refuses with 400 a state that could not be given back byte for byte. */
function readState(query: string): string {
  const state = onlyValue(new URLSearchParams(query), "state");
  demand(state !== null && state !== "", "The address must hold one state.");
  demand(isDecodable(query), "The address must be percent-encoded UTF-8.");
  return state;
}

function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query);
    return true;
  } catch {
    return false;
  }
}

async function readDecision(request: IncomingMessage): Promise<"accept" | "decline"> {
  requireType(request, "application/x-www-form-urlencoded");
  const form = new URLSearchParams((await readBody(request, MAX_FORM_BYTES)).toString());
  const decision = onlyValue(form, "decision");
  demand(decision === "accept" || decision === "decline", "The form must say whether the terms are accepted.");
  return decision;
}

function redirectTo(callback: string, outcome: Readonly<Record<string, string>>): Reply {
  // Not URLSearchParams: it writes a space as "+", which stays a plus sign where only percent-encoding is undone.
  const query = Object.entries(outcome).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return redirect(`${callback}?${query.join("&")}`);
}

function formPage(policy: string): Reply {
  const content = html`<p>What you see of products and texts before they are published stays between you and your team.</p>
    <form method="post">
    <button type="submit" name="decision" value="accept">I accept</button>
    <button type="submit" name="decision" value="decline">I decline</button>
    </form>`;
  return page(200, "Confidentiality terms", content, policy);
}
