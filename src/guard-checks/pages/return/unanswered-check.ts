import type { TrialCheck } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { fieldsOf, isGuessable, withoutField } from "../form/form.ts";
import { asksForSecret } from "../form/password-check.ts";
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
    const filled = Object.keys(tools.configured);
    const shown = yes === null || filled.length === 0 ? null : await tools.open("shown");
    const secret = shown === null ? [] : filled.filter((name) => asksForSecret(shown, name));
    const request = yes && withoutAnswer(yes, no, { filled, secret });
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
 * there is no such field: if another button cancels, every other form may mean yes. What is filled in to pass the page,
 * such as a name, but not to fail it, is left out, too: filling it in may be the yes. Also null if that is a PIN: some
 * apps lock out users who send a wrong one, or none.
 * @param filled names of the fields that are filled to pass the page; `secret`: those for a PIN or a password
 */
function withoutAnswer(
  yes: ReadyForm,
  no: ReadyForm,
  { filled, secret }: { readonly filled: readonly string[]; readonly secret: readonly string[] },
): RequestParts | null {
  if (yes.request.method !== no.request.method || placeOf(yes.request) !== placeOf(no.request)) return null;
  const others = new Map(fieldsOf(no.request));
  const fields = fieldsOf(yes.request);
  const answers = fields.filter(
    ([name, value]) => value !== yes.state && isGuessable(value) && !["", value].includes(others.get(name) ?? ""),
  );
  if (answers.length === 0) return null;
  const left = fields.filter((field) => filled.includes(field[0]) && !answers.includes(field));
  if (left.some(([name]) => secret.includes(name))) return null;
  return [...answers, ...left].reduce<RequestParts>(
    (request, [name]) => withoutField(request, name) ?? request,
    yes.request,
  );
}

function placeOf({ url }: RequestParts): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
