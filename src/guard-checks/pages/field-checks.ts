import { attributeValues } from "../../browser/read-html.ts";
import type { Evidence, TrialCheck } from "../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyBytes } from "../../journal/journal.ts";
import { returnOf } from "./answer.ts";
import { fieldsOf, isGuessable, withField, withListField } from "./form.ts";
import { isInjected, markups } from "./text-checks.ts";
import type { FormTools } from "./tools.ts";

type FieldCheck = TrialCheck<FormTools>;

/** Names of fields that are for a secret, also where they show what is typed. */
const secretNames = ["pin", "pincode", "otp", "totp", "passcode", "passphrase", "password", "secret"];
/** Fields that take the one value which their user knows. */
const passwords = [
  "input[type=password i]",
  "input[autocomplete=one-time-code i]",
  "input[autocomplete=current-password i]",
  ...secretNames.map((name) => `input[name=${name} i]`),
].join();

const [SHOWN, TRIED] = ["shown", "tried"];

const landings = ({ steps, landing }: Evidence, role: string | undefined) =>
  steps.filter((step) => step.role === role).map(({ exchange }) => landing(exchange));

const passwordCheck: FieldCheck = {
  id: "page.form.wrong-password",
  area: "page",
  title: "The form gets no code with a password other than the configured one",
  section: "3.1",
  severity: "must",
  why: "A password that nobody compares protects nothing, and every right login still works. Only a wrong one shows it.",
  mend: "Compare what was entered with what is stored for this user, and issue the code only where they agree.",
  run: async (tools) => {
    const told = new Set(Object.values(tools.told));
    const own = told.size === 0 ? null : await tools.login("opened");
    if (own === null) return;
    const shown = await tools.open(SHOWN);
    const names = new Set(passwordsIn(shown));
    for (const [name, value] of fieldsOf(own.request)) {
      if (!names.has(name) || !told.has(value)) continue;
      const wrong = withField(own.request, name, otherThan(value));
      if (wrong !== null) await tools.send(TRIED, wrong);
      // To some code a list is equal to any text.
      const again = await tools.login("opened");
      if (again !== null) await tools.send(TRIED, withListField(again.request, name));
    }
  },
  judge: (evidence) => {
    const tried = landings(evidence, TRIED);
    if (tried.length === 0) return skipVerdict("the configuration names no password of the form");
    const accepted = tried.map((landing) => evidence.read(landing)).find(({ kind }) => kind === "accepted");
    return accepted === undefined ? PASSED : faulty(passwordCheck, `the app ${accepted.says}`);
  },
};

function passwordsIn({ response }: Exchange): string[] {
  if (response === null) return [];
  return attributeValues({ headers: response.headers, body: bodyBytes(response.body) }, passwords, "name");
}

/** A value of the same length and kind. */
function otherThan(value: string): string {
  return value.replaceAll(/[\da-z]/gi, (letter) =>
    /[9z]/i.test(letter) ? (letter === "9" ? "0" : "a") : next(letter),
  );
}

function next(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}

/** How a state begins that no login has. */
const ADDED = "app-sim-state-of-another-login-";

const addedState: FieldCheck = {
  id: "page.form.added-state",
  area: "page",
  title: "A state that is added to the form does not take the place of the login's own",
  section: "4.2",
  severity: "should",
  why: "The state says which login goes on. Whoever puts another one into the form ends another login than the one that was shown.",
  mend: "Take the state from where the page kept it, and read no other fields than those of the form.",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null || fieldsOf(own.request).some(([name]) => name === "state")) return;
    const added = withField(own.request, "state", `${ADDED}${tools.madeUp()}`);
    if (added !== null) await tools.send(TRIED, added);
  },
  judge: (evidence) => {
    const tried = landings(evidence, TRIED);
    if (tried.length === 0) return skipVerdict("the form sends the state itself");
    const isTaken = tried.some((landing) => returnOf(landing)?.state.some((state) => state.startsWith(ADDED)) === true);
    return isTaken ? faulty(addedState, "the user came back with the state that was added") : PASSED;
  },
};

/** A form with more fields is not tried with each. */
const MOST_FIELDS = 6;

const escaped: FieldCheck = {
  id: "page.form.escaped",
  area: "page",
  title: "What the form sends is shown as text, markup and all",
  section: "4.2",
  severity: "must",
  why: "A form that is shown again often has what was entered. As markup it runs in the app's name, and any site can send a form.",
  mend: "Escape every text that is put into a page, for the place where it stands: template engines do, unless told otherwise.",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const guessable = fieldsOf(own.request).filter(([, value]) => isGuessable(value) && value !== own.state);
    for (const [name] of guessable.slice(0, MOST_FIELDS)) {
      for (const markup of markups) {
        const request = withField(own.request, name, markup);
        if (request !== null) await tools.send(TRIED, request);
      }
    }
  },
  judge: (evidence) => {
    const tried = landings(evidence, TRIED);
    if (tried.length === 0) return skipVerdict("the form has no field that a user fills");
    return tried.some(isInjected) ? faulty(escaped, "the page that came has it as markup") : PASSED;
  },
};

/** The checks of single fields of a page's form. */
export const formFieldChecks: readonly FieldCheck[] = [passwordCheck, addedState, escaped];
