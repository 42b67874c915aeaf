import type {
  CheckFacts,
  Evidence,
  ObservationCheck,
  TrialCheck,
  TwinCheck,
  Verdict,
} from "../../../checking/check.ts";
import { secretCheck, traceCheck } from "../../../checking/leak-checks.ts";
import { readGuardReply } from "../../../checking/reply.ts";
import { tokenTrials } from "../../../checking/token-trials.ts";
import { tokenTwins } from "../../../checking/token-twins.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { ANY_CODE, OF_NOBODY } from "../any-users-code.ts";
import { returnOf } from "../walk/answer.ts";
import { formsAtOnce, type ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { borrowingChecks, REDEEMED } from "./borrowing-checks.ts";
import { formFieldChecks } from "./field-checks.ts";
import { fieldsOf, withoutLogin } from "./form.ts";
import { laterChecks } from "./later-check.ts";
import { formListsCheck } from "./list-checks.ts";
import { alteredCookieCheck, sessionCookieCheck } from "./session-cookie-check.ts";

type FormCheck = TrialCheck<FormTools>;

const oneCode =
  "Store with the state that its code was issued, and answer the same form again with the same code, or refuse it.";
const twice =
  "A state stands for one login, and the platform opens its page once. Whoever opens it again has an old address, such as one from a browser's history.";

const strangerCheck: FormCheck = {
  id: "page.form.stranger",
  area: "page",
  title: "The form gets no code without a login: no token, no cookie, no known state",
  section: "5.1",
  severity: "must",
  why: "Anybody can send a form to a known address. A code without a login lets a stranger pass the guard.",
  fix: "Verify the token again when the form arrives, or let its page start a session that the form requires.",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own !== null) await tools.send("stranger", withoutLogin(own.request, own.state));
  },
  judge: (evidence) => {
    const step = evidence.steps.find(({ role }) => role === "stranger");
    if (step === undefined) return skipVerdict("the page could not be opened");
    const reply = evidence.read(step.exchange);
    return reply.kind === "refused" ? PASSED : faulty(strangerCheck, `the app ${reply.says}`);
  },
};

/**
 * Judges two answers to a form by whether the codes of both let the user in.
 * @param isAfterUse whether the first code was used before the second answer, which may not have the same one then
 */
function judgeCodes(check: CheckFacts, { steps, landing, read }: Evidence, isAfterUse: boolean): Verdict {
  // The first form of two at the same time may be answered last.
  const broken = steps
    .filter(({ role }) => role === "second" || (role === "first" && !isAfterUse))
    .map(({ exchange }) => read(landing(exchange)))
    .filter(({ kind }) => kind === "broken");
  const [first, second] = ["first", "second"].map((role) => {
    const step = steps.find((each) => each.role === role);
    return step === undefined ? undefined : returnOf(landing(step.exchange))?.code[0];
  });
  // Of two forms that are sent at the same time, the second may be answered first, and the first refused.
  if (first === undefined && (second === undefined || isAfterUse))
    return skipVerdict("the form did not send the user back with a code");
  const [failed] = broken;
  if (failed !== undefined) return faulty(check, `the app ${failed.says} to a form that was sent twice`);
  const isSame = first === second;
  if (first === undefined || second === undefined || (isSame && !isAfterUse)) return PASSED;
  const accepted = steps.filter(({ exchange }) => readGuardReply(exchange).kind === "accepted");
  if (accepted.some(({ role }) => role === OF_NOBODY)) return skipVerdict(ANY_CODE);
  if (accepted.filter(({ role }) => role.startsWith(REDEEMED)).length < 2) return PASSED;
  const both = "the browser got two codes, and both let the user in";
  return faulty(check, isSame ? "the browser got the used code again, and it let the user in again" : both);
}

/** Uses the code of the first or second answer. @returns whether it let the user in */
async function redeem(
  tools: FormTools,
  { person }: ReadyForm,
  place: 1 | 2,
  answer: Exchange | null,
): Promise<boolean> {
  return tools.redeem(`${REDEEMED}-${place}`, answer, person);
}

/** Tries a code that nobody issued, if two others let the user in: the guard may not look at codes any more. */
async function tryUnissued(tools: FormTools, { person }: ReadyForm, areLetIn: readonly boolean[]): Promise<void> {
  if (areLetIn.every(Boolean)) await tools.redeemMadeUp(OF_NOBODY, person);
}

