import type { ObservationCheck } from "../checking/check.ts";
import { CONTROL } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { pageOf } from "./pages/answer.ts";

/** What an app may answer that is asked too often, or has too much to do: no decision. */
const BUSY: readonly unknown[] = [429, 503];

/** That the right final call is let in: everything else about the final call rests on it. */
export const finalAcceptedCheck: ObservationCheck = {
  id: "guard.final.accepted",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard lets in a user who comes back with the code that its page has just made",
  why: "The page says by its code that the user did what was asked for. A guard that denies then locks out everybody who has to open its page.",
  mend: "Keep each code with its user, organization and module until the final call, and answer success: true to that.",
  shows: isRightCall,
  observe: (exchanges) => {
    const calls = exchanges.filter(isRightCall);
    const replies = calls.map(readGuardReply);
    const [first] = replies;
    if (first === undefined) return skipVerdict("nobody came as far as the final call");
    if (replies.some(({ kind }) => kind === "accepted")) return PASSED;
    const reason = `the app ${first.says} to each right final call`;
    const isBusy = calls.some(({ response }) => BUSY.includes(response?.status));
    if (isBusy) return { result: "inconclusive", reason };
    // What was entered may be wrong, and an app may decide about that at the final call.
    return exchanges.some(asksForAnswers)
      ? { result: "inconclusive", reason, hint: "say with verify.guards.KEY.pass what has to be entered at its page" }
      : faulty(finalAcceptedCheck, reason);
  },
};

function isRightCall({ purpose, check }: Exchange): boolean {
  return purpose === "guard" && check?.role === CONTROL;
}

/** Whether a page has fields whose right values its user knows. */
function asksForAnswers(exchange: Exchange): boolean {
  if (exchange.purpose !== "guard-page") return false;
  const controls = pageOf(exchange)?.forms.flatMap((form) => form.controls) ?? [];
  return controls.some(({ kind }) => ["text", "select", "radio"].includes(kind));
}
