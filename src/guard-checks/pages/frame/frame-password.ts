import type { Evidence, TrialCheck } from "../../../checking/check.ts";
import { otherThan } from "../../../checking/other-value.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { attempt } from "../../../checking/subject-runner.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { Person } from "../../call.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import { isLooseSpelling, loosely, looseSpellings } from "../form/loose-spellings.ts";
import { PERHAPS_OWN_PASSWORD, WRONG_TRIES, wrongAgain } from "../form/password-check.ts";
import { withOtherUser } from "../other-ids.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { changedCall, NO_PASSWORD_SENT, passwordsSent } from "./passwords-sent.ts";
import { type Spoiling, sendsTyped, spoilings, type Typed, withTyped, withTypedIn } from "./spoiled-password.ts";

const [TYPED, TRIED, REDEEMED, RIGHT, RIGHT_BEFORE] = ["typed", "tried", "redeemed", "right", "right before"];

/** How many refusals are searched for a code: some apps count wrong codes. */
const MOST_REFUSALS = 2;

/** The check of the password that the page in a frame asks for, where the configuration has it. */
export const framePasswordCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.wrong-password",
  area: "page",
  title: "The page's own call gets no code with a password other than the configured one",
  section: "4.2",
  severity: "must",
  mayLockOut: true,
  why: "Anybody can send the call without the page. A password that only the page looks at, or nobody, protects nothing, and every correct login still works.",
  fix: "Compare the complete input with what is stored for this user where the code is issued, and refuse a call in which it is missing, empty or not a string.",
  run: async (tools) => {
    let count = 0;
    let isLetIn = false;
    for (const one of await passwordsSent(tools)) {
      for (const [how, spoiled] of wrongCalls(tools, one)) {
        const wrong = await changedCall(tools, `${TYPED}-${count + 1}`, one, spoiled);
        if (wrong === "unchanged") continue;
        count += 1;
        const which = `${count}${how === "" ? "" : ` ${how}`}`;
        const answer = wrong === "refused" ? null : await tools.send(`${TRIED}-${which}`, wrong);
        if (answer !== null && (isAnswered(answer) || count <= MOST_REFUSALS))
          isLetIn = (await tools.redeemAll(`${REDEEMED}-${which}`, answer, tools.person)) || isLetIn;
        // Many apps lock out users who send only wrong passwords.
        await tools.send(RIGHT, await tools.prepare());
      }
    }
    if (isLetIn) await tools.redeemMadeUp(OF_NOBODY, tools.person);
  },
  judge: ({ steps, read }) => {
    const tried = steps.filter(({ role }) => role.startsWith(`${TRIED}-`));
    if (tried.length === 0 && !isTyped(steps)) return NO_PASSWORD_SENT;
    const letIn = tried.filter(({ role }) => isLetInAs(role.replace(`${TRIED}-`, `${REDEEMED}-`), steps));
    const [first] = letIn;
    if (first === undefined) return PASSED;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets the user in with any code");
    const wrong = letIn.find(({ role }) => !isLooseSpelling(howOf(role)));
    if (wrong === undefined) return loosely(read(first.exchange).says, howOf(first.role));
    return faulty(framePasswordCheck, `the app ${read(wrong.exchange).says}, and its code let the user in`);
  },
};

/** A call with something else in place of the password; null if it does not have it. */
type WrongCall = (request: RequestParts) => RequestParts | null;

/** What to send instead of the right password, and how it differs; no words: it is another one. */
function wrongCalls(tools: FrameTools, typed: Typed): (readonly [how: string, spoiled: WrongCall])[] {
  const typing =
    (spoil: Spoiling): WrongCall =>
    (request) =>
      withTyped(request, typed, spoil);
  const others = tools.othersValues(typed.name).map((text) => ({ text }));
  return [
    ...[...spoilings(typed.value), ...others].map((spoil) => ["", typing(spoil)] as const),
    ...tools.othersWhoFill.map((other) => ["", asOther(tools, typed, other)] as const),
    ...looseSpellings(typed.value).map(({ how, text }) => [how, typing({ text })] as const),
  ];
}

/** The call about another user, with that user's password: only its token still says whose login it is. */
function asOther(tools: FrameTools, typed: Typed, other: Person): WrongCall {
  return (request) => {
    const theirs = tools.valueOf(typed.name, other);
    const wrong = theirs === null ? null : withTyped(request, typed, { text: theirs });
    return wrong && withOtherUser(wrong, tools.person.user, other.user);
  };
}

/** How a password differed that was tried in this role. */
function howOf(role: string): string {
  return role.split(" ").slice(1).join(" ");
}

