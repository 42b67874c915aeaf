import { isField } from "../../../browser/html-form.ts";
import type { Evidence, TrialCheck } from "../../../checking/check.ts";
import { otherThan } from "../../../checking/other-value.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { pageOf } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { fieldsOf, withField } from "./form.ts";
import { configuredPasswords, NO_PASSWORD, passRightly, passwordsAsked } from "./password-check.ts";
import { secretsAskedIn } from "./secret-fields.ts";

/** The role of any other password: a user who chooses one at the first login passes with that, too. */
const CHOSEN = "another password";

const REDEEMED = "redeemed with ";

/** What code makes of a password that is not there, by role. */
const ABSENT: Readonly<Record<string, string>> = {
  "an empty password": "",
  ...Object.fromEntries(["undefined", "null", "None"].map((word) => [`the password "${word}"`, word])),
};

/** The check of a user for whom the app has stored no password: one that it does not know. */
export const unsetPasswordCheck: TrialCheck<FormTools> = {
  id: "page.form.unset-password",
  area: "page",
  title: "A user who has no password gets no code with an empty one, or with a word such as undefined",
  section: "3.1",
  severity: "must",
  why: "New users have not set a password yet. If the look-up then gives an empty string or the word undefined, whoever logs in first as such a user passes with just that.",
  mayLockOut: true,
  fix: "Refuse every password if none is stored for the user, before comparing anything.",
  run: async (tools) => {
    const [[name, right] = []] = (await configuredPasswords(tools)).given;
    if (name === undefined || right === undefined) return;
    for (const [role, value] of Object.entries({ [CHOSEN]: otherThan(right), ...ABSENT })) {
      const person = tools.newcomer();
      const login = await tools.login("opened", { person });
      const form = login !== null && asksFor(login, name) ? withField(login.request, name, value) : null;
      if (form !== null) await tools.redeem(REDEEMED + role, await tools.send(role, form), person);
      // Some apps count wrong passwords by address.
      await passRightly(tools);
    }
  },
  judge: ({ steps, landing }) => {
    const tried = steps.filter(({ role }) => role in ABSENT);
    if (tried.length === 0) {
      const isOpened = steps.some(({ role }) => role === "opened");
      return isOpened ? skipVerdict("the page does not ask users unknown to the app for a password") : NO_PASSWORD;
    }
    const isLetIn = (role: string) => isLetInAs(REDEEMED + role, steps);
    if (isLetIn(CHOSEN)) return skipVerdict("a user unknown to the app passes with any password");
    const passed = tried.filter(({ role }) => isLetIn(role));
    const [first] = passed;
    if (first === undefined) return PASSED;
    const reason = `a user unknown to the app is let in with ${first.role}`;
    // Where nothing says that a password is required, a user without one may need none.
    if (passed.some(({ role }) => ABSENT[role] !== "")) return faulty(unsetPasswordCheck, reason);
    return requiresPassword(steps, landing)
      ? faulty(unsetPasswordCheck, `${reason}, although the form requires one`)
      : { result: "warn", reason: `${reason}, which the form permits` };
  },
};

function asksFor({ walked, request }: ReadyForm, name: string): boolean {
  return passwordsAsked(walked, fieldsOf(request)).some(([each]) => each === name);
}

/** Whether the form that was shown says that its password is required. */
function requiresPassword(steps: Evidence["steps"], landing: Evidence["landing"]): boolean {
  const pages = steps.filter(({ role }) => role === "opened").map(({ exchange }) => landing(exchange));
  return pages.some((shown) => {
    const names = secretsAskedIn(shown);
    const fields = (pageOf(shown)?.forms ?? []).flatMap(({ controls }) => controls.filter(isField));
    return fields.some(({ name, isRequired }) => isRequired && names.includes(name));
  });
}
