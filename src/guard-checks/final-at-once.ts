import { atOnce } from "../checking/at-once.ts";
import type { TrialCheck } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { FinalTrial } from "./trial.ts";

const CALLS = 6;
const [IN_TURN, AT_ONCE] = ["in turn", "at once"];

/** The check of overlapping final calls, each with its own code. */
export const finalAtOnceCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.answer.parallel",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: `The guard answers ${CALLS} simultaneous final calls, each with its own code`,
  why: "Many people log in at nine o'clock. An app that mixes up their codes turns away users who did what the page asked for.",
  fix: "Keep the data of a call in local variables.",
  async run({ prepare, send }) {
    const [first, second] = [await prepare(), await prepare()];
    for (const request of [first, second]) await send(IN_TURN, request);
    const requests = [];
    for (let index = 0; index < CALLS; index += 1) requests.push(await prepare());
    await Promise.all(atOnce(requests).map((request) => send(AT_ONCE, request)));
  },
  judge: ({ steps, read }) => {
    const replies = (name: string) => steps.filter(({ role }) => role === name).map(({ exchange }) => read(exchange));
    const areAllGood = replies(IN_TURN).every(({ kind }) => kind === "accepted");
    // Without this, an app that stores one code per user would be accused.
    if (!areAllGood) return skipVerdict("only a user's last code is valid");
    const refused = replies(AT_ONCE).find(({ kind }) => kind !== "accepted");
    return refused === undefined ? PASSED : faulty(finalAtOnceCheck, `the app ${refused.says} to one of them`);
  },
};
