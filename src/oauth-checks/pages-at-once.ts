import { isAccepted } from "../oauth-login/checks/login-facts.ts";
import { type OAuthEvidence, servedUsers, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";
import type { OAuthVisit } from "./visits.ts";

/** The visits with which two users open the page that uses the token, one after the other and at the same time. */
export interface PagesAtOnce {
  /** The browsers of the two users. */
  readonly browsers: readonly [string, string];
  /** The names of the visits one after the other. */
  readonly inTurn: readonly [string, string];
  /** The names of the simultaneous visits. */
  readonly rounds: readonly [string, string];
}

/** Two users who have just logged in. */
export const LOGGED_IN: PagesAtOnce = {
  browsers: ["C", "D"],
  inTurn: ["use", "use-after"],
  rounds: ["both", "both-again"],
};

/** Opens the pages of two users who are logged in: one after another, at once, and one after another again. */
export async function openPagesAtOnce(tools: OAuthTools): Promise<void> {
  const { browsers, inTurn, rounds } = LOGGED_IN;
  const [before, after] = inTurn;
  for (const browser of browsers) await tools.use(browser, before);
  for (const round of rounds) await Promise.all(browsers.map((browser) => tools.use(browser, round)));
  for (const browser of browsers) await tools.use(browser, after);
}

/**
 * Whether an app mixes the tokens of pages that are opened at once. Nothing shows which of the two pages a call is for. So
 * only the numbers tell: an app that makes as many calls as for one page after the other makes as many for each user. An
 * app with a cache makes fewer, and is not judged.
 */
export function mixesTokens(evidence: OAuthEvidence, { browsers, inTurn, rounds }: PagesAtOnce): boolean {
  const { user, other } = evidence;
  if (other === null || other.id === user.id) return false;
  const usersIn = (browser: string, what: string) => acceptedUsers(visitOfRole(evidence, browser, what));
  const usual = inTurn.map((what) => browsers.map((browser) => usersIn(browser, what)));
  const [before = [], after = []] = usual.map((pages) => countsOf(pages.flat()));
  const isSteady = before.length === 2 && String(before) === String(after);
  if (!isSteady || usual.some((pages) => pages.some((ids) => new Set(ids).size !== 1))) return false;
  const expected = usual[0]?.flat() ?? [];
  return rounds.some((round) => {
    const came = browsers.flatMap((browser) => usersIn(browser, round));
    return came.length === expected.length && String(countsOf(came)) !== String(before);
  });
}

/** On whose behalf the API accepted calls during a visit: of those it refused, the app makes some again. */
function acceptedUsers(visit: OAuthVisit | undefined): number[] {
  return servedUsers(visit && { ...visit, requests: visit.requests.filter(isAccepted) });
}

/** How often each id occurs: pairs of id and number. */
function countsOf(ids: readonly number[]): (readonly [id: number, count: number])[] {
  return [...new Set(ids)].toSorted((a, b) => a - b).map((id) => [id, ids.filter((each) => each === id).length]);
}
