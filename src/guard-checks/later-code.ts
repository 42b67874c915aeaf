import type { TrialCheck } from "../checking/check.ts";
import { A_MOMENT_MS } from "../checking/moment.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { FinalTrial } from "./trial.ts";

const SECONDS = A_MOMENT_MS / 1000;

/** The check that a code outlives the way from the page to the final call. */
export const laterCodeCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.code.later",
  area: "guard",
  section: "3.1",
  severity: "must",
  // An app may keep only the newest code of each user.
  needsQuiet: true,
  title: `A code is valid for at least ${SECONDS} seconds`,
  why: "Between the page and the final call are a browser, a network and the platform. A lifetime in seconds that is taken for milliseconds is over before.",
  fix: "Keep codes for a few minutes, and mind the unit of the lifetime.",
  async run({ prepare, pause, send }) {
    const request = await prepare();
    await pause(A_MOMENT_MS);
    await send("later", request);
  },
  judge: ({ steps, read }) => {
    const [later] = steps;
    if (later === undefined) return skipVerdict("the page issued no code");
    const { kind, says } = read(later.exchange);
    return kind === "accepted" ? PASSED : faulty(laterCodeCheck, `after ${SECONDS} seconds the app ${says}`);
  },
};
