import type { Evidence } from "../../../checking/check.ts";
import { type Reply, readGuardReply } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import { isPassed, showsForm } from "../walk/answer.ts";
import { cookiesAfter } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { lastIn, NO_COOKIES, OTHER_STAYS, type ReturnCheck, returnIn, stateIn } from "./page-return.ts";

const [ALONE, AFTER, UNASKED, AGAIN] = ["alone", "after another", "unasked", "alone again"];
/** Another login of the user who comes after another. */
const RETRIED = `${AFTER}, retried`;
const ASKED_IN_VAIN =
  "that user filled in what lets them pass in a browser of their own, and was shown the same form again, twice";

/** The requests shared by the checks of a browser in which somebody else has passed the page before. */
const SWITCHED = "page.logins.switched";

/** The check of whose code a user gets. */
export const switchedCheck: ReturnCheck = {
  id: SWITCHED,
  area: "page",
  title: "A user who logs in where another did before gets a code of their own",
  section: "3.1",
  severity: "must",
  why: "People share computers, and cookies outlive logins. A page that goes by what it stored for the previous user issues that user's code, which the guard refuses, or asks the next user in vain.",
  fix: "Take the user from the token that each page is opened with, and replace what the session has of an earlier login. If a browser is meant to stay its first user's, leave this check out: --skip page.logins.switched.",
  trial: SWITCHED,
  run: switchUsers,
  judge: (evidence) => {
    if (stateIn(evidence, `opened ${ALONE}`) === null) return NO_COOKIES;
    if (replyTo(evidence, ALONE)?.kind !== "accepted") return skipVerdict(OTHER_STAYS);
    const comebacks = [
      { opened: UNASKED, returned: `opened ${UNASKED}`, when: " at once" },
      { opened: AFTER, returned: `returned ${AFTER}`, when: "" },
      { opened: RETRIED, returned: `returned ${RETRIED}`, when: "" },
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
    return [AFTER, RETRIED].every((role) => isAskedInVain(evidence, role))
      ? faulty(switchedCheck, ASKED_IN_VAIN)
      : PASSED;
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
    let answer: Exchange | null = landing;
    // An app may use the first try to end the other's session.
    for (const role of [AFTER, RETRIED]) {
      const cookies = (answer && cookiesAfter(answer)) ?? undefined;
      answer = await tools.submit(`returned ${role}`, await tools.login(`opened ${role}`, { person, cookies }));
      await tools.redeem(`redeemed ${role}`, answer, person);
      if (answer === null || isPassed(answer)) return;
    }
    return;
  }
  if (alone === null || !(await tools.redeem(`redeemed ${UNASKED}`, landing, person))) return;
  await tools.redeemMadeUp(`redeemed ${OF_NOBODY}`, person);
  await tools.submit(`returned ${AGAIN}`, await tools.login(`opened ${AGAIN}`, { person }));
}

/**
 * Whether a user is shown the form again that they sent, the same form that lets them pass in a browser of their own.
 */
function isAskedInVain(evidence: Evidence, role: string): boolean {
  const [alone, asked, answer] = [`opened ${ALONE}`, `opened ${role}`, `returned ${role}`].map((each) =>
    lastIn(evidence, each),
  );
  if (!alone || !asked || !answer) return false;
  // "Try again later" may come with the form.
  const status = answer.response?.status ?? 0;
  return status !== 429 && status < 500 && showsForm(asked, alone) && showsForm(answer, asked);
}

function replyTo({ steps }: Evidence, role: string): Reply | null {
  const redeemed = steps.find((step) => step.role === `redeemed ${role}`);
  return redeemed === undefined ? null : readGuardReply(redeemed.exchange);
}
