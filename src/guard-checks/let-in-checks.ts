import type { ObservationCheck, Verdict } from "../checking/check.ts";
import { CONTROL, PREPARATION, SEARCH } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { type CallCheck, DENIED, LET_IN } from "./call-check.ts";
import { isTurnedAway } from "./candidates.ts";
import { guardLines, SOMEBODY } from "./config-lines.ts";

/** One more correct call to a guard that let in everybody who was tried, if the configuration names nobody to deny. */
const OPEN = "let in as everybody";
/** The same for a guard without a page that let in nobody who was tried, if the configuration names nobody to let in. */
const CLOSED = "denied as everybody";

export const asConfiguredCheck: CallCheck = {
  id: "guard.answer.as-configured",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard lets in and denies the people that the configuration names",
  why: "A guard that lets everybody in guards nothing, and every correct login still works. Only its owner knows whom it must deny.",
  fix: "Check the guard's rule, or `lets` and `denies` of verify.guards.KEY in the configuration.",
  async run({ configured: { lets, denies, hasPage }, people, request, send }) {
    // A guard that repeats its last decision would seem to let everybody in, or nobody.
    if (lets !== null && denies !== null) {
      await send(LET_IN, await request(lets, null));
      await send(DENIED, await request(denies, null));
    }
    if (lets !== null) await send(LET_IN, await request(lets, null));
    else if (people.passes === null && people.asked !== null && !hasPage)
      await send(CLOSED, await request(people.asked, null));
    if (denies !== null) await send(DENIED, await request(denies, null));
    else if (people.asked === null && people.passes !== null) await send(OPEN, await request(people.passes, null));
  },
  judge: ({ steps, read }) => {
    if (steps.length === 0) {
      return skipVerdict(
        "the configuration does not say whom this guard must let in and deny",
        `add this, with the guard's key for KEY: ${guardLines("KEY", { lets: SOMEBODY, denies: SOMEBODY })}`,
      );
    }
    for (const { role, exchange } of steps) {
      if (role === OPEN) return openVerdict(exchange);
      if (role === CLOSED) return closedVerdict(exchange);
      const { kind, says } = read(exchange);
      const isRight = role === LET_IN ? kind === "accepted" : kind !== "accepted";
      if (!isRight) return faulty(asConfiguredCheck, `the app ${says} about somebody who should be ${role}`);
    }
    return PASSED;
  },
};

function openVerdict({ module }: Exchange): Verdict {
  const lines = guardLines(module ?? "KEY", { denies: SOMEBODY });
  return skipVerdict(
    `the guard ${module} let in everybody who was tried: it is not known whether it denies anybody`,
    `name in the config file whom it must deny: ${lines}; judge addresses by ipAddress in the body, not by the connection`,
  );
}

function closedVerdict({ module }: Exchange): Verdict {
  const lines = guardLines(module ?? "KEY", { lets: SOMEBODY });
  return {
    result: "inconclusive",
    reason: `the guard ${module} let in nobody who was tried: that it also denies wrong requests proves nothing`,
    hint: `name in the config file whom it must let in: ${lines}; or does it refuse the right token, too? app-sim doctor tries the usual mistakes`,
  };
}

/** The verdict if nobody is let in or denied, although the configuration names somebody to let in. */
export function nobodyVerdict(module: string, found: string): Verdict {
  return faulty(asConfiguredCheck, `not even the user in verify.guards.${module}.lets is let in: ${found}`);
}

/** Whether a result says that it is unknown whether a guard denies anybody. */
export function isOpenGuard({ id, result, exchanges }: Pick<CheckResult, "id" | "result" | "exchanges">): boolean {
  return id === asConfiguredCheck.id && result === "skip" && exchanges.length > 0;
}

const ASKED = "asked";

/** What is said of a guard with a page that denies by status. */
const notAsked = (says: string) =>
  `the app ${says} about a user whom it did not let in: only status 200 with success: false is known to open its page`;

/** Finds a guard that never sends anybody to its page: every login works, and only its owner knows that this is wrong. */
export const pageAskedCheck: CallCheck = {
  id: "guard.answer.asks",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard sends at least one user to its page, if the configuration says how to pass it",
  why: "A guard that lets everybody in on the first call never shows its page. Every login still works, so nobody notices.",
  fix: "Answer the first call, which has no `code`, with success: false if the user must open the page.",
  async run({ configured, people, request, send }) {
    const person = people.asked ?? people.turnedAway ?? people.passes;
    if (configured.isPagePassed && person !== null) await send(ASKED, await request(person, null));
  },
  judge: ({ steps: [step], read }) => {
    if (step === undefined)
      return skipVerdict(
        "the configuration does not say how its page is passed",
        `if a user must pass it, add this, with the guard's key for KEY: ${guardLines("KEY", { pass: { press: "BUTTON" } })}`,
      );
    const { kind, says } = read(step.exchange);
    if (isTurnedAway(step.exchange)) return { result: "warn", reason: notAsked(says) };
    return kind === "accepted" ? faulty(pageAskedCheck, `the app ${says} about everybody who was tried`) : PASSED;
  },
};

/** Looks only at the calls before the first wrong one, so that a wrong call cannot be the reason. */
const sameAgain: ObservationCheck = {
  id: "guard.answer.same-again",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard lets a user in again after somebody else was denied",
  why: "Somebody else's denial says nothing about this user. A guard that goes by it locks out users who may log in.",
  fix: "Decide each call separately; or cache decisions by everything that they depend on, including the address.",
  observe: (exchanges) => {
    const first = exchanges.findIndex(({ check }) => ![SEARCH, CONTROL, PREPARATION].includes(check?.role ?? ""));
    const calls = (first < 0 ? exchanges : exchanges.slice(0, first)).filter(({ purpose }) => purpose === "guard");
    const letIn = new Set<string>();
    for (const call of calls) {
      const { kind, says } = readGuardReply(call);
      const about = bodyText(call.request.body);
      if (kind === "accepted") letIn.add(about);
      else if (letIn.has(about) && isDenial(call))
        return faulty(sameAgain, `the app ${says} about a user it let in before`);
    }
    return letIn.size === 0 ? skipVerdict("on the first call, the guard lets nobody in") : PASSED;
  },
};

function isDenial({ response }: Exchange): boolean {
  return response?.status === 200;
}

/** The checks of which people a guard lets in. */
export const letInChecks: readonly (CallCheck | ObservationCheck)[] = [asConfiguredCheck, pageAskedCheck, sameAgain];
