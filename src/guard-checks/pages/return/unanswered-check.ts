import type { TrialCheck } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { fieldsOf, isGuessable, withoutField } from "../form/form.ts";
import type { ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";

const UNANSWERED = "unanswered";

/** The check of a form that says neither yes nor no. */
export const unansweredCheck: TrialCheck<FormTools> = {
  id: "page.form.unanswered",
  area: "page",
  title: "The form gets no code without the field that says yes or no",
  section: "3.1",
  severity: "should",
  why: "Code that checks only for no treats everything else as yes. A form that a script sends, or that was truncated, then passes the guard without a yes.",
  fix: "Check for the one value that says yes, and answer 400 to anything that says neither yes nor no.",
  run: async (tools) => {
    const no = await tools.failing("opened");
    const yes = no && (await tools.login("opened"));
    const request = yes && withoutAnswer(yes, no, Object.keys(tools.configured));
    if (request !== null) await tools.send(UNANSWERED, request);
  },
  judge: ({ steps, landing, read }) => {
    const [sent] = steps.filter(({ role }) => role === UNANSWERED).map(({ exchange }) => read(landing(exchange)));
    if (sent === undefined) return skipVerdict("no single field of the form says yes or no");
    return sent.kind === "accepted" ? faulty(unansweredCheck, `the app ${sent.says}`) : PASSED;
  },
};

/**
 * The form that passes the page, without the field that says yes in it, and no in the form that fails the page. Null if
 * there is no such field: if another button cancels, every other form may mean yes. Also null if a field, such as a PIN,
 * is filled to pass the page but has no other value to fail it: filling it may be the yes.
 * @param filled names of the fields that are filled to pass the page
 */
function withoutAnswer(yes: ReadyForm, no: ReadyForm, filled: readonly string[]): RequestParts | null {
  if (yes.request.method !== no.request.method || placeOf(yes.request) !== placeOf(no.request)) return null;
  const others = new Map(fieldsOf(no.request));
  const fields = fieldsOf(yes.request).filter(([, value]) => value !== yes.state && isGuessable(value));
  const isAnswer = ([name, value]: (typeof fields)[number]) => !["", value].includes(others.get(name) ?? "");
  if (fields.some((field) => filled.includes(field[0]) && !isAnswer(field))) return null;
  return fields
    .filter(isAnswer)
    .reduce<RequestParts | null>((request, [name]) => withoutField(request ?? yes.request, name) ?? request, null);
}

function placeOf({ url }: RequestParts): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
