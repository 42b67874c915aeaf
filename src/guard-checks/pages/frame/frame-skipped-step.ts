import type { TrialCheck } from "../../../checking/check.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import { skippedStepCheck } from "../form/skipped-step-check.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { passwordsSent } from "./passwords-sent.ts";
import { hasTyped, sendsTyped } from "./spoiled-password.ts";

const [PREPARED, TRIED, REDEEMED] = ["prepared", "tried", "redeemed"];

/** The check of a page whose password is in an earlier call than the one with which it gets its code. */
export const frameSkippedStepCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.skipped-step",
  area: "page",
  title: "The page's own last call gets no code without the earlier one that has the password",
  section: "4.2",
  severity: "must",
  why: "Anybody can send the last call without the page. A password that nobody looks for at the end protects nothing.",
  fix: skippedStepCheck.fix,
  run: async (tools) => {
    const typed = await passwordsSent(tools);
    const right = await tools.prepare();
    if (typed.length === 0 || typed.some((one) => sendsTyped(right, one))) return;
    const sendsIt = (each: Exchange) => typed.some((one) => hasTyped(each, one));
    const request = await tools.prepareAfter(PREPARED, (each) => (sendsIt(each) ? [] : [each]));
    if (request === null) return;
    if (await tools.redeemAll(REDEEMED, await tools.send(TRIED, request), tools.person))
      await tools.redeemMadeUp(OF_NOBODY, tools.person);
  },
  judge: ({ steps, read }) => {
    const tried = steps.find(({ role }) => role === TRIED);
    if (tried === undefined) {
      const isNeeded = steps.some(({ role }) => role === PREPARED);
      return isNeeded ? PASSED : skipVerdict("no call before the page's last one sends a password that is configured");
    }
    if (!isLetInAs(REDEEMED, steps)) return PASSED;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets the user in with any code");
    return faulty(frameSkippedStepCheck, `the app ${read(tried.exchange).says}, and its code let the user in`);
  },
};
