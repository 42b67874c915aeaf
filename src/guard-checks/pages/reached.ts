import type { CheckFacts, Verdict } from "../../checking/check.ts";
import { checkResult } from "../../checking/check-result.ts";
import type { Verification } from "../../checking/unit.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { CheckResult } from "../../checking/verify-result.ts";
import type { InstalledGuard } from "../call.ts";
import { openChromium } from "./frame/frame-units.ts";
import { STRANDED } from "./return/page-return.ts";
import { returnOf } from "./walk/answer.ts";
import type { PageObstacle } from "./walk/page-obstacles.ts";
import type { PageWalk } from "./walk/walk.ts";
import { leaveOutHint, type PageWays } from "./walk/ways.ts";

/** Whether a page can be passed at all, which is known after trying. */
export const reachedCheck: CheckFacts = {
  id: "page.return.reached",
  area: "page",
  title: "A user who passes the page, as configured or by its buttons alone, returns with a code",
  section: "3.1",
  severity: "must",
  why: STRANDED,
  fix: "Redirect to the guard callback with state and code; or fix verify.guards.KEY.pass in the configuration. A form keeps the token and the state of its page in its URL, in hidden fields, or in a session.",
};

/** The result of that check, if it was requested. */
export async function judgeReached(
  verification: Verification,
  { module: { key } }: InstalledGuard,
  ways: PageWays,
): Promise<CheckResult[]> {
  if (!verification.wants(reachedCheck)) return [];
  const { context } = verification;
  const about = { title: `form of ${key}`, module: key };
  const verdict = async (): Promise<Verdict> => {
    if (ways.pass !== null) return PASSED;
    const { obstacle = null } = ways;
    const isConfigured = context.config.verify.guards[key]?.pass !== undefined;
    if (!isConfigured) return obstacle === null ? skipVerdict(ways.reason) : judgeObstacle(obstacle);
    if (ways.isBrowsed) {
      const opened = await openChromium(context);
      if (typeof opened === "string") return unseenVerdict(ways, opened);
      await opened.release();
    }
    const reason = `nobody did: ${ways.reason}`;
    if (ways.hasLinkLeft !== true) return { ...faulty(reachedCheck, reason), hint: untilPassed(key, ways) };
    const hint = `If a user presses that link, name its text in verify.guards.${key}.pass.press, after the buttons before it`;
    return { result: "inconclusive", reason, hint };
  };
  return [checkResult(about, reachedCheck, await verdict(), [])];
}

/** How to fix a page that nobody passes as configured, or its configuration. */
function untilPassed(key: string, { hint = null }: PageWays): string {
  const found = hint === null ? "" : ` (${hint})`;
  return `Fix verify.guards.${key}.pass, or the page${found}. For a page of several forms, \`press\` can be a list, with a button of each form.`;
}

/**
 * The verdict on a page with scripts that could be walked only over HTTP, as configured.
 * @param missing why there is no browser
 */
function unseenVerdict({ failed = null, reason }: PageWays, missing: string): Verdict {
  if (failed === null) return skipVerdict(reason);
  return {
    result: "inconclusive",
    reason: `passing the page as configured, over HTTP, ended with status ${failed}`,
    hint: `Fix the server error: the app's own log says why. If the page needs its scripts: ${missing}`,
  };
}

function judgeObstacle({ says, fix = reachedCheck.fix, certainty }: PageObstacle): Verdict {
  if (certainty === "proven") return { ...faulty(reachedCheck, says), hint: fix };
  if (certainty === "likely") return { result: "warn", reason: says };
  return { result: "inconclusive", reason: says, hint: `${reachedCheck.fix} ${leaveOutHint(reachedCheck)}` };
}

const BY_REDIRECT =
  "Let the script navigate to an address of your app that answers 302 with the guard callback in Location, or let it submit a form to one.";

/** The verdict on how a page that was walked in a browser sent its user back: by a redirect, or by a script. */
export function judgeWayBack(check: CheckFacts, { exchanges }: PageWalk): Verdict {
  const back = exchanges.map(returnOf).find((each) => each !== null && each.status !== null);
  if (back == null) return { ...faulty(check, "a script of the page sent the user back"), hint: BY_REDIRECT };
  return back.status === 302 ? PASSED : faulty(check, `the user came back with status ${back.status}`);
}
