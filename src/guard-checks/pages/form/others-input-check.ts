import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { harmlessLine } from "../../../protocol/harmless.ts";
import { isPassed } from "../walk/answer.ts";
import type { FormTools } from "../walk/tools.ts";
import { configuredPasswords, passRightly } from "./password-check.ts";

const TRIED = "with another user's ";

/** The check of what a page asks for besides passwords, where the configuration has it by role. */
export const othersInputCheck: TrialCheck<FormTools> = {
  id: "page.form.others-input",
  area: "page",
  title: "The page does not accept what another user fills in, such as that user's e-mail address",
  section: "3.1",
  severity: "should",
  why: "A field that differs from user to user says who somebody is. If it is not compared, a one-time code goes to any address that is typed.",
  fix: "Compare each such field with what is stored for the user in the token, and do so before sending anything.",
  mayLockOut: true,
  run: async (tools) => {
    const { given, earlier } = await configuredPasswords(tools);
    const passwords = [...given, ...earlier].map(([name]) => name);
    for (const name of Object.keys(tools.configured).filter((each) => !passwords.includes(each))) {
      for (const value of tools.othersValues(name)) {
        await tools.passWith(TRIED + name, { [name]: value });
        await passRightly(tools);
      }
    }
  },
  judge: ({ steps }) => {
    const tried = steps.filter(({ role }) => role.startsWith(TRIED));
    if (tried.length === 0) return skipVerdict("the configuration fills in nothing by role, apart from passwords");
    const passed = tried.find(({ exchange }) => isPassed(exchange));
    return passed === undefined
      ? PASSED
      : faulty(othersInputCheck, `the user came back with a code ${harmlessLine(passed.role)}`);
  },
};
