import type { Evidence, TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { formEveryRoleCheck } from "../every-role.ts";
import { isInjected, markups } from "../opening/text-checks.ts";
import { returnOf } from "../walk/answer.ts";
import type { FormTools } from "../walk/tools.ts";
import { cancelledCheck } from "./cancelled-check.ts";
import { configuredTexts } from "./configured-texts.ts";
import { correctedCheck } from "./corrected-check.ts";
import { fieldsOf, isGuessable, withField } from "./form.ts";
import { mistypedCheck, passwordInsideCheck, wrongAnsweredCheck } from "./mistyped-check.ts";
import { oddInputCheck } from "./odd-input-check.ts";
import { othersInputCheck } from "./others-input-check.ts";
import { passRightly, passwordCheck, passwordTriesCheck } from "./password-check.ts";
import { passwordLimitCheck } from "./password-limit-check.ts";
import { requiredCheck } from "./required-check.ts";
import { passwordsIn } from "./secret-fields.ts";
import { skippedStepCheck } from "./skipped-step-check.ts";
import { unsetPasswordCheck } from "./unset-password.ts";

type FieldCheck = TrialCheck<FormTools>;

const TRIED = "tried";

const landings = ({ steps, landing }: Evidence, role: string | undefined) =>
  steps.filter((step) => step.role === role).map(({ exchange }) => landing(exchange));

/** Prefix of a state that no login has. */
const ADDED = "app-sim-state-of-another-login-";

const addedState: FieldCheck = {
  id: "page.form.added-state",
  area: "page",
  title: "A state added to the form does not replace the login's own",
  section: "4.2",
  severity: "should",
  why: "The state says which login continues. If a second state in the form counts, a login other than the one that was shown is completed.",
  fix: "Read the state from where the page stored it, and read only the form's own fields.",
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

/** Maximum number of fields that are tried. */
const MOST_FIELDS = 6;

const escaped: FieldCheck = {
  id: "page.form.escaped",
  area: "page",
  title: "Markup from the form is shown as text",
  section: "4.2",
  severity: "must",
  why: "A form that is shown again often repeats the input. Unescaped markup runs in the app's origin, and any site can submit a form.",
  fix: "Escape every text in a page for its context: template engines do by default.",
  mayLockOut: true,
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const guessable = fieldsOf(own.request).filter(([, value]) => isGuessable(value) && value !== own.state);
    const passwords = own.walked.slice(-1).flatMap(passwordsIn);
    for (const [name] of guessable.slice(0, MOST_FIELDS)) {
      for (const markup of markups) {
        const isPassword = passwords.includes(name);
        // Some apps lock out a user after several wrong passwords in one login.
        const form = isPassword ? await tools.login("opened") : own;
        const request = form && withField(form.request, name, markup);
        if (request !== null) await tools.send(TRIED, request);
        if (isPassword) await passRightly(tools);
      }
    }
    for (const name of configuredTexts(own.walked.slice(0, -1), tools.configured).slice(0, MOST_FIELDS)) {
      for (const markup of markups) {
        await tools.passWith(TRIED, { [name]: markup });
        // It may be a password, and some apps lock out a user after several wrong ones.
        await passRightly(tools);
      }
    }
  },
  judge: (evidence) => {
    const tried = landings(evidence, TRIED);
    if (tried.length === 0) return skipVerdict("the form has no field for a user to fill in");
    return tried.some(isInjected) ? faulty(escaped, "the page that came back contains the input as markup") : PASSED;
  },
};

/** Checks of single form fields. */
export const formFieldChecks: readonly FieldCheck[] = [
  passwordCheck,
  skippedStepCheck,
  cancelledCheck,
  passwordInsideCheck,
  mistypedCheck,
  wrongAnsweredCheck,
  requiredCheck,
  correctedCheck,
  addedState,
  escaped,
  oddInputCheck,
  othersInputCheck,
  formEveryRoleCheck,
  unsetPasswordCheck,
  passwordTriesCheck,
  passwordLimitCheck,
];
