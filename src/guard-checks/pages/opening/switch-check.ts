import { withBypassParameters } from "../../../checking/bypass.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { isPassed } from "../walk/answer.ts";
import type { OpenPageTools } from "../walk/tools.ts";

const PLAIN = "opened";

/** The check of what developers leave in a page to get past it while they test. */
export const switchCheck: TrialCheck<OpenPageTools> = {
  id: "page.open.switches",
  area: "page",
  title: "No parameter such as skip, debug or test gets a user past the page",
  section: "3.1",
  severity: "must",
  why: "A parameter for tests that is still there in production lets everybody pass who guesses its name.",
  fix: "Remove the parameter. In tests, pass the page as a user does: app-sim does it with --press and --fill.",
  run: async (tools) => {
    await tools.send(PLAIN, await tools.prepare());
    for (const value of ["1", "true"] as const)
      await tools.send(`all set to ${value}`, withBypassParameters(await tools.prepare(), value));
  },
  judge: ({ steps, landing }) => {
    if (steps.length === 0) return skipVerdict("the page was not answered");
    const isPast = (plain: boolean) =>
      steps.some(({ role, exchange }) => (role === PLAIN) === plain && isPassed(landing(exchange)));
    if (isPast(true)) return skipVerdict("the page sends the user back immediately");
    return isPast(false) ? faulty(switchCheck, "the user came back with a code, without having done anything") : PASSED;
  },
};
