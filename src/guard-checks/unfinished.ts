import type { TrialCheck } from "../checking/check.ts";
import { isLetInAs } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { FinalTrial } from "./trial.ts";

const BEFORE = "before";
const AFTER_OPENING = "after the page was opened";
const AFTER_FAILING = "after the page was failed";
const AFTER_MISTYPING = "after the page was sent a wrong password";
const WHO_STAYED_AWAY = "somebody who stayed away";

/** The check that an unfinished page proves nothing: an app may remember who passed, not who opened the page. */
export const unfinishedCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.unfinished",
  area: "guard",
  section: "3.1",
  severity: "must",
  needsQuiet: true,
  title: "A user who opened the page, or failed it, is asked again at the next login",
  why: "Only a code that the guard accepts completes the interaction. If it is enough to open the page, or even to decline, everybody gets in on the second try.",
  fix: "Remember that a user passed only when the page is passed or its code is accepted, not before.",
  async run({ visitor, newcomers, request, send, visit, failPage, mistype }) {
    if (visitor === null) return;
    const ask = async (role: string, person = visitor) => send(role, await request(person, null));
    await ask(BEFORE);
    await visit(visitor);
    await ask(AFTER_OPENING);
    if (await failPage(visitor)) await ask(AFTER_FAILING);
    if (await mistype(visitor)) await ask(AFTER_MISTYPING);
    const [other] = newcomers;
    if (other !== undefined) await ask(WHO_STAYED_AWAY, other);
  },
  judge: ({ steps }) => {
    const isLetIn = (name: string) => isLetInAs(name, steps);
    if (steps.length === 0) return skipVerdict("nobody else was found whom the guard asks");
    if (isLetIn(BEFORE)) return skipVerdict("the guard asks each user once");
    // A user who is let in without opening the page proves nothing about it.
    if (isLetIn(WHO_STAYED_AWAY)) return skipVerdict("users who never opened the page are let in");
    const found = [AFTER_OPENING, AFTER_FAILING, AFTER_MISTYPING].find(isLetIn);
    return found === undefined ? PASSED : faulty(unfinishedCheck, `${found}, the next first call lets its user in`);
  },
};
