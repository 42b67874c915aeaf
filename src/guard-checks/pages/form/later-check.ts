import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { FormTools } from "../walk/tools.ts";

const LATER = "later";
/** Seconds that a quick person takes to read a page and to fill in its form. */
const READING_SECONDS = 10;

/** The check of a user who is slower than a program. */
export const laterCheck: TrialCheck<FormTools> = {
  id: "page.form.later",
  area: "page",
  title: `A form that is sent ${READING_SECONDS} seconds after its page was opened gets a code`,
  section: "3.1",
  severity: "should",
  isSlow: true,
  whySlow: "It waits as long as a person who reads the page",
  why: "People read a page before they answer it. A login that the app forgets after a few seconds passes every test, and nobody else.",
  fix: "Keep a login for as long as its token is valid, or at least for some minutes.",
  run: async (tools) => {
    if (tools.tokenSeconds < 2 * READING_SECONDS) return;
    const own = await tools.login("opened");
    if (own === null) return;
    await tools.pause(READING_SECONDS * 1000);
    await tools.submit(LATER, own);
  },
  judge: ({ steps, landing, read }) => {
    const later = steps.find(({ role }) => role === LATER);
    if (later === undefined) return skipVerdict("tokens are valid for too short a time, as configured");
    const { kind, says } = read(landing(later.exchange));
    return kind === "accepted"
      ? PASSED
      : faulty(laterCheck, `the app ${says}, but accepts a form that is sent at once`);
  },
};
