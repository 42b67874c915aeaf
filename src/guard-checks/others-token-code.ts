import type { TrialCheck } from "../checking/check.ts";
import { calledGuard } from "./accepting-guard.ts";
import { BORROWED_CODE, judgeBorrowed, UNKNOWN_CODE } from "./codes.ts";
import type { FinalTrial } from "./trial.ts";

/** The check of a page that somebody opens with the token of another guard. */
export const othersTokenCodeCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.code.others-token",
  area: "guard",
  title: "The page gives nobody a code for another guard, whose token it was opened with",
  section: "3.1",
  severity: "must",
  choices: ["guard.jwt.claims"],
  why: "A user has a token for each guard. If an easy page takes that of a strict one and issues a code for it, nobody needs to pass the strict one's page.",
  fix: "Require that the claim `module` is the key of the page's own module, wherever the page and its calls read a token, and issue codes for that module only.",
  run: async ({ otherGuards, passPageAs, request, send, walker, madeUp }) => {
    for (const [index, guard] of otherGuards.entries()) {
      const code = await passPageAs(guard);
      if (code === null) continue;
      await send(`${UNKNOWN_CODE} ${index}`, await request(walker, madeUp(), guard));
      await send(`${BORROWED_CODE} ${index}`, await request(walker, code, guard));
    }
  },
  judge: (evidence) =>
    judgeBorrowed(
      othersTokenCodeCheck,
      evidence,
      "the app has no other guard, or its page gives no code to another guard's token",
      (call) => ({ reason: `with the code, the guard ${calledGuard(call)} let in a user who never passed its page` }),
    ),
};
