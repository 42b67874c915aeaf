import type { Evidence, TrialCheck } from "../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import { returnOf } from "./answer.ts";
import { fieldsOf, isGuessable, withField } from "./form.ts";
import { passRightly, passwordCheck, passwordsIn, passwordTriesCheck } from "./password-check.ts";
import { isInjected, markups } from "./text-checks.ts";
import type { FormTools } from "./tools.ts";

type FieldCheck = TrialCheck<FormTools>;

const TRIED = "tried";

const landings = ({ steps, landing }: Evidence, role: string | undefined) =>
  steps.filter((step) => step.role === role).map(({ exchange }) => landing(exchange));

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
    const passwords = guessable.length === 0 ? [] : passwordsIn(await tools.open("shown"));
    for (const [name] of guessable.slice(0, MOST_FIELDS)) {
      for (const markup of markups) {
        const isPassword = passwords.includes(name);
        // Some apps lock out a user of whom several wrong passwords come in one login.
        const form = isPassword ? await tools.login("opened") : own;
        const request = form && withField(form.request, name, markup);
        if (request !== null) await tools.send(TRIED, request);
        if (isPassword) await passRightly(tools);
      }
    }
  },
  judge: (evidence) => {
    const tried = landings(evidence, TRIED);
    if (tried.length === 0) return skipVerdict("the form has no field that a user fills");
    return tried.some(isInjected) ? faulty(escaped, "the page that came has it as markup") : PASSED;
  },
};

/** The checks of single fields of a page's form; what could make an app lock somebody out comes last. */
export const formFieldChecks: readonly FieldCheck[] = [passwordCheck, addedState, escaped, passwordTriesCheck];
