import type { TrialCheck } from "../checking/check.ts";
import { withMembers } from "../checking/request-parts.ts";
import { faulty, NOTHING_TO_CHANGE, PASSED } from "../checking/verdict.ts";

/** Codes that developers write into an app to try it out, and forget. */
export const leftCodes = ["test", "debug", "demo", "admin", "letmein", "1234", "0000", "123456", "000000"];

/** How languages write a value that is missing, when they make a text of it. */
const missingValues = ["None", "null", "undefined", "nil", "NaN", "false"];

const triedCodes = [...leftCodes, ...missingValues];

const RIGHT = "right";
/** After so many wrong codes in a row a correct one is sent: some apps lock out users who send only wrong ones. */
const MOST_IN_A_ROW = 3;

/** The check of codes that no page has issued, and that everybody knows. */
export const leftCodesCheck: TrialCheck = {
  id: "guard.final.code.left-in",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard refuses codes that developers use for testing, or that stand for no code, such as test or None",
  why: "A code that is written into the app, or made of a missing one, is valid for every user, and attackers try such codes first.",
  fix: "Let users in only with codes that the page has issued; in tests, get one from the page, too.",
  run: async ({ prepare, send }) => {
    for (let tried = 0; tried < triedCodes.length; tried += MOST_IN_A_ROW) {
      const right = await prepare();
      for (const code of triedCodes.slice(tried, tried + MOST_IN_A_ROW)) {
        const changed = withMembers(right, { code });
        if (changed !== null) await send(code, changed);
      }
      await send(RIGHT, await prepare());
    }
  },
  judge: ({ steps, read }) => {
    const tried = steps.filter(({ role }) => role !== RIGHT);
    if (tried.length === 0) return NOTHING_TO_CHANGE;
    const replies = tried.map(({ role, exchange }) => ({ role, ...read(exchange) }));
    const wrong = replies.find(({ kind }) => kind !== "refused");
    return wrong === undefined ? PASSED : faulty(leftCodesCheck, `the app ${wrong.says} to the code ${wrong.role}`);
  },
};
