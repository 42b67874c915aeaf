import type { TrialCheck } from "../checking/check.ts";
import { withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { answerParts } from "../journal/answer-parts.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import type { FinalTrial } from "./trial.ts";

/** A shorter code may be in an answer by chance. */
const TELLING_CHARACTERS = 6;
const [WRONG, RIGHT] = ["wrong code", "right code"];

/** The check of an answer that tells which code it expected, such as in a list of all codes that are still valid. */
export const toldCodeCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.code.told",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard does not reveal a valid code when it refuses a wrong one",
  why: "Users see the message of a denial, and answers end up in logs. Anybody who reads the code of a login can complete it.",
  fix: "Say only that the code is not valid.",
  run: async ({ prepare, send, madeUp }) => {
    const right = await prepare();
    const wrong = withMembers(right, { code: madeUp() });
    if (wrong === null) return;
    await send(WRONG, wrong);
    await send(RIGHT, right);
  },
  judge: ({ steps }) => {
    const exchangeOf = (wanted: string | undefined) => steps.find(({ role }) => role === wanted)?.exchange;
    const [wrong, right] = [exchangeOf(WRONG), exchangeOf(RIGHT)];
    const code = right === undefined ? null : sentCode(right);
    if (wrong === undefined || code === null) return skipVerdict("its codes are too short to recognize");
    return answerParts(wrong).some(({ text }) => text.includes(code))
      ? faulty(toldCodeCheck, "the app's answer to a wrong code has the right one")
      : PASSED;
  },
};

function sentCode({ request }: Exchange): string | null {
  const { code } = JSON.parse(bodyText(request.body)) as { readonly code?: unknown };
  return typeof code === "string" && code.length >= TELLING_CHARACTERS ? code : null;
}
