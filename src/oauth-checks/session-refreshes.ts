import type { Verdict } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { tokenRequests } from "../oauth-login/checks/login-facts.ts";
import { type OAuthCheck, plainLanding } from "./check.ts";
import {
  hasSession,
  type OAuthEvidence,
  receivedToken,
  refreshesIn,
  sentToToken,
  servedUsers,
  visitOfRole,
} from "./evidence.ts";
import { mixesTokens, type PagesAtOnce } from "./pages-at-once.ts";
import type { OAuthVisit } from "./visits.ts";

/** The refresh token sent for a browser is its own, and so are the new tokens. */
export function judgeOwn(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  // Sessions of one user may share their tokens.
  if (evidence.other === null) return skipVerdict("the configuration has nobody else who could log in");
  const turn = evidence.visits.filter(({ what }) => what === "expired").find((visit) => refreshesIn(visit).length > 0);
  if (turn === undefined) return skipVerdict("the app did not refresh its token");
  const own = evidence.visits.filter(({ browser }) => browser === turn.browser);
  const received = own
    .flatMap(({ requests }) => tokenRequests(requests))
    .map((each) => receivedToken(each, "refresh_token"));
  const strange = refreshesIn(turn)
    .map((each) => sentToToken(each, "refresh_token"))
    .find((sent) => !received.includes(sent));
  if (strange !== undefined)
    return faulty(check, "when the token of one session had expired, the app sent the refresh token of another");
  const served = servedUsers(visitOfRole(evidence, `${turn.browser}-other`, "after"));
  return served.includes(evidence.user.id)
    ? faulty(check, "after the refresh of one session, another is served with the token of the first one's user")
    : PASSED;
}

/** Two users whose tokens expired at the same time are each served with their own new ones. */
export function judgeUsersAtOnce(evidence: OAuthEvidence, check: OAuthCheck): Verdict {
  const { user, other } = evidence;
  if (other === null) return skipVerdict("the configuration has nobody else who could log in");
  const pairOf = ({ browser }: OAuthVisit) => browser.replace(/-other$/, "");
  const turn = evidence.visits.find((visit) => refreshesIn(visit).length > 0);
  if (turn === undefined) return skipVerdict("the app did not refresh its token");
  const uses = evidence.visits.filter(
    (visit) => pairOf(visit) === pairOf(turn) && (visit.what === "between" || visit.what === "after"),
  );
  const isStrange = uses.some((visit) => {
    const own = visit.browser.endsWith("-other") ? other.id : user.id;
    return servedUsers(visit).some((id) => id !== own);
  });
  const pages: PagesAtOnce = {
    browsers: [pairOf(turn), `${pairOf(turn)}-other`],
    inTurn: ["between", "after"],
    rounds: ["expired", "expired-again"],
  };
  if (isStrange || mixesTokens(evidence, pages))
    return faulty(check, "one of two users is served with the token of the other");
  const lost = uses.find((visit) => visit.what === "after" && hasSession(evidence, visit) === false);
  return lost === undefined
    ? PASSED
    : faulty(check, `one of two users lost the session: the app ${plainLanding(lost)}`);
}
