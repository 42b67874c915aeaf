import { type OAuthEvidence, servedUsers, visitOfRole } from "./evidence.ts";
import type { OAuthTools } from "./tools.ts";

/** The browsers of two users, who open the page that uses the token at the same time. */
const BROWSERS = ["C", "D"] as const;
const ROUNDS = ["both", "both-again"] as const;
/** The visits one after another, before and after these. */
const [BEFORE, AFTER] = ["use", "use-after"] as const;

/** Opens the pages of two users who are logged in: one after another, at once, and one after another again. */
export async function openPagesAtOnce(tools: OAuthTools): Promise<void> {
  for (const browser of BROWSERS) await tools.use(browser, BEFORE);
  for (const round of ROUNDS) await Promise.all(BROWSERS.map((browser) => tools.use(browser, round)));
  for (const browser of BROWSERS) await tools.use(browser, AFTER);
}

/**
 * Whether an app mixes the tokens of pages that are opened at once. Nothing shows which of the two pages a call is for. So
 * only the numbers tell: an app that makes as many calls as for one page after the other makes as many for each user. An
 * app with a cache makes fewer, and is not judged.
 */
export function mixesTokens(evidence: OAuthEvidence): boolean {
  const { user, other } = evidence;
  if (other === null || other.id === user.id) return false;
  const usersIn = (browser: string, what: string) => servedUsers(visitOfRole(evidence, browser, what));
  const usual = [BEFORE, AFTER].map((what) => BROWSERS.map((browser) => usersIn(browser, what)));
  const [before = [], after = []] = usual.map((pages) => countsOf(pages.flat()));
  const isSteady = before.length === 2 && String(before) === String(after);
  if (!isSteady || usual.some((pages) => pages.some((ids) => new Set(ids).size !== 1))) return false;
  const expected = usual[0]?.flat() ?? [];
  return ROUNDS.some((round) => {
    const came = BROWSERS.flatMap((browser) => usersIn(browser, round));
    return came.length === expected.length && String(countsOf(came)) !== String(before);
  });
}

/** How often each id occurs: pairs of id and number. */
function countsOf(ids: readonly number[]): (readonly [id: number, count: number])[] {
  return [...new Set(ids)].toSorted((a, b) => a - b).map((id) => [id, ids.filter((each) => each === id).length]);
}
