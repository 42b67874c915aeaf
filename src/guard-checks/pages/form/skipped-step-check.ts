import type { TrialCheck } from "../../../checking/check.ts";
import { otherThan } from "../../../checking/other-value.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { Person } from "../../call.ts";
import { isPassed } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { buttonsIn, declines } from "./buttons.ts";
import { earlierPasswords, tryEarlier } from "./earlier-passwords.ts";
import { valuesSent } from "./earlier-requests.ts";
import { fieldsOf } from "./form.ts";
import { secretsAskedIn } from "./secret-fields.ts";

const [SHOWN, COMPLETE, TRIED, MISTYPED, UNANSWERED] = ["shown", "complete", "tried", "mistyped", "unanswered"];
/** The roles of the last form after the earlier one had something else than the password, and what that was. */
const instead = {
  "after a wrong password in the earlier form": otherThan,
  "after an earlier form without its password": () => "",
} as const;
/** The role of a walk that declines the first form, and otherwise does what passes the page. */
const OFFERED = "declined, and passed otherwise";
const ANSWER_SKIPPED = "a user who has not answered the earlier form, which can be declined, came back with a code";

/** The check of a page with several forms, of which an earlier one asks for a password. */
export const skippedStepCheck: TrialCheck<FormTools> = {
  id: "page.form.skipped-step",
  area: "page",
  title: "The last form gets no code from a user who skipped an earlier one that asks for a password or consent",
  section: "3.1",
  severity: "must",
  mayLockOut: true,
  why: "A user can send the last form without having seen the earlier ones. A password or a consent that nobody looks for at the end protects nothing.",
  fix: "Store on the server that this login has passed the earlier form, and look at it before you issue a code.",
  run: async (tools) => {
    const own = await tools.login(SHOWN);
    if (own === null) return;
    const [field, password] = earlierPasswords(own, tools.configured)[0] ?? [];
    const sendAs = async (person: Person, role: string, isMade: (exchange: Exchange) => boolean) => {
      const request = await tools.lastRequest(person, (between) => (isMade(between) ? [between] : []));
      return request === null ? null : tools.send(role, request);
    };
    const complete = async () => {
      for (const next of [tools.newcomer, () => own.person]) {
        const first = next();
        if (isPassed(await sendAs(first, COMPLETE, () => true))) return { first, next };
      }
      return null;
    };
    if (field === undefined || password === undefined) {
      if (!isDeclinable(own)) return;
      const completed = await complete();
      if (completed === null) return;
      // Both answers to an offer may lead on.
      await tools.passDeclining(OFFERED);
      await sendAs(completed.next(), UNANSWERED, () => false);
      return;
    }
    // A form that carries the password along may be compared with it at the end.
    if (fieldsOf(own.request).some(([, value]) => value === password)) return;
    const sendsIt = ({ request }: Exchange) => valuesSent(request).includes(password);
    const completed = await complete();
    if (completed === null) return;
    // Where the page asks a user again in each login, what they did in an earlier one does not count either.
    const { first, next } = completed;
    for (const { person, mistyping } of [
      { person: next(), mistyping: next() },
      { person: first, mistyping: first },
    ]) {
      const send = (isMade: (exchange: Exchange) => boolean) => sendAs(person, TRIED, isMade);
      const skipped = [await send(() => false), await send((exchange) => !sendsIt(exchange))];
      for (const [role, typed] of Object.entries(instead))
        skipped.push(await tryEarlier(tools, password, { role, person, typed: [typed(password)] }));
      if (!skipped.some(isPassed)) continue;
      await tools.passWith(MISTYPED, { [field]: otherThan(password) }, mistyping);
      return;
    }
  },
  judge: ({ steps, landing, read }) => {
    const of = (role: string | undefined) => steps.filter((step) => step.role === role).map(({ exchange }) => exchange);
    if (of(OFFERED).some(isPassed))
      return skipVerdict("a user who declines the earlier form comes back with a code, too");
    const unanswered = of(UNANSWERED).find((exchange) => isPassed(landing(exchange)));
    if (unanswered !== undefined) return { result: "warn", reason: ANSWER_SKIPPED };
    if (of(UNANSWERED).length > 0) return PASSED;
    const tried = of(TRIED);
    if (tried.length === 0) {
      const isRefused = of(COMPLETE).length > 0;
      return skipVerdict(
        isRefused
          ? "nobody passes the page when its requests are repeated"
          : "no form before the last one asks for a password, or can be declined",
      );
    }
    const readOf = (exchange: Exchange) => read(landing(exchange));
    const accepted = tried.map(readOf).find(({ kind }) => kind === "accepted");
    const wrongly = steps.find(({ role, exchange }) => role in instead && readOf(exchange).kind === "accepted");
    if (accepted === undefined && wrongly === undefined) return PASSED;
    const mistyped = of(MISTYPED);
    if (!mistyped.some((exchange) => secretsAskedIn(exchange).length > 0))
      return skipVerdict(
        "the page asks for no password from a user who passed it before, or whom the app does not know",
      );
    if (mistyped.some(isPassed)) return skipVerdict("any password passes the page: see page.form.wrong-password");
    return accepted === undefined
      ? faulty(skippedStepCheck, `the last form got a code ${wrongly?.role}`)
      : faulty(skippedStepCheck, `the app ${accepted.says}, but not if the earlier form is sent with a wrong password`);
  },
};

/** Whether a form before the last one can be declined, and the last one does not say that it was not. */
function isDeclinable({ walked, request }: ReadyForm): boolean {
  const canDecline = walked.slice(0, -1).some((shown) => buttonsIn(shown).some(declines));
  const sent = walked.slice(1).flatMap(({ request: between }) => valuesSent(between));
  return canDecline && !fieldsOf(request).some(([, value]) => value !== "" && sent.includes(value) && !isLong(value));
}

/** Tokens, states and the keys of a login are long; what a user chooses is not. */
const isLong = (value: string) => value.length > 15;
