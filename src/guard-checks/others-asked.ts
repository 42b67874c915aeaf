import type { CheckFacts, ObservationCheck } from "../checking/check.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import type { Person } from "./call.ts";
import { asksOrDenies } from "./candidates.ts";

/** The roles of first calls about another user, before and after the first final call that lets the walker in. */
export const OTHER_BEFORE = "another user before";
export const OTHER_AFTER = "another user after";

/** Facts of checks that a user who passes the page lets in nobody else. */
export const lettingOthersIn = {
  area: "guard",
  section: "3.1",
  severity: "must",
  why: "A guard may remember who passed its page. If it remembers the address, or only that somebody passed, one user opens the door for all others.",
  fix: "Remember who passed by user and organization, never by address or for the whole app.",
} as const satisfies Partial<CheckFacts>;

/** Another user whom the guard asks: at their own address, and at that of the walker. */
export function othersToAsk(asked: readonly Person[], walker: Person): Person[] {
  const other = asked.find(({ user }) => user.id !== walker.user.id);
  if (other === undefined) return [];
  return other.ipAddress === walker.ipAddress ? [other] : [other, { ...other, ipAddress: walker.ipAddress }];
}

/** The check that another known user is still asked: one whom the app does not know may be nobody to it. */
export const othersAskedCheck: ObservationCheck = {
  ...lettingOthersIn,
  id: "guard.final.others-asked",
  title: "When one user has passed the page, the guard still sends another configured user to it",
  shows: ({ check }) => check?.role === OTHER_AFTER,
  observe: (exchanges) => {
    const before = callsOf(exchanges, OTHER_BEFORE);
    const after = callsOf(exchanges, OTHER_AFTER);
    if (after.length === 0) return skipVerdict("the guard asks only one of the known users");
    const letIn = after.find((call, index) => {
      const earlier = before[index];
      const wasAsked = earlier !== undefined && asksOrDenies(readGuardReply(earlier));
      return wasAsked && readGuardReply(call).kind === "accepted";
    });
    if (letIn === undefined) return PASSED;
    const { userId } = JSON.parse(bodyText(letIn.request.body)) as { readonly userId: number };
    return faulty(othersAskedCheck, `after another user passed the page, user ${userId} is let in without being asked`);
  },
};

function callsOf(exchanges: readonly Exchange[], role: string): Exchange[] {
  return exchanges.filter(({ purpose, check }) => purpose === "guard" && check?.role === role);
}
