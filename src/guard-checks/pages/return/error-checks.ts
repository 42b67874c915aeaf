import { type HtmlForm, isButton } from "../../../browser/html-form.ts";
import type { Evidence } from "../../../checking/check.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { isReadable } from "../frame/frame-checks.ts";
import type { PagePlatform } from "../opening/opened-page.ts";
import { hasCode, type PageReturn, pageOf, returnOf } from "../walk/answer.ts";
import {
  addressFault,
  EXACT_STATE,
  encodingFault,
  lastIn,
  NOT_BACK,
  queryFault,
  type ReturnCheck,
  returnCheck,
  returnIn,
  STRANDED,
  stateFault,
  stateIn,
  wayFault,
} from "./page-return.ts";
import { RESERVED } from "./state-checks.ts";
import { unansweredCheck } from "./unanswered-check.ts";

const failing =
  "The platform shows the user why the login ended. Without a readable reason, nobody knows what to do next.";

export const returnedCheck: ReturnCheck = {
  id: "page.error.returned",
  area: "page",
  title: "A user who fails the page is sent back with an error and no code",
  section: "4.2",
  severity: "must",
  why: "The platform learns about the failure only from the callback. Without one the user stays on the page; with a code the user is let in.",
  fix: "Redirect to the callback with state and error.",
  run: (tools) => tools.fail("returned"),
  judge: (evidence) => {
    const landing = lastIn(evidence, "returned");
    if (landing === null) return skipVerdict("the page was not asked for");
    const back = returnOf(landing);
    if (back === null && asksAgain(landing, evidence)) return skipVerdict("the page asks again");
    if (back === null) return faulty(returnedCheck, `the app ${evidence.read(landing).says}`);
    if (hasCode(back)) return faulty(returnedCheck, "the user came back with a code");
    return back.error.some((text) => text !== "") ? PASSED : faulty(returnedCheck, "there is no error");
  },
};

/** Whether an answer shows the user a form to try again: many frameworks do so with 422, 400 or 403. */
function asksAgain(landing: Exchange, { steps }: Evidence): boolean {
  const forms = pageOf(landing)?.forms ?? [];
  const status = landing.response?.status ?? 0;
  if (status < 400) return status === 200 && forms.length > 0;
  // An error page may have a form, too, such as for a search.
  const shown = steps.flatMap(({ role, exchange }) =>
    role === "returned" && exchange !== landing ? (pageOf(exchange)?.forms ?? []) : [],
  );
  return status < 500 && forms.some((form) => shown.some((earlier) => isLike(form, earlier)));
}

/** Whether a form has a field or a button of another one. */
function isLike(one: HtmlForm, other: HtmlForm): boolean {
  const asked = ({ controls }: HtmlForm) =>
    controls.flatMap((each) => {
      const text = isButton(each) ? each.text : "";
      return each.kind === "hidden" || each.name + text === "" ? [] : [JSON.stringify([each.kind, each.name, text])];
    });
  const theirs = asked(other);
  return one.method === other.method && asked(one).some((each) => theirs.includes(each));
}

/** What is wrong with the words of an error (interface 7). */
export function wordsFault({ error: [text = ""] }: PageReturn): string | null {
  if (text === "") return "the user came back without an error";
  return isReadable(text) ? null : "the error is not readable text";
}

/** What is wrong with how an error is encoded (interface 3.1). */
export function errorEncodingFault(back: PageReturn): string | null {
  const fault = encodingFault(back);
  if (fault !== null) return fault;
  const [text = ""] = back.error;
  if (text.includes("\ufffd")) return "the error is not in UTF-8";
  // If it was form-encoded before, each space is a plus sign.
  const isTwice = /%[0-9a-f]{2}/i.test(text) || /^\S*\p{L}\+\p{L}\S*\p{L}\+\p{L}\S*$/u.test(text);
  return isTwice ? "the error is encoded twice" : null;
}

/** What is wrong with the code next to an error. */
export function emptyCodeFault({ code }: PageReturn): string | null {
  return code.length > 0 && code.every((text) => text === "") ? "there is an empty code" : null;
}

const wordsCheck = returnCheck(
  {
    id: "page.error.words",
    title: "The error is readable text",
    section: "7",
    why: failing,
    fix: "Send a sentence that tells the user why.",
  },
  wordsFault,
  "fail",
);

const encodedCheck = returnCheck(
  {
    id: "page.error.encoded",
    title: "The error is URL-encoded once",
    section: "3.1",
    why: "An unencoded error breaks the URL; an error encoded twice is shown to the user with percent signs.",
    fix: "Encode the error once with encodeURIComponent or its equivalent.",
  },
  errorEncodingFault,
  "fail",
);

const emptyCodeCheck = returnCheck(
  {
    id: "page.error.empty-code",
    title: "There is no empty code in addition to the error",
    severity: "should",
    why: "The interface shows a code or an error. A platform that first checks for a code, even an empty one, does not show the user why the login ended.",
    fix: "Omit `code` if there is an error.",
  },
  emptyCodeFault,
  "fail",
);

const RESERVED_STATE = "reserved";

const errorStateCheck: ReturnCheck = {
  id: "page.error.state",
  area: "page",
  title: "The state comes back unchanged with an error",
  section: "4.2",
  severity: "must",
  why: EXACT_STATE,
  fix: "Add the state to the redirect with an error, too, as it was read from the query, and encoded once.",
  run: async (tools) => {
    await tools.fail("returned");
    // The two redirects are often built in different ways.
    await tools.fail(RESERVED_STATE, { state: `${tools.madeUp()}${RESERVED}` });
  },
  judge: (evidence) => {
    const faultIn = (role: string) => {
      const back = returnIn(evidence, role);
      return back && stateFault(back, stateIn(evidence, role));
    };
    if (returnIn(evidence, "returned") === null) return skipVerdict(NOT_BACK);
    const fault = faultIn("returned");
    if (fault !== null) return faulty(errorStateCheck, fault);
    // The interface does not say which characters a state has: an app may refuse some.
    const reserved = faultIn(RESERVED_STATE);
    return reserved === null ? PASSED : faulty(errorStateCheck, `${reserved} in place of one with reserved characters`);
  },
};

/** The checks of a page that the user fails. */
export function failedPageChecks(platform: PagePlatform): readonly ReturnCheck[] {
  return [
    returnedCheck,
    returnCheck(
      {
        id: "page.error.way",
        title: "A user who fails the page is sent back in the same way as one who passes it",
        why: STRANDED,
        fix: "Build both returns in one function: 302, the same address, state and outcome in the query.",
      },
      (back) => wayFault(back) ?? addressFault(back, platform) ?? queryFault(back),
      "fail",
    ),
    errorStateCheck,
    wordsCheck,
    encodedCheck,
    emptyCodeCheck,
    unansweredCheck,
  ];
}

/** The check of a button that says no. */
export const declineCheck: ReturnCheck = {
  id: "page.error.decline",
  area: "page",
  title: "A button that says no gives no code",
  section: "3.1",
  severity: "must",
  why: "A user who declines must not be let in. If both buttons do the same, the page is meaningless.",
  fix: "Check which button was pressed, and return with an error if it says no.",
  run: (tools) => tools.decline("declined"),
  judge: (evidence) => {
    const isPressed = evidence.steps.filter(({ role }) => role === "declined").length > 1;
    const back = returnIn(evidence, "declined");
    if (back === null) return skipVerdict(isPressed ? NOT_BACK : "no button of the page that can be pressed says no");
    return hasCode(back) ? faulty(declineCheck, "the user came back with a code") : PASSED;
  },
};
