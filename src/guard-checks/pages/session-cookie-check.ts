import type { Evidence, TrialCheck } from "../../checking/check.ts";
import { readSetCookie, type SetCookie, sentCookies, sessionCookieFault } from "../../checking/cookies.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import { headerValues } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import { withCookie } from "./form.ts";
import type { FormTools } from "./tools.ts";

/** A form that sends more cookies is not tried without each. */
const MOST_COOKIES = 4;
const WITHOUT = "without ";

/** The check of the cookie that carries the login from a page to its form, where one does. */
export const sessionCookieCheck: TrialCheck<FormTools> = {
  id: "page.form.session-cookie",
  area: "page",
  title: "No script can read the cookie that carries the login from the page to its form",
  section: "5.1",
  severity: "should",
  why: "A script that somebody smuggles into a page can send a readable cookie away. With it the page is passed in the user's place.",
  mend: "Set the cookie with HttpOnly and SameSite=Lax, and with Secure where the app is served by https.",
  run: async (tools) => {
    const first = await tools.login("opened");
    const names = first === null ? [] : [...sentCookies(first.request.headers).keys()];
    for (const name of names.slice(0, MOST_COOKIES)) {
      const own = await tools.login("opened");
      if (own !== null) await tools.send(WITHOUT + name, withCookie(own.request, name, null));
    }
  },
  judge: (evidence) => {
    const carriers = carriersIn(evidence);
    if (carriers.length === 0) return skipVerdict("no single cookie carries the login");
    const fault = sessionCookieFault(carriers);
    return fault === null ? PASSED : faulty(sessionCookieCheck, fault);
  },
};

/** The cookies without which the form is refused; not those that stand in the form as well, which prove where it comes from. */
function carriersIn({ steps, landing, read }: Evidence): SetCookie[] {
  const set = steps
    .flatMap(({ exchange }) => headerValues(exchange.response?.headers ?? [], "set-cookie"))
    .map(readSetCookie);
  return steps.flatMap(({ role, exchange }) => {
    const name = role.startsWith(WITHOUT) ? role.slice(WITHOUT.length) : null;
    const ofName = set.filter((cookie) => cookie.name === name && cookie.value !== "");
    const sent = `${exchange.request.url} ${bodyText(exchange.request.body)}`;
    const isInForm = /[cx]srf/i.test(name ?? "") || ofName.some(({ value }) => sent.includes(value));
    const isNeeded = name !== null && !isInForm && read(landing(exchange)).kind === "refused";
    return isNeeded ? ofName.slice(-1) : [];
  });
}
