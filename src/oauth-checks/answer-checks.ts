import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { apiRequests } from "../oauth-login/checks/login-facts.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { NO_SESSION_SEEN, type OAuthCheck, oauthCheck } from "./check.ts";
import { answeredHeaders, LOGIN, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthVisit } from "./visits.ts";

/** Greater than the ids of configured projects. */
const PROJECT_ID = 1_900_000_000;

interface ProjectList {
  readonly data: readonly { readonly data: object }[];
}

/** The projects in an answer of the API; null: it is some other answer. */
function projectList(body: string): ProjectList | null {
  try {
    const list = JSON.parse(body) as Partial<ProjectList> | null;
    return Array.isArray(list?.data) ? (list as ProjectList) : null;
  } catch {
    return null;
  }
}

/** Name prefix of a project that the API shows to only one user. */
const OF_ONE = "of-one-user-";

/**
 * Lets the API answer with one more project, which it shows to nobody else. It must be the first answer of a run,
 * because an app may cache one for its user.
 */
export function withOwnProject(secret: string) {
  const name = `${OF_ONE}${secret.slice(0, 16)}`;
  return (answer: WireAnswer): WireAnswer => {
    const list = answer.status === 200 ? projectList(answer.body) : null;
    const first = list?.data[0];
    if (list === null || first === undefined) return answer;
    const own = { ...first, data: { ...first.data, id: PROJECT_ID, identifier: name, name } };
    return { ...answer, body: JSON.stringify({ ...list, data: [own, ...list.data] }) };
  };
}

function showsIt(visit: OAuthVisit | undefined): boolean {
  return visit?.landing.kind === "page" && visit.landing.body.includes(OF_ONE);
}

function judgeAnswers(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  // An app may have cached the answer for the login's first page.
  const ofFirst = evidence.all.filter(({ journey, browser }) => journey === LOGIN && browser === "A");
  if (!ofFirst.some(({ requests }) => apiRequests(requests).length > 0)) return NO_SESSION_SEEN;
  const [first, second] = ["A", "O"].map((browser) => visitOfRole(evidence, browser, "use"));
  if (second === undefined) return skipVerdict("the configuration has nobody else who could log in");
  if (showsIt(second)) return faulty(check, "one user sees what the API answered for another");
  return showsIt(first) ? PASSED : skipVerdict("the page does not show what the API answers");
}

/** The check of how an app caches the API's answers. */
export const answersCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.session.answers",
    title: "The API's answer for one user is not shown to others",
    section: "5.4",
    why: "The API answers on behalf of the user to whom the token belongs, and each user has different projects. An answer cached for the whole app shows one user's projects to everybody.",
    fix: "Cache the API's answers per user or session, or not at all.",
  },
  { journey: { key: LOGIN, run: async () => {} }, judge: judgeAnswers },
);

/** The directives of a Cache-Control header, each with its value or "" (RFC 9111, 5.2). */
export function cacheDirectives(cacheControl: string): ReadonlyMap<string, string> {
  const directives = cacheControl.toLowerCase().split(",");
  return new Map(
    directives.map((each) => {
      const [name = "", value = ""] = each.split("=").map((part) => part.trim());
      return [name, value.replaceAll('"', "")];
    }),
  );
}

/** What lets a shared cache keep an answer (RFC 9111, 5.2.2). */
function isShared(cacheControl: string): boolean {
  const directives = cacheDirectives(cacheControl);
  const isForOne = directives.has("private") || directives.has("no-store");
  return !isForOne && (directives.has("public") || directives.has("s-maxage"));
}

/** The check of who may keep a page that was made with the token of one user. */
export const sharedCacheCheck: OAuthCheck = oauthCheck(
  {
    id: "oauth.session.shared-cache",
    title: "No shared cache may keep a page that shows one user's data from the API",
    section: "RFC 9111, 5.2.2",
    severity: "should",
    why: "A proxy may answer the next user with the page that it kept, without asking the app who that is.",
    fix: "Send Cache-Control: no-store, or private, with pages for users who are logged in.",
  },
  {
    journey: { key: LOGIN, run: async () => {} },
    judge: (evidence, check) => {
      const served = evidence.visits.filter((visit) => apiRequests(visit.requests).length > 0);
      if (served.length === 0) return NO_SESSION_SEEN;
      const pages = served.flatMap(({ own }) => own.slice(-1)).filter(({ response }) => response?.status === 200);
      const shared = pages.map((page) => answeredHeaders(page, "cache-control").join(", ")).find(isShared);
      return shared === undefined ? PASSED : faulty(check, `it says "${clip(harmlessLine(shared), 80)}"`);
    },
  },
);
