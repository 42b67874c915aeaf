import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { FormTools } from "../walk/tools.ts";
import { fieldsOf, withField } from "./form.ts";
import { configuredPasswords, NO_PASSWORD, passRightly, passwordsAsked } from "./password-check.ts";

/** What code makes of a password that is not there, by role. */
const ABSENT: Readonly<Record<string, string>> = {
  "an empty password": "",
  ...Object.fromEntries(["undefined", "null", "None"].map((word) => [`the password "${word}"`, word])),
};

/** The check of a user for whom the app has stored no password: one that it does not know. */
export const unsetPasswordCheck: TrialCheck<FormTools> = {
  id: "page.form.unset-password",
  area: "page",
  title: "A user who has no password gets no code with an empty one",
  section: "3.1",
  severity: "must",
  why: "New users have not set a password yet. If the look-up then gives an empty text or the word undefined, whoever logs in first as such a user passes with just that.",
  mayLockOut: true,
  fix: "Refuse every password if none is stored for the user, before comparing anything.",
  run: async (tools) => {
    const [[name] = []] = (await configuredPasswords(tools)).given;
    if (name === undefined) return;
    for (const [role, value] of Object.entries(ABSENT)) {
      const login = await tools.login("opened", { person: tools.newcomer() });
      const isAsked =
        login !== null && passwordsAsked(login.walked, fieldsOf(login.request)).some(([each]) => each === name);
      const form = isAsked ? withField(login.request, name, value) : null;
      if (form !== null) await tools.send(role, form);
    }
    await passRightly(tools);
  },
  judge: ({ steps, landing, read }) => {
    const tried = steps.filter(({ role }) => role in ABSENT);
    if (tried.length === 0) {
      const isOpened = steps.some(({ role }) => role === "opened");
      return isOpened ? skipVerdict("the page does not ask a user unknown to the app for a password") : NO_PASSWORD;
    }
    const passed = tried.find(({ exchange }) => read(landing(exchange)).kind === "accepted");
    if (passed === undefined) return PASSED;
    const { says } = read(landing(passed.exchange));
    return faulty(unsetPasswordCheck, `with ${passed.role}, the app ${says} to a user whom it does not know`);
  },
};
