import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { FormTools } from "../walk/tools.ts";
import { configuredTexts } from "./configured-texts.ts";
import { passRightly } from "./password-check.ts";

/** What people type by mistake, whatever a field asks for. */
const oddInputs: Readonly<Record<string, string>> = {
  letters: "abc",
  nothing: "",
  "1,000 digits": "7".repeat(1_000),
};
const IN = " in the field ";
/** Maximum number of fields that are tried. */
const MOST_FIELDS = 3;

/** The check of what a form does with input of the wrong kind. */
export const oddInputCheck: TrialCheck<FormTools> = {
  id: "page.form.odd-input",
  area: "page",
  title: "A form with letters, nothing or a very long text in a field is answered without a server error",
  section: "3.1",
  severity: "must",
  why: "People mistype, and some leave out what they do not know. If the app fails then, they see its error page, and do not learn what was wrong.",
  fix: "Check what the form sends before you convert it or look it up, and show the form again with a message.",
  mayLockOut: true,
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const names = configuredTexts(own.walked, tools.configured).filter((name) => tools.configured[name] !== "");
    for (const name of names.slice(0, MOST_FIELDS)) {
      for (const [what, text] of Object.entries(oddInputs)) {
        await tools.passWith(what + IN + name, { [name]: text });
        // It may be a password, and some apps lock out a user after several wrong ones.
        await passRightly(tools);
      }
    }
  },
  judge: ({ steps }) => {
    const tried = steps.filter(({ role }) => role.includes(IN));
    if (tried.length === 0) return skipVerdict("the configuration fills in no text field of the page");
    for (const { role, exchange } of tried) {
      const status = exchange.response?.status ?? 0;
      // An app that is busy says so with 503.
      if (status >= 500 && status !== 503) return faulty(oddInputCheck, `the app answered ${status} to ${role}`);
    }
    return PASSED;
  },
};
