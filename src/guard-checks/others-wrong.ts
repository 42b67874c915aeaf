import type { TrialCheck } from "../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { codeOf } from "./codes.ts";
import type { FinalTrial } from "./trial.ts";

/** The check that nobody else can spoil a user's code. */
export const othersWrongCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.code.others-wrong",
  area: "guard",
  section: "3.1",
  severity: "must",
  // An app may keep only the newest code of each user.
  needsQuiet: true,
  title: "A code stays valid when another user sends a wrong one",
  why: "Several users log in at the same time. If a wrong code of one deletes the codes of all, anybody can keep everybody out.",
  fix: "When a code is wrong, delete at most the code of the user whom the call is about.",
  async run({ prepare, send, request, walker, otherUser, madeUp }) {
    if (otherUser === null) return;
    await send("undisturbed", await prepare());
    const code = codeOf(await prepare());
    await send("wrong", await request(otherUser, madeUp()));
    await send("disturbed", await request(walker, code));
  },
  judge: ({ steps, read }) => {
    const [undisturbed, wrong, disturbed] = steps.map(({ exchange }) => read(exchange));
    if (undisturbed === undefined) return skipVerdict("the guard applies to only one user");
    if (undisturbed.kind !== "accepted") return skipVerdict(`the app ${undisturbed.says} to a correct final call`);
    if (wrong?.kind !== "refused") return skipVerdict("the guard does not ask the other user for a code");
    if (disturbed?.kind === "accepted") return PASSED;
    return faulty(othersWrongCheck, `after another user's wrong code the app ${disturbed?.says ?? "said nothing"}`);
  },
};
