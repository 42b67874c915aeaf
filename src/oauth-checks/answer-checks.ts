import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { apiRequests } from "../oauth-login/checks/login-facts.ts";
import type { WireAnswer } from "../protocol/wire-answer.ts";
import { NO_SESSION_SEEN, type OAuthCheck, oauthCheck } from "./check.ts";
import { LOGIN, type OAuthEvidence, visitOfRole } from "./evidence.ts";
import type { OAuthVisit } from "./visits.ts";

/** Greater than the ids of configured projects. */
const PROJECT_ID = 1_900_000_000;

interface ProjectList {
  readonly data: readonly { readonly data: object }[];
}

/** The projects in an answer of the API; null: it is another answer. */
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
    // A page may be about what a whole organization shares.
    severity: "should",
    why: "Each user has different projects, and the API answers each token accordingly. An answer cached for the whole app shows one user's projects to everybody.",
    mend: "Cache the API's answers per user or session, or not at all.",
  },
  { journey: { key: LOGIN, run: async () => {} }, judge: judgeAnswers },
);
