import type { TrialCheck } from "../checking/check.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { FinalTrial } from "./trial.ts";

/** The check of what one user's pass does for others: an app may remember who passed, and nobody else. */
export const newcomerCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.newcomer",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "A user whom the guard asked before another one passed its page is asked afterwards, too",
  why: "A guard may remember who passed its page. If it remembers the address, or only that somebody passed, one user opens the door to all the others.",
  mend: "Keep what was passed under the user and the organization, never under the address or for the whole app.",
  async run({ newcomers, request, send, prepare }) {
    if (newcomers.length === 0) return;
    await send("passing", await prepare());
    for (const person of newcomers) await send("newcomer", await request(person, null));
  },
  judge: ({ steps }) => {
    const replies = steps.filter(({ role }) => role === "newcomer").map(({ exchange }) => readGuardReply(exchange));
    const passing = steps.find(({ role }) => role === "passing");
    if (passing === undefined || replies.length === 0)
      return skipVerdict("the guard asks nobody of whom it never heard");
    if (readGuardReply(passing.exchange).kind !== "accepted") return skipVerdict("nobody passed the page just before");
    const isLetIn = replies.some(({ kind }) => kind === "accepted");
    return isLetIn
      ? faulty(
          newcomerCheck,
          "after another user passed the page, a user who never opened it is let in without being asked",
        )
      : PASSED;
  },
};
