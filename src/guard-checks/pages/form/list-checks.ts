import type { CheckFacts, Evidence, TrialCheck, Verdict } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { FormTools, OpenPageTools } from "../walk/tools.ts";
import { fieldsOf, withListField } from "./form.ts";

const TRIED = "tried";
/** Maximum number of fields that are tried. */
const MOST_FIELDS = 6;

const asLists = {
  area: "page",
  section: "4.2",
  severity: "should",
  why: "Many frameworks parse `state[]=…` as a list. Code that expects a string fails with a server error, which tells the user nothing and hides the errors that matter.",
  fix: "Answer 400 if a parameter is not a single string; check that before using it, even in typed code.",
} as const;

/** Anything is right except a server error. */
function judgeTried(check: CheckFacts, { steps, landing, read }: Evidence): Verdict {
  const tried = steps.filter(({ role }) => role === TRIED).map(({ exchange }) => read(landing(exchange)));
  if (tried.length === 0) return skipVerdict("nothing that is sent could be a list");
  const broken = tried.find(({ kind }) => kind === "broken");
  return broken === undefined ? PASSED : faulty(check, `the app ${broken.says} to a list instead of a string`);
}

/** The check of a page's address. */
export const openListsCheck: TrialCheck<OpenPageTools> = {
  ...asLists,
  id: "page.open.lists",
  title: "The page answers parameters that are lists without a server error",
  run: async (tools) => {
    for (const name of ["jwtToken", "state"]) {
      const request = await tools.open({});
      const isToken = "query" in request.tokenIn && request.tokenIn.query === name;
      const changed = isToken ? { ...request, tokenIn: { query: `${name}[]` } } : withListField(request, name);
      if (changed !== null) await tools.send(TRIED, changed);
    }
  },
  judge: (evidence) => judgeTried(openListsCheck, evidence),
};

/** The check of a page's form. */
export const formListsCheck: TrialCheck<FormTools> = {
  ...asLists,
  id: "page.form.lists",
  title: "The app answers a form with fields that are lists without a server error",
  run: async (tools) => {
    const shown = await tools.login("opened");
    const names = new Set(shown === null ? [] : fieldsOf(shown.request).map(([name]) => name));
    for (const name of [...names].filter((each) => !each.endsWith("]")).slice(0, MOST_FIELDS)) {
      const own = await tools.login("opened");
      const changed = own && withListField(own.request, name);
      if (changed !== null) await tools.send(TRIED, changed);
    }
  },
  judge: (evidence) => judgeTried(formListsCheck, evidence),
};
