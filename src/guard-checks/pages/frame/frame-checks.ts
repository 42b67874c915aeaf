import type { Check, ObservationCheck, TrialCheck, TwinCheck } from "../../../checking/check.ts";
import { secretCheck, traceCheck } from "../../../checking/leak-checks.ts";
import { readGuardReply } from "../../../checking/reply.ts";
import { type RequestParts, withClaims } from "../../../checking/request-parts.ts";
import { tokenTrials } from "../../../checking/token-trials.ts";
import { tokenTwins } from "../../../checking/token-twins.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { howToFail } from "../../config-lines.ts";
import { anyUsersCode, OF_FIRST_USER, OF_NOBODY } from "../any-users-code.ts";
import { callEveryRoleCheck } from "../every-role.ts";
import { saysNo } from "../form/buttons.ts";
import {
  userNames,
  withForgedToken,
  withOtherInside,
  withoutLogin,
  withoutOwnWords,
  withUserOutsideBody,
} from "../form/form.ts";
import { withAddedId, withIdAsBody, withOtherId } from "../other-ids.ts";
import { everythingIn } from "../walk/answer.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { changedIn } from "../walk/replay.ts";
import { addedModuleCheck } from "./added-module.ts";
import { addedOrganizationCheck } from "./added-organization.ts";
import { callBodyCheck } from "./call-body.ts";
import { callConsentCheck } from "./call-consent.ts";
import { callSwitchesCheck } from "./call-switches.ts";
import { type FrameReport, walksIn } from "./frame.ts";
import { frameAtOnceCheck } from "./frame-at-once.ts";
import { frameCookieCheck } from "./frame-cookie.ts";
import { foreignSiteCheck, leftCheck } from "./frame-leaks.ts";
import { passCheck } from "./frame-passed.ts";
import { framePasswordCheck, framePasswordTriesCheck } from "./frame-password.ts";
import { frameSecretChecks } from "./frame-secret-checks.ts";
import { frameSkippedStepCheck } from "./frame-skipped-step.ts";
import { misuseCheck, ownPolicyCheck, refusedCallCheck } from "./frame-work.ts";
import { loadedIn } from "./loaded-parts.ts";

/** The walks in which the user should fail. */
function failedWalks(exchanges: readonly Exchange[]): FrameReport[] {
  return walksIn(exchanges)
    .map(({ report }) => report)
    .filter(
      ({ walkedAs, pressed, error }) =>
        walkedAs === "fail" || (pressed !== null && saysNo(pressed)) || (walkedAs !== "refused" && error !== undefined),
    );
}

/** Whether the page reports an error. */
export const failCheck: ObservationCheck = {
  id: "page.frame.reports-error",
  area: "page",
  title: "The page in the frame reports an error with AP.verifyAuth when the user fails it",
  section: "4.2",
  severity: "must",
  why: "The platform learns the outcome only from this call. Without it a user who fails waits, or is let in.",
  fix: "Call AP.verifyAuth({ error }) with a sentence that tells the user why.",
  observe: (exchanges) => {
    const reports = failedWalks(exchanges);
    if (reports.length === 0) return skipVerdict(howToFail("KEY"));
    const unopened = reports.find((report) => report.unopened !== undefined)?.unopened;
    if (unopened !== undefined) return skipVerdict(unopened);
    if (reports.some(({ code }) => code !== undefined)) return faulty(failCheck, "it reported a code");
    return reports.every(({ error }) => error !== undefined) ? PASSED : faulty(failCheck, "it reported nothing");
  },
};

const wordsCheck: ObservationCheck = {
  id: "page.frame.error-words",
  area: "page",
  title: "The error that the page in the frame reports is readable text",
  section: "7",
  severity: "must",
  why: "The platform shows the user why the login ended. Without a readable reason, nobody knows what to do next.",
  fix: "Report a sentence, not an object or a number.",
  observe: (exchanges) => {
    const errors = failedWalks(exchanges).flatMap(({ error }) => error ?? []);
    if (errors.length === 0) return skipVerdict(howToFail("KEY"));
    return errors.every(isReadable) ? PASSED : faulty(wordsCheck, "it is not readable text");
  },
};

/**
 * Whether a text has words, and is no stringified value. The interface asks only for text (7), so what looks like markup
 * in it is text, too: the platform shows it as it is.
 */
