import type { Evidence } from "../../../checking/check.ts";
import { type Reply, readGuardReply } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import { isPassed, pageOf } from "../walk/answer.ts";
import { cookiesAfter } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { lastIn, NO_COOKIES, OTHER_STAYS, type ReturnCheck, returnIn, stateIn } from "./page-return.ts";

const [ALONE, AFTER, UNASKED, AGAIN] = ["alone", "after another", "unasked", "alone again"];

/** The requests shared by the checks of a browser in which somebody else has passed the page before. */
const SWITCHED = "page.logins.switched";

/** The check of whose code a user gets. */
export const switchedCheck: ReturnCheck = {
  id: SWITCHED,
  area: "page",
  title: "A user who logs in where another did before gets a code of their own",
  section: "3.1",
  severity: "must",
  why: "People share computers, and cookies outlive logins. A page that goes by what it stored for the previous user issues that user's code, and the guard refuses it.",
  fix: "Take the user from the token that each page is opened with, and replace what the session has of an earlier login.",
  trial: SWITCHED,
  run: switchUsers,
  judge: (evidence) => {
    if (stateIn(evidence, `opened ${ALONE}`) === null) return NO_COOKIES;
    if (replyTo(evidence, ALONE)?.kind !== "accepted") return skipVerdict(OTHER_STAYS);
    const comebacks = [
      { opened: UNASKED, returned: `opened ${UNASKED}`, when: " at once" },
      { opened: AFTER, returned: `returned ${AFTER}`, when: "" },
    ];
    for (const { opened, returned, when } of comebacks) {
      const back = returnIn(evidence, returned);
      if (back !== null && back.state[0] !== stateIn(evidence, `opened ${opened}`)) {
        return faulty(switchedCheck, `that user came back${when} with the state of the previous login`);
      }
      const reply = replyTo(evidence, opened);
      // Asking such a user to end the other's session first is right, too.
      if (reply === null || reply.kind === "accepted") continue;
      return faulty(switchedCheck, `that user came back${when} with a code to which the app ${reply.says}`);
    }
    return isAskedInVain(evidence) ? faulty(switchedCheck, ASKED_IN_VAIN) : PASSED;
  },
};

/** The check of whether a user is asked at all. */
export const unaskedCheck: ReturnCheck = {
  id: "page.logins.unasked",
  area: "page",
  title: "A user who logs in where another passed the page is asked, too",
  section: "3.1",
  severity: "should",
  why: "People share computers. A cookie that says only that somebody has passed the page lets everybody pass who uses that browser later: they have accepted, entered and confirmed nothing.",
  fix: "Store with the cookie's session which user has passed, and ask everybody else. If your guard is about the device and not about its user, leave this check out: --skip page.logins.unasked.",
  trial: SWITCHED,
  run: switchUsers,
  judge: (evidence) => {
    if (stateIn(evidence, `opened ${ALONE}`) === null) return NO_COOKIES;
    if (returnIn(evidence, `returned ${ALONE}`) === null) return skipVerdict(OTHER_STAYS);
    const isAsked = replyTo(evidence, UNASKED)?.kind !== "accepted";
    if (isAsked) return PASSED;
    if (replyTo(evidence, OF_NOBODY)?.kind === "accepted")
      return skipVerdict("the guard lets that user in with any code");
    // Many apps remember for a while who has passed, in any browser.
    if (returnIn(evidence, `returned ${AGAIN}`) === null) return skipVerdict("the app remembers that user");
    return faulty(unaskedCheck, "that user came back with a code at once, but is asked in another browser");
  },
};

/** Passes the page, and then lets another user log in: in a browser of their own, and in the one used before. */
async function switchUsers(tools: FormTools): Promise<void> {
  const first = await tools.submit("returned first", await tools.login("opened first"));
  const cookies = first === null ? null : cookiesAfter(first);
  if (cookies === null) return;
  const person = tools.other;
  const alone = await tools.login(`opened ${ALONE}`, { person });
  await tools.redeem(`redeemed ${ALONE}`, await tools.submit(`returned ${ALONE}`, alone), person);
  // An app that asks nothing may also renew its cookie, so that the one from before says nothing any more.
  const landing = await tools.open(`opened ${UNASKED}`, { person, cookies });
  if (!isPassed(landing)) {
    const after = await tools.login(`opened ${AFTER}`, { person, cookies: cookiesAfter(landing) ?? undefined });
    await tools.redeem(`redeemed ${AFTER}`, await tools.submit(`returned ${AFTER}`, after), person);
    return;
  }
  if (alone === null || !(await tools.redeem(`redeemed ${UNASKED}`, landing, person))) return;
  await tools.redeemMadeUp(`redeemed ${OF_NOBODY}`, person);
  await tools.submit(`returned ${AGAIN}`, await tools.login(`opened ${AGAIN}`, { person }));
}

const ASKED_IN_VAIN =
  "that user filled in what lets them pass in a browser of their own, and was shown the same form again";

/** Whether the form in the browser that was used before is shown again when it is sent. */
function isAskedInVain(evidence: Evidence): boolean {
  const [asked, again] = [`opened ${AFTER}`, `returned ${AFTER}`].map((role) => controlsShown(evidence, role));
  return asked !== undefined && asked.length > 0 && asked.every((name) => again?.includes(name) === true);
}

/** The fields and buttons that the page shows to which the requests in a role led: names, and texts of buttons. */
function controlsShown(evidence: Evidence, role: string): string[] {
  const end = lastIn(evidence, role);
  const controls = (end && pageOf(end))?.forms.flatMap((form) => form.controls) ?? [];
  const shown = controls.filter(({ kind }) => kind !== "hidden");
  return shown.flatMap((control) => ("text" in control ? [control.text] : "name" in control ? [control.name] : []));
}

function replyTo({ steps }: Evidence, role: string): Reply | null {
  const redeemed = steps.find((step) => step.role === `redeemed ${role}`);
  return redeemed === undefined ? null : readGuardReply(redeemed.exchange);
}
