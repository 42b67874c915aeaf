import type { TrialCheck } from "../../checking/check.ts";
import type { RequestParts } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import { fieldsOf, isGuessable, withoutField } from "./form.ts";
import type { ReadyForm } from "./login.ts";
import type { FormTools } from "./tools.ts";

const UNANSWERED = "unanswered";

/** The check of a form that says neither yes nor no. */
export const unansweredCheck: TrialCheck<FormTools> = {
  id: "page.form.unanswered",
  area: "page",
  title: "The form gets no code without the field by which it says yes or no",
  section: "3.1",
  severity: "should",
  why: "Code that looks for the no alone takes all else for a yes. A form that a script sends, or that was cut, then passes the guard, and nobody has said yes.",
  mend: "Look for the one value that says yes, and answer 400 to what is neither that nor the one that says no.",
  run: async (tools) => {
    const no = await tools.failing("opened");
    const yes = no && (await tools.login("opened"));
    const request = yes && withoutAnswer(yes, no, Object.keys(tools.told));
    if (request !== null) await tools.send(UNANSWERED, request);
  },
  judge: ({ steps, landing, read }) => {
    const [sent] = steps.filter(({ role }) => role === UNANSWERED).map(({ exchange }) => read(landing(exchange)));
    if (sent === undefined) return skipVerdict("no field of the form says yes or no");
    return sent.kind === "accepted" ? faulty(unansweredCheck, `the app ${sent.says}`) : PASSED;
  },
};

/**
 * The form that passes the page without the fields in which the one that fails it differs; null where there are none, or
 * where it is the address that differs. What a user fills in for a yes alone may be more than the answer.
 * @param filled names of the fields that are filled to pass the page
 */
function withoutAnswer(yes: ReadyForm, no: ReadyForm, filled: readonly string[]): RequestParts | null {
  if (yes.request.method !== no.request.method || placeOf(yes.request) !== placeOf(no.request)) return null;
  const others = new Map(fieldsOf(no.request));
  const answers = fieldsOf(yes.request).filter(([name, value]) => {
    const other = others.get(name) ?? "";
    return value !== other && value !== yes.state && isGuessable(value) && (other !== "" || !filled.includes(name));
  });
  return answers.reduce<RequestParts | null>(
    (request, [name]) => withoutField(request ?? yes.request, name) ?? request,
    null,
  );
}

function placeOf({ url }: RequestParts): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
