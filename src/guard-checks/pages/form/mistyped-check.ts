import type { Evidence, TrialCheck } from "../../../checking/check.ts";
import { otherThan } from "../../../checking/other-value.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { bodyText } from "../../../journal/journal.ts";
import { everythingIn } from "../walk/answer.ts";
import type { FormTools } from "../walk/tools.ts";
import { completedFault } from "./completed-return.ts";
import { type AskedPassword, earlierForms } from "./earlier-passwords.ts";
import { valuesSent } from "./earlier-requests.ts";
import { withField } from "./form.ts";
import {
  configuredPasswords,
  NO_PASSWORD,
  NO_PASSWORD_ANYWHERE,
  passRightly,
  passwordsAsked,
} from "./password-check.ts";
import { holdsPasswordHash, isWordOf, unseenIn } from "./secret-fields.ts";
import { completedAgain } from "./shown-again.ts";
import { strandedIn } from "./stranded.ts";

const [SHOWN, TRIED, TRIED_EARLIER, RIGHT, FOREIGN] = ["shown", "tried", "tried earlier", "right", "foreign"];
const AGAIN = { opened: "reopened", completed: "completed", redeemed: "redeemed" } as const;

/** The requests shared by the two checks of a wrong password that is followed by the right one. */
const MISTYPED = "page.form.mistyped";

/** The check that a page does not contain the password that it asks for. */
export const passwordInsideCheck: TrialCheck<FormTools> = {
  id: "page.form.password-inside",
  area: "page",
  title: "The page does not hold the password or code that it asks for, not even after a wrong one",
  section: "3.1",
  severity: "should",
  why: "Everybody can read the source of a page: a code that a script compares, or that was left in a comment, is known before it is entered. An error that names the right one is no better.",
  fix: "Keep what is asked for on the server, and compare it there.",
  trial: MISTYPED,
  mayLockOut: true,
  run: mistype,
  judge: ({ steps, landing }) => {
    const walked = steps.filter(({ role }) => role === SHOWN).map(({ exchange }) => exchange);
    const forms = [...earlierForms(walked), ...lastForm(walked, steps.find(({ role }) => role === RIGHT)?.exchange)];
    if (forms.length === 0) return NO_PASSWORD_ANYWHERE;
    const answers = steps.filter(({ role }) => role === TRIED || role === TRIED_EARLIER);
    for (const { shown, password } of forms) {
      const before = everythingIn(shown);
      if (isWordOf(unseenIn(before), password))
        return faulty(passwordInsideCheck, "a script, a comment or an attribute of the page holds it");
      if (holdsPasswordHash(before))
        return faulty(
          passwordInsideCheck,
          "a script, a comment or an attribute of the page holds the hash of a password",
        );
      const isTold = afterWrong(answers, password).some(({ exchange }) =>
        isWordOf(everythingIn(landing(exchange)), password),
      );
      if (isTold && !isWordOf(before, password))
        return faulty(passwordInsideCheck, "the answer to a wrong one holds the right one");
    }
    return PASSED;
  },
};

/** The last form of a page, once for each password that it asks for. */
function lastForm(walked: readonly Exchange[], right: Exchange | undefined): AskedPassword[] {
  const shown = walked.at(-1);
  if (shown === undefined || right === undefined) return [];
  const sent = new URLSearchParams(`${new URL(right.request.url).search.slice(1)}&${bodyText(right.request.body)}`);
  return passwordsAsked(walked, [...sent]).map(([, password]) => ({ shown, password }));
}

/** The steps from the one that sends a wrong value in place of this password, until the right one is sent. */
function afterWrong(steps: Evidence["steps"], password: string): Evidence["steps"] {
  const sends = (value: string) => (step: Evidence["steps"][number]) =>
    valuesSent(step.exchange.request).includes(value);
  const first = steps.findIndex(sends(otherThan(password)));
  const after = first < 0 ? [] : steps.slice(first);
  const right = after.findIndex(sends(password));
  return right < 0 ? after : after.slice(0, right);
}