/**
 * The check of an app that counts wrong passwords. It uses a user unknown to the app, because many apps lock out a user
 * after that many wrong ones; or else the other user, whose own password may be unknown.
 */
export const framePasswordTriesCheck: TrialCheck<FrameTools> = {
  ...wrongAgain,
  id: "page.frame-request.wrong-again",
  area: "page",
  title: "The page's own call gets no code after several wrong passwords, in one login or in several",
  section: "4.2",
  severity: "must",
  run: async (tools) => {
    const [typed] = await passwordsSent(tools);
    if (typed === undefined) return;
    const isLast = sendsTyped(await tools.prepare(), typed);
    const { isOpen, person } = isLast ? await tryLastCall(tools, typed) : await tryEarlierCalls(tools, typed);
    if (isOpen) await tools.redeemMadeUp(OF_NOBODY, person);
  },
  judge: ({ steps, read }) => {
    const tried = steps.filter(({ role }) => role.startsWith(`${TRIED}-`));
    if (tried.length === 0 && !isTyped(steps)) return NO_PASSWORD_SENT;
    const found = tried.find(({ role }) => isLetInAs(role.replace(`${TRIED}-`, `${REDEEMED}-`), steps));
    if (found === undefined) return PASSED;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets the user in with any code");
    const count = Number(found.role.slice(`${TRIED}-`.length));
    // The page may ask the other user for no password, and let them pass at once.
    if (count === 1 && !isLetInAs(RIGHT_BEFORE, steps)) return skipVerdict(PERHAPS_OWN_PASSWORD);
    const says = `the app ${read(found.exchange).says} at wrong password ${count}, and its code let the user in`;
    return faulty(framePasswordTriesCheck, says);
  },
};

/** Whether wrong passwords brought a code that let this person in. */
interface TriedAgain {
  readonly isOpen: boolean;
  readonly person: Person;
}

/** Sends the call that brings the code with wrong passwords: several in one login, and one in each of several. */
async function tryLastCall(tools: FrameTools, typed: Typed): Promise<TriedAgain> {
  const newcomer = tools.newcomer();
  const person = (await passesRightly(tools, newcomer)) ? newcomer : tools.other;
  const own = { ...typed, value: tools.valueOf(typed.name, person) ?? typed.value };
  let count = 0;
  /** @returns whether it let that person in */
  const tryWrong = async (right: RequestParts) => {
    const wrong = withTyped(right, own, { text: otherThan(own.value) });
    if (wrong === null) return false;
    count += 1;
    const answer = await tools.send(`${TRIED}-${count}`, wrong);
    // Some apps count wrong passwords by address, and all users here have the same one.
    await tools.send(RIGHT, await tools.prepare());
    return isAnswered(answer) && tools.redeemAll(`${REDEEMED}-${count}`, answer, person);
  };
  const login = await tools.prepareFor(person);
  let isOpen = false;
  for (let each = 0; each < WRONG_TRIES && !isOpen; each += 1) isOpen = await tryWrong(login);
  for (let each = 0; each < WRONG_TRIES && !isOpen; each += 1) isOpen = await tryWrong(await tools.prepareFor(person));
  return { isOpen, person };
}

/** Sends several wrong passwords in one login where an earlier call has them, and then the call that brings the code. */
async function tryEarlierCalls(tools: FrameTools, typed: Typed): Promise<TriedAgain> {
  const { person } = tools;
  const wrongly = (each: Exchange) => {
    const wrong = withTypedIn(each, typed, { text: otherThan(typed.value) });
    return wrong === null ? [each] : Array.from({ length: WRONG_TRIES }, () => wrong);
  };
  const last = await tools.prepareAfter(`${TYPED}-1`, wrongly);
  const answer = last && (await tools.send(`${TRIED}-${WRONG_TRIES}`, last));
  await tools.send(RIGHT, await tools.prepare());
  const isOpen =
    answer !== null && isAnswered(answer) && (await tools.redeemAll(`${REDEEMED}-${WRONG_TRIES}`, answer, person));
  return { isOpen, person };
}

/** Whether a user passes the page with the configured password. */
async function passesRightly(tools: FrameTools, person: Person): Promise<boolean> {
  return attempt(async () => {
    const answer = await tools.send(RIGHT_BEFORE, await tools.prepareFor(person));
    return tools.redeemAll(RIGHT_BEFORE, answer, person);
  });
}

/** Whether a wrong password was sent in an earlier call than the one that brings the code. */
function isTyped(steps: Evidence["steps"]): boolean {
  return steps.some(({ role }) => role.startsWith(`${TYPED}-`));
}

function isAnswered({ response }: Exchange): boolean {
  return response !== null && response.status < 400;
}
