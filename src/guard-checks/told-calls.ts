import type { ObservationCheck, Verdict } from "../checking/check.ts";
import { CONTROL, PREPARATION, SEARCH } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { type CallCheck, DENIED, LET_IN } from "./call-check.ts";
import { guardLines, SOMEBODY } from "./config-lines.ts";

/** One more right call to a guard that let in everybody who was tried, of which nobody said whom it has to deny. */
const OPEN = "let in as everybody";
/** One more to a guard without a page that let in nobody who was tried, of which nobody said whom it has to let in. */
const CLOSED = "denied as everybody";

export const asToldCheck: CallCheck = {
  id: "guard.answer.as-told",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard lets in and denies the people of whom the configuration says so",
  why: "A guard that lets everybody in guards nothing, and every right login still works. Whom it has to deny only its owner knows.",
  mend: "Look at the rule by which the guard decides; or at verify.guards.KEY.lets and denies of the configuration.",
  async run({ told: { lets, denies, hasPage }, people, request, send }) {
    if (lets !== null) await send(LET_IN, await request(lets, null));
    else if (people.passes === null && people.asked !== null && !hasPage)
      await send(CLOSED, await request(people.asked, null));
    if (denies !== null) await send(DENIED, await request(denies, null));
    else if (people.asked === null && people.passes !== null) await send(OPEN, await request(people.passes, null));
  },
  judge: ({ steps, read }) => {
    if (steps.length === 0) {
      return skipVerdict("config verify.guards.KEY.lets and denies would say whom it has to let in and to deny");
    }
    for (const { role, exchange } of steps) {
      if (role === OPEN) return openVerdict(exchange);
      if (role === CLOSED) return closedVerdict(exchange);
      const { kind, says } = read(exchange);
      const isRight = role === LET_IN ? kind === "accepted" : kind !== "accepted";
      if (!isRight) return faulty(asToldCheck, `the app ${says} about somebody who is to be ${role}`);
    }
    return PASSED;
  },
};

function openVerdict({ module }: Exchange): Verdict {
  const lines = guardLines(module ?? "KEY", { denies: SOMEBODY });
  return skipVerdict(
    `the guard ${module} let in everybody who was tried: whether it denies anybody is not known`,
    `say in the config file whom it has to deny: ${lines}; an address to judge by is ipAddress of the body, and not that of the connection`,
  );
}

function closedVerdict({ module }: Exchange): Verdict {
  const lines = guardLines(module ?? "KEY", { lets: SOMEBODY });
  return {
    result: "inconclusive",
    reason: `the guard ${module} let in nobody who was tried: that it denies a wrong request as well proves nothing`,
    hint: `say in the config file whom it has to let in: ${lines}; or does it refuse the right token, too? app-sim doctor tries the usual mistakes`,
  };
}

/** The verdict where nobody is let in or denied, and the configuration names somebody to let in. */
export function nobodyVerdict(module: string, found: string): Verdict {
  return { result: "inconclusive", reason: `not even whom verify.guards.${module}.lets names is let in: ${found}` };
}

/** Whether a result says of a guard that it is not known whether it denies anybody. */
export function isOpenGuard({ id, result, exchanges }: Pick<CheckResult, "id" | "result" | "exchanges">): boolean {
  return id === asToldCheck.id && result === "skip" && exchanges.length > 0;
}

const ASKED = "asked";

/** A guard with a page that nobody has to open: every login goes on, and only its owner knows that it must not. */
export const pageAskedCheck: CallCheck = {
  id: "guard.answer.asks",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard asks somebody to open its page, where the configuration says how that is passed",
  why: "A guard that lets everybody in at the first call never shows its page. Every login still works, so nobody notices.",
  mend: "Answer the first call, which has no `code`, with success: false where the user has to open the page.",
  async run({ told, people, request, send }) {
    const person = people.asked ?? people.passes;
    if (told.isPagePassed && person !== null) await send(ASKED, await request(person, null));
  },
  judge: ({ steps: [step], read }) => {
    if (step === undefined) return skipVerdict("config verify.guards.KEY.pass would say that its page is to be passed");
    const { kind, says } = read(step.exchange);
    return kind === "accepted" ? faulty(pageAskedCheck, `the app ${says} about everybody who was tried`) : PASSED;
  },
};

/** Looks at what came before anything was wrong: nothing but right calls can be the reason then. */
const sameAgain: ObservationCheck = {
  id: "guard.answer.same-again",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard lets a user in again after somebody else was denied",
  why: "A user is denied at one place and comes back to the right one. What was decided about the one login is not an answer to the next.",
  mend: "Decide anew at each call; or keep what was decided by everything that it rests on, the address too.",
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
    return letIn.size === 0 ? skipVerdict("nobody was let in") : PASSED;
  },
};

function isDenial({ response }: Exchange): boolean {
  return response?.status === 200;
}

/** The checks of whom a guard lets in at all. */
export const toldCallChecks: readonly (CallCheck | ObservationCheck)[] = [asToldCheck, pageAskedCheck, sameAgain];
