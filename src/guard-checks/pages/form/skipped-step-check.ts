import type { TrialCheck } from "../../../checking/check.ts";
import { otherThan } from "../../../checking/other-value.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { isPassed } from "../walk/answer.ts";
import type { FormTools } from "../walk/tools.ts";
import { fieldsOf } from "./form.ts";
import { earlierPasswords, valuesSent } from "./password-check.ts";
import { secretsAskedIn } from "./secret-fields.ts";

const [SHOWN, COMPLETE, TRIED, MISTYPED] = ["shown", "complete", "tried", "mistyped"];

/** The check of a page with several forms, of which an earlier one asks for a password. */
export const skippedStepCheck: TrialCheck<FormTools> = {
  id: "page.form.skipped-step",
  area: "page",
  title: "The last form gets no code from a user who has not sent the earlier form with the password",
  section: "3.1",
  severity: "must",
  why: "A user can send the last form without having seen the earlier ones. A password that only the way there asks for protects nothing.",
  fix: "Store on the server that this login has passed the earlier form, and look at it before you issue a code.",
  run: async (tools) => {
    const own = Object.keys(tools.configured).length === 0 ? null : await tools.login(SHOWN);
    const [field, password] = (own && earlierPasswords(own, tools.configured)[0]) ?? [];
    if (own === null || field === undefined || password === undefined) return;
    // A form that carries the password along may be compared with it at the end.
    if (fieldsOf(own.request).some(([, value]) => value === password)) return;
    const sendsIt = ({ request }: Exchange) => valuesSent(request).includes(password);
    const send = async (role: string, isMade: (exchange: Exchange) => boolean) => {
      const request = await tools.lastRequest(tools.newcomer(), isMade);
      return request === null ? null : tools.send(role, request);
    };
    if (!isPassed(await send(COMPLETE, () => true))) return;
    const skipped = [await send(TRIED, () => false), await send(TRIED, (exchange) => !sendsIt(exchange))];
    if (skipped.some(isPassed)) await tools.passWith(MISTYPED, { [field]: otherThan(password) }, tools.newcomer());
  },
  judge: ({ steps, landing, read }) => {
    const of = (role: string | undefined) => steps.filter((step) => step.role === role).map(({ exchange }) => exchange);
    const tried = of(TRIED);
    if (tried.length === 0) {
      const isRefused = of(COMPLETE).length > 0;
      return skipVerdict(
        isRefused
          ? "a user unknown to the app does not pass the page"
          : "no form before the last one asks for a password",
      );
    }
    const accepted = tried.map((exchange) => read(landing(exchange))).find(({ kind }) => kind === "accepted");
    if (accepted === undefined) return PASSED;
    const mistyped = of(MISTYPED);
    if (!mistyped.some((exchange) => secretsAskedIn(exchange).length > 0))
      return skipVerdict("the page asks a user unknown to the app for no password");
    if (mistyped.some(isPassed)) return skipVerdict("any password passes the page: see page.form.wrong-password");
    return faulty(
      skippedStepCheck,
      `the app ${accepted.says}, but not if the earlier form is sent with a wrong password`,
    );
  },
};