export function isReadable(text: string): boolean {
  const isValue = /^\s*(undefined|null|nan|true|false|\[object .*|\{.*|\d+)\s*$/is.test(text);
  // One letter of a script without capitals may be a word.
  return !isValue && /\p{L}{2}|\p{Lo}/u.test(text);
}

const earlyCheck: ObservationCheck = {
  id: "page.frame.early-code",
  area: "page",
  title: "The page in the frame has no code before the user has done anything",
  section: "4.2",
  severity: "must",
  why: "The code says that the user passed the check. If it is already in the page, the user can take it without passing.",
  fix: "Let the page request the code from its own backend when the user has passed.",
  observe: (exchanges) => {
    const passed = walksIn(exchanges).filter(
      ({ report }) => report.code !== undefined && report.walkedAs !== "refused",
    );
    if (passed.length === 0) return skipVerdict("it is not known how the page is passed");
    const isThere = passed.some(({ report, exchanges: own }) =>
      loadedIn(own).some((exchange) => everythingIn(exchange).includes(report.code ?? "")),
    );
    if (isThere) return faulty(earlyCheck, "the page, or what it loads, already had the code");
    return passed.some(({ report }) => report.isEarly === true)
      ? faulty(earlyCheck, "the page had fetched a code before anything was filled in or pressed")
      : PASSED;
  },
};

const ofPage = { area: "page", purpose: "guard-page" } as const;

/** The checks of what a page in a frame does in a browser. */
export const frameChecks: readonly ObservationCheck[] = [
  passCheck,
  ownPolicyCheck,
  failCheck,
  wordsCheck,
  refusedCallCheck,
  misuseCheck,
  earlyCheck,
  leftCheck,
  ...frameSecretChecks,
  secretCheck({ ...ofPage, prefix: "page.frame", what: "to the page in the frame" }),
];

const bound = "Take the user from the verified token, never from anything else that the page sends.";

/** The check that a code is only for the user of the page's token. */
export const otherUserCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.added-user",
  area: "page",
  title: "The page's own call with another user's id gets no code for that user",
  section: "4.2",
  severity: "must",
  why: "Users can change what their page sends. A code for somebody else opens that user's account.",
  fix: bound,
  run: async (tools) => {
    const [own, other] = [tools.person.user.id, tools.other.user.id];
    const changes = [
      (request: RequestParts) => withOtherId(request, own, other),
      (request: RequestParts) => withAddedId(request, userNames, other),
      (request: RequestParts) => withUserOutsideBody(request, other),
    ];
    const changed = [
      withIdAsBody(await tools.prepare(), userNames, other),
      withOtherInside(await tools.prepare(), own, other),
      withForgedToken(await tools.prepare(), await tools.prepareFor(tools.other)),
    ];
    for (const change of changes) {
      changed.push(change(await tools.prepare()));
      if (tools.earlier.some((each) => changedIn(each, change) !== null))
        changed.push(await tools.prepareAfter("prepared", (each) => [changedIn(each, change) ?? each]));
    }
    let isLetIn = false;
    for (const [index, request] of changed.entries()) {
      if (request === null) continue;
      const answer = await tools.send(`changed-${index + 1}`, request);
      isLetIn = (await tools.redeemAll(`redeemed-${index + 1}`, answer, tools.other)) || isLetIn;
    }
    if (!isLetIn) return;
    await tools.redeemMadeUp(OF_NOBODY, tools.other);
    await tools.redeemAll(OF_FIRST_USER, await tools.send("unchanged", await tools.prepare()), tools.other);
  },
  judge: (evidence) => {
    const isLetIn = evidence.steps.some(
      ({ role, exchange }) => role.startsWith("redeemed") && readGuardReply(exchange).kind === "accepted",
    );
    if (!isLetIn) return PASSED;
    return anyUsersCode(evidence) ?? faulty(otherUserCheck, "its code let another user in");
  },
};

const strangerCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.stranger",
  area: "page",
  title: "The page's own call gets no code without a login",
  section: "4.2",
  severity: "must",
  why: "Anybody can send a request to a known address. A code without a login lets a stranger pass the guard.",
  fix: "Let the page send its jwtToken with the call, and verify it again there.",
  run: async (tools) => {
    const another = await tools.prepare();
    await tools.send("stranger", withoutLogin(withoutOwnWords(await tools.prepare(), another), ""));
  },
  judge: (evidence) => {
    const [step] = evidence.steps;
    if (step === undefined) return skipVerdict("the call could not be made");
    const reply = evidence.read(step.exchange);
    return reply.kind === "refused" ? PASSED : faulty(strangerCheck, `the app ${reply.says}`);
  },
};

const otherModule: TwinCheck = {
  id: "page.frame-request.token.other-module",
  area: "page",
  title: "The page's own call refuses a token that was issued for another guard",
  section: "5.1",
  severity: "should",
  choices: ["guard.jwt.claims"],
  why: "Each guard asks for something different. A token for one must not get the code of another.",
  fix: "Compare the claim `module` with the key of the guard whose page it is.",
  changes: "token.claims.module",
  right: "refused",
  twin: (request) => (request.token === null ? null : withClaims(request, { module: "another-guard" })),
};

/** The checks of the token in the calls of a frame guard's page to its app. */
export const frameTokenChecks: readonly (TwinCheck | TrialCheck)[] = [
  ...tokenTwins({ prefix: "page.frame-request.token", area: "page", what: "The page's own call" }),
  ...tokenTrials({ prefix: "page.frame-request.token", area: "page", what: "The page's own call" }),
  otherModule,
];

const called = { ...ofPage, prefix: "page.frame-request", what: "to the page's own call" };

/** The checks of the call with which the page of a frame guard gets its code (interface 4.2). */
export const frameRequestChecks: readonly Check<FrameTools>[] = [
  ...frameTokenChecks,
  otherUserCheck,
  addedOrganizationCheck,
  addedModuleCheck,
  strangerCheck,
  frameAtOnceCheck,
  foreignSiteCheck,
  frameCookieCheck,
  framePasswordCheck,
  framePasswordTriesCheck,
  callEveryRoleCheck,
  callSwitchesCheck,
  callConsentCheck,
  frameSkippedStepCheck,
  callBodyCheck,
  secretCheck(called),
  traceCheck(called),
];
