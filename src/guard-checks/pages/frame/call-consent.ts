import type { TrialCheck } from "../../../checking/check.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import { callJson, withChangedMembers } from "../call-json.ts";
import { isAcceptance } from "../form/boxes.ts";
import { fieldsOf, withoutField } from "../form/form.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { changedCalls } from "./passwords-sent.ts";

const [STEP, TRIED, REDEEMED] = ["step", "tried", "redeemed"] as const;
const ways = ["false", "left out"] as const;

/** What a ticked box is sent as. */
const ticked: readonly unknown[] = [true, 1, "1", "true", "on", "yes", "accepted"];

function isConsent(name: string, value: unknown): boolean {
  return isAcceptance(name) && ticked.includes(value);
}

/** The call of a user who does not consent; null: it says nothing of a consent. */
function withoutConsent(request: RequestParts, way: (typeof ways)[number]): RequestParts | null {
  const json = callJson(request);
  if (json !== undefined) {
    const consent = way === "left out" ? undefined : false;
    return withChangedMembers(request, json, (name, value) => (isConsent(name, value) ? consent : value));
  }
  // A browser sends no box that is not ticked.
  if (way === "false") return null;
  const boxes = fieldsOf(request).filter(([name, value]) => isConsent(name, value));
  if (boxes.length === 0) return null;
  return boxes.reduce<RequestParts>((changed, [name]) => withoutField(changed, name) ?? changed, request);
}

const NO_CONSENT = skipVerdict(
  "the configuration ticks no box of the page that accepts something, or its calls say nothing of it",
);

/** The check that the app itself looks at the consent that the script of its page asks for. */
export const callConsentCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.consent",
  area: "page",
  title: "The page's own call gets no code without the consent that it sends",
  section: "4.2",
  severity: "should",
  why: "Anybody can send the call without the page. If only the script looks at the box that accepts the terms, users get in who have accepted nothing.",
  fix: "Issue the code only if the call says that the user has accepted, with the value true.",
  run: async (tools) => {
    // Otherwise the call may just say which button was pressed.
    if (!Object.entries(tools.configured).some(([name, value]) => isConsent(name, value))) return;
    let isLetIn = false;
    for (const way of ways) {
      const call = await changedCalls(tools, `${STEP} ${way}`, (request) => withoutConsent(request, way));
      if (typeof call === "string") continue;
      const answer = await tools.send(`${TRIED} ${way}`, call);
      isLetIn = (await tools.redeemAll(`${REDEEMED} ${way}`, answer, tools.person)) || isLetIn;
    }
    if (isLetIn) await tools.redeemMadeUp(OF_NOBODY, tools.person);
  },
  judge: ({ steps, read }) => {
    const tried = steps.filter(({ role }) =>
      ways.some((way) => role === `${TRIED} ${way}` || role === `${STEP} ${way}`),
    );
    if (tried.length === 0) return NO_CONSENT;
    const way = ways.find((each) => isLetInAs(`${REDEEMED} ${each}`, steps));
    if (way === undefined) return PASSED;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets the user in with any code");
    const answer = steps.find(({ role }) => role === `${TRIED} ${way}`);
    const says = answer === undefined ? "answered" : read(answer.exchange).says;
    const how = way === "false" ? "whose consent is false" : "without its consent";
    return faulty(callConsentCheck, `the app ${says} to a call ${how}, and its code let the user in`);
  },
};
