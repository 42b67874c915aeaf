import { readGuardReply } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { cookiesAfter } from "../walk/login.ts";
import { type ReturnCheck, returnIn, stateIn } from "./page-return.ts";

const [ALONE, AFTER] = ["alone", "after another"];

/** The check of a browser in which somebody else has passed the page before. */
export const switchedCheck: ReturnCheck = {
  id: "page.logins.switched",
  area: "page",
  title: "A user who logs in where another did before gets a code of their own",
  section: "3.1",
  severity: "must",
  why: "People share computers, and cookies outlive logins. A page that goes by what it stored for the previous user issues that user's code, and the guard refuses it.",
  fix: "Take the user from the token that each page is opened with, and replace what the session has of an earlier login.",
  run: async (tools) => {
    const first = await tools.submit("returned first", await tools.login("opened first"));
    const cookies = first === null ? null : cookiesAfter(first);
    if (cookies === null) return;
    for (const [role, shared] of [
      [ALONE, undefined],
      [AFTER, cookies],
    ] as const) {
      const form = await tools.login(`opened ${role}`, { person: tools.other, cookies: shared });
      await tools.redeem(`redeemed ${role}`, await tools.submit(`returned ${role}`, form), tools.other);
    }
  },
  judge: (evidence) => {
    const replyTo = (role: string) => {
      const redeemed = evidence.steps.find((step) => step.role === `redeemed ${role}`);
      return redeemed === undefined ? null : readGuardReply(redeemed.exchange);
    };
    if (stateIn(evidence, `opened ${ALONE}`) === null) return skipVerdict("the page keeps nothing in cookies");
    if (replyTo(ALONE)?.kind !== "accepted") return skipVerdict("another user does not pass the page");
    const back = returnIn(evidence, `returned ${AFTER}`);
    if (back !== null && back.state[0] !== stateIn(evidence, `opened ${AFTER}`)) {
      return faulty(switchedCheck, "that user came back with the state of the previous login");
    }
    const reply = replyTo(AFTER);
    // Asking such a user to end the other's session first is right, too.
    if (reply === null || reply.kind === "accepted") return PASSED;
    return faulty(switchedCheck, `the app ${reply.says} to the code that it had issued`);
  },
};