const repeating = { area: "page", section: "3.1", severity: "should", why: twice, fix: oneCode } as const;

const twiceCheck: FormCheck = {
  ...repeating,
  id: "page.form.twice",
  title: "A form that is sent twice gets no second valid code",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const [first, second] = [await tools.submit("first", own), await tools.submit("second", own)];
    await tryUnissued(tools, own, [await redeem(tools, own, 1, first), await redeem(tools, own, 2, second)]);
  },
  judge: (evidence) => judgeCodes(twiceCheck, evidence, false),
};

const atOnceCheck: FormCheck = {
  ...repeating,
  id: "page.form.at-once",
  title: "A form that is sent twice at the same time gets no second valid code",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const roles = ["first", "second"];
    const [first = null, second = null] = await Promise.all(
      formsAtOnce([own, own]).map((form, index) => tools.submit(roles[index] ?? "", form)),
    );
    await tryUnissued(tools, own, [await redeem(tools, own, 1, first), await redeem(tools, own, 2, second)]);
  },
  judge: (evidence) => judgeCodes(atOnceCheck, evidence, false),
};

const reusedCheck: FormCheck = {
  ...repeating,
  id: "page.form.reused",
  title: "A form whose code was used gets no valid code again",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const isLetIn = await redeem(tools, own, 1, await tools.submit("first", own));
    const isLetInAgain = await redeem(tools, own, 2, await tools.submit("second", own));
    await tryUnissued(tools, own, [isLetIn, isLetInAgain]);
  },
  judge: (evidence) => judgeCodes(reusedCheck, evidence, true),
};

const reopenedCheck: FormCheck = {
  ...repeating,
  id: "page.open.reused-state",
  title: "A page opened with a new token, but a state whose code was used, gets no valid code",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null) return;
    const isLetIn = await redeem(tools, own, 1, await tools.submit("first", own));
    const again = await tools.login("opened", { state: own.state });
    // The app may show no form again, but send the user back at once.
    const answer =
      again === null ? await tools.open("second", { state: own.state }) : await tools.submit("second", again);
    await tryUnissued(tools, own, [isLetIn, await redeem(tools, own, 2, answer)]);
  },
  judge: (evidence) => judgeCodes(reopenedCheck, evidence, true),
};

const asGetCheck: FormCheck = {
  id: "page.form.as-get",
  area: "page",
  title: "A GET with the form's data gets no code",
  section: "RFC 9110, 9.2.1",
  severity: "should",
  why: "A link, an image or a preview sends GET requests without the user. They must not decide for the user.",
  fix: "Accept the form only by POST, and answer 405 to GET, or show the page.",
  run: async (tools) => {
    const own = await tools.login("opened");
    if (own === null || own.request.method === "GET") return;
    const url = new URL(own.request.url);
    for (const [name, value] of fieldsOf(own.request)) url.searchParams.set(name, value);
    await tools.send("got", { ...own.request, method: "GET", url: url.href, body: null });
  },
  judge: (evidence) => {
    const step = evidence.steps.find(({ role }) => role === "got");
    if (step === undefined) return skipVerdict("the form does not use POST");
    const reply = evidence.read(step.exchange);
    return reply.kind === "accepted" ? faulty(asGetCheck, `the app ${reply.says}`) : PASSED;
  },
};

/** The checks of the token that the form of a page sends. */
export const formTokenChecks: readonly (TwinCheck | TrialCheck)[] = [
  ...tokenTwins({ prefix: "page.form-token", area: "page", what: "The form of the page" }),
  ...tokenTrials({ prefix: "page.form-token", area: "page", what: "The form of the page" }),
];

const sent = {
  prefix: "page.form",
  area: "page",
  purpose: "guard-page",
  what: "to the form of the page",
} as const;

/** The checks of what the form of a redirect guard's page sends (hardening P1, P2, P6). */
export const formChecks: readonly (FormCheck | ObservationCheck)[] = [
  ...borrowingChecks,
  strangerCheck,
  twiceCheck,
  atOnceCheck,
  reusedCheck,
  reopenedCheck,
  asGetCheck,
  ...laterChecks,
  sessionCookieCheck,
  alteredCookieCheck,
  secretCheck(sent),
  traceCheck(sent),
  formListsCheck,
  ...formFieldChecks,
];
