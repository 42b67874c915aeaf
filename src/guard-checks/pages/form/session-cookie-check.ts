import { cookiesIn, type SetCookie, sentCookies } from "../../../browser/cookies.ts";
import type { Evidence, TrialCheck } from "../../../checking/check.ts";
import { sessionCookieFault } from "../../../checking/cookies.ts";
import { alterations, tellingAlterations } from "../../../checking/other-value.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { bodyText } from "../../../journal/journal.ts";
import type { FormTools } from "../walk/tools.ts";
import { withCookie } from "./form.ts";

/** Maximum number of cookies that are left out one by one. */
const MOST_COOKIES = 4;
const WITHOUT = "without ";
const NO_CARRIER = skipVerdict("no single cookie carries the login");

/** The check of the cookie that links a page to its form, if there is one. */
export const sessionCookieCheck: TrialCheck<FormTools> = {
  id: "page.form.session-cookie",
  area: "page",
  title: "No script can read the cookie that links the page to its form",
  section: "5.1",
  severity: "should",
  why: "An injected script can send a readable cookie away. With it somebody else can pass the page instead of the user.",
  fix: "Set the cookie with HttpOnly and SameSite=Lax, and with Secure if the app uses https.",
  run: async (tools) => {
    for (const name of await sentBy(tools)) await sendWithout(tools, name);
  },
  judge: (evidence) => {
    const carriers = carriersIn(evidence);
    if (carriers.length === 0) return NO_CARRIER;
    const fault = sessionCookieFault(carriers);
    return fault === null ? PASSED : faulty(sessionCookieCheck, fault);
  },
};

/** The check of how the app finds the login by that cookie. */
export const alteredCookieCheck: TrialCheck<FormTools> = {
  id: "page.form.altered-cookie",
  area: "page",
  title: "The form gets no code with a login cookie that is empty, or right only in its first half",
  section: "5.1",
  severity: "must",
  why: "If part of the key is enough, or none of it, an attacker soon gets the code of somebody who is logging in.",
  fix: "Look the login up by the complete value of its cookie, in a map keyed by these values.",
  run: async (tools) => {
    for (const name of await sentBy(tools)) {
      await sendWithout(tools, name);
      for (const [how, alter] of Object.entries(alterations)) {
        const own = await tools.login("opened");
        const value = own === null ? undefined : sentCookies(own.request.headers).get(name);
        if (own === null || value === undefined) continue;
        await tools.send(`${name} ${how}`, withCookie(own.request, name, alter(value)));
      }
    }
  },
  judge: (evidence) => {
    const { steps, landing, read } = evidence;
    const carriers = carriersIn(evidence);
    if (carriers.length === 0) return NO_CARRIER;
    for (const { name } of carriers) {
      const values = givenCookies(evidence).flatMap((cookie) => (cookie.name === name ? [cookie.value] : []));
      const taken = tellingAlterations(values).find((how) =>
        steps.some(({ role, exchange }) => role === `${name} ${how}` && read(landing(exchange)).kind === "accepted"),
      );
      if (taken !== undefined) return faulty(alteredCookieCheck, `the cookie ${name} is enough when it is ${taken}`);
    }
    return PASSED;
  },
};

/** The names of the cookies that a form sends. */
async function sentBy(tools: FormTools): Promise<string[]> {
  const first = await tools.login("opened");
  return first === null ? [] : [...sentCookies(first.request.headers).keys()].slice(0, MOST_COOKIES);
}

async function sendWithout(tools: FormTools, name: string): Promise<void> {
  const own = await tools.login("opened");
  if (own !== null) await tools.send(WITHOUT + name, withCookie(own.request, name, null));
}

/** The cookies that were set, oldest first. */
function givenCookies({ steps }: Evidence): SetCookie[] {
  return steps.flatMap(({ exchange }) => cookiesIn(exchange)).filter(({ value }) => value !== "");
}

/** The cookies without which the form is refused; not those that the form repeats, which protect it from other sites. */
function carriersIn(evidence: Evidence): SetCookie[] {
  const { steps, landing, read } = evidence;
  const set = givenCookies(evidence);
  return steps.flatMap(({ role, exchange }) => {
    const name = role.startsWith(WITHOUT) ? role.slice(WITHOUT.length) : null;
    const ofName = set.filter((cookie) => cookie.name === name);
    const sent = `${exchange.request.url} ${bodyText(exchange.request.body)}`;
    const isInForm = /[cx]srf/i.test(name ?? "") || ofName.some(({ value }) => sent.includes(value));
    const isNeeded = name !== null && !isInForm && read(landing(exchange)).kind === "refused";
    return isNeeded ? ofName.slice(-1) : [];
  });
}
