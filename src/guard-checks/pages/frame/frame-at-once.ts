import { atOnce } from "../../../checking/at-once.ts";
import type { Evidence, TrialCheck } from "../../../checking/check.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, skipVerdict } from "../../../checking/verdict.ts";
import { judgeRedeemed, SINGLE } from "../../newest-code.ts";
import type { FrameTools } from "../walk/frame-tools.ts";

/** The role of calls that are made one after another. */
const ALONE = "alone";

/** The check of simultaneous calls of pages for two users. */
export const frameAtOnceCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.at-once",
  area: "page",
  title: "Simultaneous calls of pages get codes for their own users",
  section: "3.1",
  severity: "must",
  why: "Users log in at the same time. Data of one login must not reach another: it would open the wrong account, or none.",
  fix: "Store a login's data under its token or session, not in a variable shared by all requests.",
  run: async (tools) => {
    for (const person of [tools.person, tools.other]) await tools.send(ALONE, await tools.prepareFor(person));
    const people = Array.from({ length: 6 }, (_, index) => (isOtherUser(index) ? tools.other : tools.person));
    const requests = [];
    for (const person of people) requests.push(await tools.prepareFor(person));
    const answers = await Promise.all(atOnce(requests).map((request, index) => tools.send(`asked-${index}`, request)));
    if (!answers.every(tools.bringsCode)) return;
    let isLetIn = false;
    for (const [index, answer] of answers.entries()) {
      isLetIn = (await tools.redeemAll(`redeemed-${index}`, answer, people[index] ?? tools.person)) || isLetIn;
    }
    if (isLetIn) return;
    await tools.redeemAll(SINGLE, await tools.send("single", await tools.prepare()), tools.person);
  },
  judge: (evidence) => {
    const isAccepted = ({ exchange }: Evidence["steps"][number]) => evidence.read(exchange).kind === "accepted";
    const answers = evidence.steps.filter(({ role }) => role.startsWith("asked"));
    if (answers.length === 0 || !answers.every(isAccepted)) {
      const alone = evidence.steps.filter(({ role }) => role === ALONE);
      const isLost = [false, true].some((isOther) => {
        const own = answers.filter(({ role }) => isOfOther(role) === isOther);
        return own.length > 0 && !own.some(isAccepted);
      });
      const isLimited = answers.some(({ exchange }) => exchange.response?.status === 429);
      if (isLost && !isLimited && alone.length === 2 && alone.every(isAccepted))
        return faulty(frameAtOnceCheck, "a call that gets a code on its own gets none at the same time as others");
      return skipVerdict("the page is not shown to both users");
    }
    if (!evidence.steps.some(({ role }) => role.startsWith("redeemed"))) {
      return skipVerdict("the page makes its call again and again until it gets its code");
    }
    const redeemed = answers.map(({ role }) => ({
      isOther: isOfOther(role),
      isAccepted: isLetInAs(role.replace("asked", "redeemed"), evidence.steps),
    }));
    return judgeRedeemed(frameAtOnceCheck, redeemed, evidence);
  },
};

/** The calls of two users alternate. */
function isOtherUser(index: number): boolean {
  return index % 2 === 1;
}

/** Whether a call of this role is one of the other user. */
function isOfOther(role: string): boolean {
  return isOtherUser(Number(role.replace("asked-", "")));
}
