import { atOnce } from "../checking/at-once.ts";
import type { TrialCheck } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { FinalTrial } from "./trial.ts";

const CALLS = 6;
const [IN_TURN, AT_ONCE] = ["in turn", "at once"];

/** The check of final calls that overlap, each with a code of its own. */
export const finalAtOnceCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.answer.parallel",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: `The guard answers ${CALLS} final calls at once, each with its own code`,
  why: "Many people log in at nine o'clock. An app that mixes up their codes turns away users who did what the page asked for.",
  mend: "Keep what belongs to a call in that call: no variable outside of it.",
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
    // Without this, an app would be accused that keeps one code for each user.
    if (!areAllGood) return skipVerdict("of the codes of one user only the last is good");
    const refused = replies(AT_ONCE).find(({ kind }) => kind !== "accepted");
    return refused === undefined ? PASSED : faulty(finalAtOnceCheck, `the app ${refused.says} to one of them`);
  },
};