/** The check of the form that a page shows again to a user who has mistyped. */
export const mistypedCheck: TrialCheck<FormTools> = {
  id: MISTYPED,
  area: "page",
  title: "A form that is shown again after a wrong password can be completed with the right one",
  section: "3.1",
  severity: "must",
  why: "Everybody mistypes sometimes. A form that comes back without its hidden fields looks the same, but lets nobody continue.",
  fix: "Show the form again with everything that it had the first time, such as the token and the state, or return with an error. The state and the code must be those of this login.",
  trial: MISTYPED,
  mayLockOut: true,
  run: mistype,
  judge: (evidence) => {
    const isIn = (wanted: string | undefined) => evidence.steps.some(({ role }) => role === wanted);
    if (!isIn(TRIED)) return NO_PASSWORD;
    if (!isIn(AGAIN.completed)) return skipVerdict("after a wrong password the page does not ask for it again");
    return completedFault(mistypedCheck, evidence, AGAIN) ?? PASSED;
  },
};

/** The check that a page survives a wrong password. */
export const wrongAnsweredCheck: TrialCheck<FormTools> = {
  id: "page.form.wrong-answered",
  area: "page",
  title: "The app answers a wrong password without a server error, and lets the user go on",
  section: "3.1",
  severity: "must",
  why: "Everybody mistypes sometimes. A user who sees a server error, or an empty page, can neither try again nor return to the platform, and the login stays open until it expires.",
  fix: "Show the form again, or return with an error. The app's own log says what failed.",
  trial: MISTYPED,
  mayLockOut: true,
  run: mistype,
  judge: (evidence) => {
    const { steps, landing, read } = evidence;
    const wrong = steps.filter(({ role }) => role === FOREIGN || role === TRIED || role === TRIED_EARLIER);
    if (wrong.length === 0) return NO_PASSWORD_ANYWHERE;
    for (const { role, exchange } of wrong) {
      const { kind, says } = read(landing(exchange));
      const what = role === FOREIGN ? " to letters that are not ASCII" : "";
      if (kind === "broken") return faulty(wrongAnsweredCheck, `the app ${says}${what}`);
    }
    const stranded = strandedIn(evidence, SHOWN, (role) => role === TRIED);
    return stranded === null ? PASSED : { result: "warn", reason: `after a wrong password, ${stranded}` };
  },
};

/** Typed with another keyboard layout than the password. */
const FOREIGN_PASSWORD = "пароль";

/** The text with full-width digits, as Japanese keyboards write them, or with foreign letters. */
function inForeignLetters(text: string): string {
  return /^\d+$/.test(text)
    ? text.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
    : FOREIGN_PASSWORD;
}

/**
 * Mistypes, and passes the page rightly, each in a login of its own. Then mistypes in another, and completes the form that
 * is shown again.
 */
async function mistype(tools: FormTools): Promise<void> {
  const { own, given, earlier } = await configuredPasswords(tools);
  for (const [field, value] of earlier) {
    await tools.passWith(TRIED_EARLIER, { [field]: otherThan(value) });
    await passRightly(tools);
  }
  const shown = own?.walked.at(-1);
  const [name, value] = given[0] ?? [];
  if (name === undefined || value === undefined || shown === undefined) return;
  // By a new user: some apps lock users out for good after a few wrong ones.
  const foreign = await tools.login("opened", { person: tools.newcomer() });
  const typed = foreign && withField(foreign.request, name, FOREIGN_PASSWORD);
  if (typed !== null) await tools.send(FOREIGN, typed);
  // Whoever is unknown to the app may be refused before it looks at the password.
  const known = await tools.login("opened");
  const typedByKnown = known && withField(known.request, name, inForeignLetters(otherThan(value)));
  if (typedByKnown !== null) await tools.send(FOREIGN, typedByKnown);
  await passRightly(tools);
  await tools.submit(RIGHT, own);
  const login = await tools.login(AGAIN.opened);
  const wrong = login && withField(login.request, name, otherThan(value));
  if (login === null || wrong === null) return;
  const answer = await tools.send(TRIED, wrong);
  const again = completedAgain(login.request, shown, answer, name);
  if (again === null) await passRightly(tools);
  else await tools.redeem(AGAIN.redeemed, await tools.send(AGAIN.completed, again), login.person);
}
