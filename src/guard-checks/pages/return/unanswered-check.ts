import type { TrialCheck } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { tickedBoxes } from "../form/boxes.ts";
import { fieldsOf, isGuessable, withoutField } from "../form/form.ts";
import { asksForSecret } from "../form/secret-fields.ts";
import { isSamePath } from "../walk/form-paths.ts";
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
    if (no === null || yes === null) return;
    // To tick a box may be the yes, whatever a button says.
    const ticked = yes.walked.slice(-1).flatMap((shown) => tickedBoxes(shown, yes.request));
    const filled = [...Object.keys(tools.configured), ...ticked];
    const secret = filled.filter((name) => yes.walked.slice(-1).some((shown) => asksForSecret(shown, name)));
    const all = withoutAnswer(yes, no, { filled, secret });
    if (all !== null) await tools.send(UNANSWERED, all);
    // The app may refuse that for what else is missing in it.
    const again = filled.length === 0 ? null : await tools.login("opened");
    const alone = again && withoutFilledAnswer(again, no, filled);
    if (alone !== null) await tools.send(UNANSWERED, alone);
  },
  judge: ({ steps, landing, read }) => {
    const sent = steps.filter(({ role }) => role === UNANSWERED).map(({ exchange }) => read(landing(exchange)));
    if (sent.length === 0) return skipVerdict("no single field of the form says yes or no");
    const accepted = sent.find(({ kind }) => kind === "accepted");
    return accepted === undefined ? PASSED : faulty(unansweredCheck, `the app ${accepted.says}`);
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
  const answers = answersIn(yes, no);
  if (answers.length === 0) return null;
  const names = fieldsOf(yes.request).map(([name]) => name);
  const left = names.filter((name) => filled.includes(name) && !answers.includes(name));
  if (left.some((name) => secret.includes(name))) return null;
  return withoutFields(yes.request, [...answers, ...left]);
}

/**
 * The form that passes the page, without only the field that says yes in it. Null if a button says it: then all else
 * that is filled in may say yes.
 */
function withoutFilledAnswer(yes: ReadyForm, no: ReadyForm, filled: readonly string[]): RequestParts | null {
  const answers = answersIn(yes, no);
  if (answers.length === 0 || !answers.every((name) => filled.includes(name))) return null;
  return withoutFields(yes.request, answers);
}

function withoutFields(request: RequestParts, names: readonly string[]): RequestParts {
  return names.reduce<RequestParts>((changed, name) => withoutField(changed, name) ?? changed, request);
}

/** The names of the fields that say yes in the form that passes the page, and no in the same form if it fails it. */
export function answersIn(yes: ReadyForm, no: ReadyForm): string[] {
  if (yes.walked.length !== no.walked.length) return [];
  if (yes.request.method !== no.request.method || !isSamePlaceOfApp(yes.request, no.request)) return [];
  const others = new Map(fieldsOf(no.request));
  return fieldsOf(yes.request).flatMap(([name, value]) => {
    const isAnswer = value !== yes.state && isGuessable(value) && !["", value].includes(others.get(name) ?? "");
    return isAnswer ? [name] : [];
  });
}

/** The address of a form may have a key of its login. */
function isSamePlaceOfApp({ url }: RequestParts, no: RequestParts): boolean {
  const [one, other] = [new URL(url), new URL(no.url)];
  return one.origin === other.origin && isSamePath(one.pathname, other.pathname);
}
