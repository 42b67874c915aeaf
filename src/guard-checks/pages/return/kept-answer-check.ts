import type { CheckFacts, Evidence, Verdict } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Person } from "../../call.ts";
import { fieldsOf, withField, withoutField } from "../form/form.ts";
import { hasCode, isPassed, returnOf } from "../walk/answer.ts";
import { cookiesAfter, type LoginChanges, type ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { type ReturnCheck, returnIn } from "./page-return.ts";
import { answersIn } from "./unanswered-check.ts";

/** The requests shared by the checks of answers that a browser keeps for the next user. */
const KEPT = "page.logins.kept-answer";

/** A form alone in a new browser, in one in which somebody has passed, and in a new browser again. */
const [ALONE, AFTER, AGAIN] = ["alone", "after another", "alone again"];
/** A user who passes after another has failed, and one who passes in a new browser. */
const [LATER, PASSING] = ["after a no", "passing alone"];
const NO = "no";
const [OPENED_YES, OPENED_NO] = ["opened yes", "opened no"] as const;
const WITHOUT = "without ";
/** Maximum number of fields that are left out. */
const MOST_FIELDS = 4;

/** A form that gets no code from a correct app, and how to make it. */
interface RefusedForm {
  readonly name: string;
  make(role: string, login: LoginChanges & { readonly person?: Person }): Promise<ReadyForm | null>;
}

/** The check of a user who says no in a browser that somebody else has used. */
export const noAfterYesCheck: ReturnCheck = {
  id: "page.logins.no-after-yes",
  area: "page",
  title: "A user who says no in a browser in which another said yes gets no code",
  section: "3.1",
  severity: "must",
  why: "People share computers, and sessions outlive logins. If a session keeps the answer of one user, it also counts for the next: a user who declines is let in.",
  fix: "Take the answer from the form that was sent, and keep none in the session.",
  trial: KEPT,
  run: useBrowserAgain,
  judge: (evidence) => {
    const verdict = judgeForms(noAfterYesCheck, evidence, (name) => name === NO);
    return verdict ?? skipVerdict(whyNothing(evidence, "it is not known how a user who is asked fails the page"));
  },
};

/** The check of everything else that one user enters. */
export const keptAnswerCheck: ReturnCheck = {
  id: KEPT,
  area: "page",
  title: "What one user answers or enters does not count for the next user of the browser",
  section: "3.1",
  severity: "should",
  why: "People share computers, and sessions outlive logins. If a session keeps a tick, a PIN or a no, the next user need not enter it, or cannot pass.",
  fix: "Take every field from the form that was sent, and keep none in the session. If your guard is about the device and not about its user, leave this check out: --skip page.logins.kept-answer.",
  trial: KEPT,
  run: useBrowserAgain,
  judge: (evidence) => {
    const verdict = judgeForms(keptAnswerCheck, evidence, (name) => name.startsWith(WITHOUT));
    if (verdict !== null && verdict !== PASSED) return verdict;
    const [later, passing] = [LATER, PASSING].map((role) => returnIn(evidence, role));
    if (later != null && !hasCode(later) && hasCode(passing ?? null))
      return faulty(keptAnswerCheck, "a user who passes gets an error in a browser in which another has said no");
    if (verdict !== null || later != null) return PASSED;
    return skipVerdict(whyNothing(evidence, "the form has nothing that another user must enter"));
  },
};

/** The verdict on the forms that a new browser gets no code for; null: there are none. */
function judgeForms(check: CheckFacts, evidence: Evidence, isOne: (name: string) => boolean): Verdict | null {
  const names = evidence.steps.flatMap(({ role }) =>
    role.startsWith(`${AFTER}: `) && isOne(role.slice(AFTER.length + 2)) ? [role.slice(AFTER.length + 2)] : [],
  );
  if (names.length === 0) return null;
  const passes = (when: string, name: string) => hasCode(returnIn(evidence, `${when}: ${name}`));
  // An app that has since changed its mind about that user would let this one pass in any browser.
  const kept = names.find(
    (name) =>
      !passes(ALONE, name) && passes(AFTER, name) && wasSent(evidence, `${AGAIN}: ${name}`) && !passes(AGAIN, name),
  );
  if (kept === undefined) return PASSED;
  const what = kept === NO ? "the form that says no" : `the form ${kept}`;
  return faulty(check, `after another user had passed, ${what} brought a code; in a new browser it does not`);
}

function whyNothing(evidence: Evidence, otherwise: string): string {
  const isBegun = (start: string) => evidence.steps.some(({ role }) => role.startsWith(`${start}: `));
  if (wasSent(evidence, OPENED_YES) && !wasSent(evidence, OPENED_NO)) return "another user does not pass the page";
  return returnIn(evidence, "returned first") !== null && isBegun(ALONE) && !isBegun(AFTER)
    ? "the page keeps nothing in cookies, or does not ask another user in the same browser"
    : otherwise;
}

function wasSent({ steps }: Evidence, wanted: string): boolean {
  return steps.some(({ role }) => role === wanted);
}

/** Sends what gets no code in a new browser in one in which somebody has passed the page, and the other way round. */
async function useBrowserAgain(tools: FormTools): Promise<void> {
  const person = tools.other;
  const refused = [];
  for (const form of await refusedForms(tools, person)) {
    const alone = await tools.submit(`${ALONE}: ${form.name}`, await form.make("opened alone", { person }));
    if (alone !== null && !isPassed(alone)) refused.push(form);
  }
  const passed = await tools.submit("returned first", await tools.login("opened first"));
  const cookies = passed === null ? null : cookiesAfter(passed);
  if (cookies === null) return;
  for (const { name, make } of refused) {
    const after = await make("opened after", { person, cookies });
    if (!isPassed(await tools.submit(`${AFTER}: ${name}`, after))) continue;
    await tools.submit(`${AGAIN}: ${name}`, await make("opened again", { person }));
  }
  const failed = await tools.submit("returned no", await tools.failing("opened first no"));
  const kept = failed === null || returnOf(failed) === null || isPassed(failed) ? null : cookiesAfter(failed);
  if (kept === null) return;
  const later = await tools.submit(LATER, await tools.login("opened later", { person, cookies: kept }));
  if (later !== null && !isPassed(later)) await tools.submit(PASSING, await tools.login("opened alone", { person }));
}

/** The form of a user with a no in it, and without each field that the user fills in. */
async function refusedForms(tools: FormTools, person: Person): Promise<RefusedForm[]> {
  const yes = await tools.login(OPENED_YES, { person });
  if (yes === null) return [];
  const no = await tools.failing(OPENED_NO, { person });
  const answers = no === null ? [] : answersIn(yes, no);
  const changed = (name: string, change: (request: RequestParts) => RequestParts | null): RefusedForm => ({
    name,
    make: async (role, login) => {
      const form = await tools.login(role, login);
      const request = form && change(form.request);
      return form && request && { ...form, request };
    },
  });
  // With all else that the form needs to pass: what is missing in it would hide that its no counts for nothing.
  const others = new Map(no === null ? [] : fieldsOf(no.request));
  const saysNo = changed(NO, (request) =>
    answers.reduce<RequestParts>((form, name) => withField(form, name, others.get(name) ?? "") ?? form, request),
  );
  const plainNo: RefusedForm = { name: NO, make: (role, login) => tools.failing(role, login) };
  const filled = fieldsOf(yes.request).flatMap(([name]) => (name in tools.configured ? [name] : []));
  const names = [...new Set([...answers, ...filled])].slice(0, MOST_FIELDS);
  return [
    ...(no === null ? [] : [answers.length === 0 ? plainNo : saysNo]),
    ...names.map((name) => changed(WITHOUT + name, (request) => withoutField(request, name))),
  ];
}
