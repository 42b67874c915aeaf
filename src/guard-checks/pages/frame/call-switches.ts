import { bypassMembers, withBypassHeaders, withBypassParameters } from "../../../checking/bypass.ts";
import type { TrialCheck } from "../../../checking/check.ts";
import { otherThan } from "../../../checking/other-value.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { withAddedMembers } from "../added-members.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { changedCall, NO_PASSWORD_SENT, passwordsSent } from "./passwords-sent.ts";
import { type Typed, withTyped } from "./spoiled-password.ts";

const [TYPED, TRIED, REDEEMED] = ["typed", "tried", "redeemed"] as const;
/** Where such words are, and the call with them. */
const ways: Readonly<Record<string, (request: RequestParts) => RequestParts>> = {
  "in its URL or headers": (request) => withBypassHeaders(withBypassParameters(request, "1"), "1"),
  "in its URL or headers, with the value true": (request) =>
    withBypassHeaders(withBypassParameters(request, "true"), "true"),
  "in its body": (request) => withAddedMembers(request, bypassMembers(true)),
  "in its body, as text": (request) => withAddedMembers(request, bypassMembers("1")),
};

/** The call with a wrong password, and with words by which an app may accept it nevertheless. */
function switched(
  request: RequestParts,
  typed: Typed,
  add: (request: RequestParts) => RequestParts,
): RequestParts | null {
  const wrong = withTyped(request, typed, { text: otherThan(typed.value) });
  return wrong && add(wrong);
}

/** The check of an app that lets its own developers past its password. */
export const callSwitchesCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.switches",
  area: "page",
  title: "No word such as test, debug or trusted in the page's own call makes up for a wrong password",
  section: "4.2",
  severity: "must",
  mayLockOut: true,
  why: "Anybody can send such a word with the call. A switch left over from development lets everybody past the password.",
  fix: "Remove switches for tests, and decide by the password alone.",
  run: async (tools) => {
    const [typed] = await passwordsSent(tools);
    if (typed === undefined) return;
    let isLetIn = false;
    for (const [way, add] of Object.entries(ways)) {
      const call = await changedCall(tools, `${TYPED} ${way}`, typed, (request) => switched(request, typed, add));
      if (typeof call === "string") continue;
      const answer = await tools.send(`${TRIED} ${way}`, call);
      isLetIn = (await tools.redeemAll(`${REDEEMED} ${way}`, answer, tools.person)) || isLetIn;
      // Many apps lock out users who send only wrong passwords.
      await tools.send("right", await tools.prepare());
    }
    if (isLetIn) await tools.redeemMadeUp(OF_NOBODY, tools.person);
  },
  judge: ({ steps }) => {
    const isIn = (role: string) => steps.some((step) => step.role === role);
    const names = Object.keys(ways);
    if (!names.some((way) => isIn(`${TRIED} ${way}`) || isIn(`${TYPED} ${way}`))) return NO_PASSWORD_SENT;
    const way = names.find((each) => isLetInAs(`${REDEEMED} ${each}`, steps));
    if (way === undefined) return PASSED;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets the user in with any code");
    return faulty(
      callSwitchesCheck,
      `a call with such words ${way} and a wrong password got a code that let the user in`,
    );
  },
};
