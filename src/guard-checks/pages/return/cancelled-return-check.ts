import type { Evidence, Verdict } from "../../../checking/check.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { withCancelling } from "../form/cancelled-check.ts";
import { fieldsOf } from "../form/form.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { hasCode, type PageReturn } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import { emptyCodeFault, errorEncodingFault, wordsFault } from "./error-checks.ts";
import {
  addressFault,
  NOT_BACK,
  queryFault,
  type ReturnCheck,
  returnIn,
  stateFault,
  stateIn,
  wayFault,
} from "./page-return.ts";
import { RESERVED } from "./state-checks.ts";

/** The roles in which a user opens the page and cancels: at its last form, once with an unusual state, or at its first. */
const CANCELLED = { opened: "opened", returned: "cancelled" };
const WITH_RESERVED = { opened: "opened with reserved characters", returned: "cancelled with reserved characters" };
const DECLINED = { opened: "declined", returned: "declined" };
/** The role of a user who cancels in the configured way to fail the page: other checks look at that return. */
const AS_CONFIGURED = "cancelled as configured";

/** The check of a user who cancels, if that is not the configured way to fail the page. */
export function cancelledReturnCheck(platform: PagePlatform): ReturnCheck {
  const check: ReturnCheck = {
    id: "page.error.cancelled",
    area: "page",
    title: "A user who cancels is sent back like one who fails the page: with the state, a readable error and no code",
    section: "4.2",
    severity: "must",
    why: "The button that cancels often has a handler of its own. The login of a user who cancels ends only if the platform learns of it.",
    fix: "Build the return for every error in one function: 302 to the callback, with the state as it came and an error in words.",
    run: async (tools) => {
      const failed = await tools.failing("failed");
      const own = await tools.login(CANCELLED.opened);
      if (own === null) return;
      const cancelled = withCancelling(own);
      const isConfigured = cancelled !== null && isSameAnswer(cancelled, own, failed);
      if (isConfigured) await tools.send(AS_CONFIGURED, cancelled);
      if (cancelled !== null && !isConfigured) {
        await tools.send(CANCELLED.returned, cancelled);
        const again = await tools.login(WITH_RESERVED.opened, { state: `${tools.madeUp()}${RESERVED}` });
        const reserved = again && withCancelling(again);
        if (reserved !== null) await tools.send(WITH_RESERVED.returned, reserved);
      }
      if (cancelled === null || own.walked.length > 1) await tools.decline(DECLINED.returned, AS_CONFIGURED);
    },
    judge: (evidence) => {
      const ways = [CANCELLED, WITH_RESERVED, DECLINED].flatMap(({ opened, returned }) => {
        const back = returnIn(evidence, returned);
        return back === null || hasCode(back) ? [] : [{ back, state: stateIn(evidence, opened) }];
      });
      const pressed = [CANCELLED.returned, DECLINED.returned, AS_CONFIGURED];
      const [refusal] = pressed.flatMap((role) => judgeRefusal(check, evidence, role) ?? []);
      if (refusal !== undefined) return refusal;
      if (ways.length === 0) return skipVerdict(whyNot(evidence));
      const verdicts = ways.map(({ back, state }) => judgeReturn(check, platform, back, state));
      return (
        verdicts.find(({ result }) => result === "fail") ?? verdicts.find(({ result }) => result === "warn") ?? PASSED
      );
    },
  };
  return check;
}

/** Whether the button that cancels a form is the one with which the user fails the page. */
function isSameAnswer(cancelled: RequestParts, { request }: ReadyForm, failed: ReadyForm | null): boolean {
  const ofFailed = failed === null ? [] : fieldsOf(failed.request).map(String);
  const ofPassed = fieldsOf(request).map(String);
  return fieldsOf(cancelled).some((field) => !ofPassed.includes(String(field)) && ofFailed.includes(String(field)));
}

function whyNot({ steps }: Evidence): string {
  const isSent = steps.some(({ role }) => role === CANCELLED.returned || role === DECLINED.returned);
  return isSent ? NOT_BACK : "the page has no button that cancels it, or the user fails the page with that button";
}

/** Answers that say that the app does not know its own button; 401, 403 and 422 may be how it says no. */
const UNKNOWN_BUTTON = [400, 404, 405, 501];

/** The verdict on an answer to the button that no app gives on purpose; null: it is another. */
function judgeRefusal(check: ReturnCheck, evidence: Evidence, role: string): Verdict | null {
  // What comes after the button was pressed is about other forms.
  const pressed = evidence.steps.find((step) => step.role === role && step.exchange.request.method !== "GET");
  const status = (pressed && evidence.landing(pressed.exchange))?.response?.status ?? 0;
  const reason = `the app answered ${status} to its own button that says no`;
  if (UNKNOWN_BUTTON.includes(status)) return { result: "warn", reason, hint: check.fix };
  return status >= 500 ? faulty(check, reason) : null;
}

function judgeReturn(check: ReturnCheck, platform: PagePlatform, back: PageReturn, state: string | null): Verdict {
  const fault =
    stateFault(back, state) ??
    wordsFault(back) ??
    wayFault(back) ??
    addressFault(back, platform) ??
    queryFault(back) ??
    errorEncodingFault(back);
  if (fault !== null) return faulty(check, fault);
  const empty = emptyCodeFault(back);
  return empty === null ? PASSED : { result: "warn", reason: empty, hint: "omit `code` if there is an error" };
}
