import type { TrialCheck } from "../checking/check.ts";
import { A_MOMENT_SECONDS } from "../checking/moment.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { codeOf } from "./codes.ts";
import type { FinalTrial } from "./trial.ts";

/** The check that a code outlives the way from the page to the final call. */
export const laterCodeCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.code.later",
  area: "guard",
  section: "3.1",
  severity: "must",
  // An app may keep only the newest code of each user.
  needsQuiet: true,
  title: `A code is valid for at least ${A_MOMENT_SECONDS} seconds`,
  why: "Between the page and the final call are a browser, a network and the platform. A lifetime in seconds that is taken for milliseconds is over before that.",
  fix: "Keep codes for a few minutes, and mind the unit of the lifetime.",
  async run({ prepare, pause, send, request, walker }) {
    const code = codeOf(await prepare());
    await pause(A_MOMENT_SECONDS * 1000);
    // With a new token, which may be valid for a shorter time.
    await send("later", await request(walker, code));
  },
  judge: ({ steps, read }) => {
    const [later] = steps;
    if (later === undefined) return skipVerdict("the page issued no code");
    const { kind, says } = read(later.exchange);
    return kind === "accepted" ? PASSED : faulty(laterCodeCheck, `after ${A_MOMENT_SECONDS} seconds the app ${says}`);
  },
};
