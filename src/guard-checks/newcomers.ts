import type { TrialCheck } from "../checking/check.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { lettingOthersIn } from "./others-asked.ts";
import type { FinalTrial } from "./trial.ts";

/** Newcomers at the address of a user who passed, which an app may trust as a whole, and elsewhere. */
const [THERE, ELSEWHERE] = ["newcomer at that address", "newcomer elsewhere"];

/** The check that a user who passes the page lets in nobody else: an app may remember only users who passed. */
export const newcomerCheck: TrialCheck<FinalTrial> = {
  ...lettingOthersIn,
  id: "guard.final.newcomer",
  title: "When one user has passed the page, the guard still sends the others to it",
  async run({ newcomers, walker, request, send, prepare }) {
    if (newcomers.length === 0) return;
    await send("passing", await prepare());
    for (const person of newcomers) {
      await send(person.ipAddress === walker.ipAddress ? THERE : ELSEWHERE, await request(person, null));
    }
  },
  judge: ({ steps }) => {
    const passing = steps.find(({ role }) => role === "passing");
    const newcomers = steps.filter(({ role }) => role === THERE || role === ELSEWHERE);
    if (passing === undefined || newcomers.length === 0) {
      return skipVerdict("the guard asks no unknown users");
    }
    if (readGuardReply(passing.exchange).kind !== "accepted") return skipVerdict("nobody passed the page just before");
    const letIn = newcomers.filter(({ exchange }) => readGuardReply(exchange).kind === "accepted");
    if (letIn.length === 0) return PASSED;
    const reason = "after another user passed the page, a user who never opened it is let in without being asked";
    if (letIn.some(({ role }) => role === ELSEWHERE)) return faulty(newcomerCheck, reason);
    return { result: "warn", reason: `${reason}, from the same address` };
  },
};
