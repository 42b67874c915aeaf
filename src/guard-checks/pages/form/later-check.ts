import type { TrialCheck } from "../../../checking/check.ts";
import { A_MOMENT_SECONDS } from "../../../checking/moment.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { FormTools } from "../walk/tools.ts";

const LATER = "later";
/** Seconds that a quick person takes to read a page and to fill in its form. */
const READING_SECONDS = 10;

type LaterFacts = Pick<TrialCheck<FormTools>, "id" | "severity" | "isSlow" | "whySlow">;

/** A check of a user who is slower than a program by this many seconds. */
function laterCheck(seconds: number, facts: LaterFacts): TrialCheck<FormTools> {
  const check: TrialCheck<FormTools> = {
    area: "page",
    title: `A form that is sent ${seconds} seconds after its page was opened gets a code`,
    section: "3.1",
    why: "People read a page before they answer it. A login that the app forgets after a few seconds passes every quick test, but locks out every person.",
    fix: "Keep a login for as long as its token is valid, or at least for some minutes.",
    ...facts,
    run: async (tools) => {
      if (tools.tokenSeconds < 2 * seconds) return;
      const own = await tools.login("opened");
      if (own === null) return;
      await tools.pause(seconds * 1000);
      await tools.submit(LATER, own);
    },
    judge: ({ steps, landing, read }) => {
      const later = steps.find(({ role }) => role === LATER);
      if (later === undefined) return skipVerdict("tokens are valid for too short a time, as configured");
      const { kind, says } = read(landing(later.exchange));
      return kind === "accepted" ? PASSED : faulty(check, `the app ${says}, but accepts a form that is sent at once`);
    },
  };
  return check;
}

/** The checks of a user who is slower than a program. */
export const laterChecks: readonly TrialCheck<FormTools>[] = [
  laterCheck(A_MOMENT_SECONDS, { id: "page.form.soon", severity: "must" }),
  laterCheck(READING_SECONDS, {
    id: "page.form.later",
    severity: "should",
    isSlow: true,
    whySlow: "It waits as long as a person who reads the page",
  }),
];
