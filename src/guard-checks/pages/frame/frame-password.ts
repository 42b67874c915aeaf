import type { TrialCheck } from "../../../checking/check.ts";
import { firstHalf, otherThan } from "../../../checking/other-value.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import { attempt } from "../../../checking/subject-runner.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { Person } from "../../call.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import { fieldsOf, withFields, withoutField } from "../form/form.ts";
import { PERHAPS_OWN_PASSWORD, WRONG_TRIES, wrongAgain } from "../form/password-check.ts";
import type { FrameTools } from "../walk/tools.ts";
import { callJson } from "./call-body.ts";
import { passwordsTyped } from "./typed-password.ts";

const [TRIED, REDEEMED, RIGHT, RIGHT_BEFORE] = ["tried", "redeemed", "right", "right before"];

const NO_PASSWORD_SENT = skipVerdict("the call with which the page gets its code sends no password that is configured");

/** A shorter value may be anything else in a request, unless its name is that of the field. */
const FEWEST_CHARACTERS = 4;

/** The check of the password that the page in a frame asks for, where the configuration has it. */
export const framePasswordCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.wrong-password",
  area: "page",
  title: "The page's own call gets no code with a password other than the configured one",
  section: "4.2",
  severity: "must",
  mayLockOut: true,
  why: "Anybody can send the call without the page. A password that only the page looks at, or nobody, protects nothing, and every correct login still works.",
  fix: "Compare the complete input with what is stored for this user where the code is issued, and refuse a call in which it is missing, empty or no string.",
  run: async (tools) => {
    const typed = Object.keys(tools.configured).length === 0 ? [] : await typedSecrets(tools);
    let count = 0;
    let isLetIn = false;
    for (const one of typed) {
      for (const spoil of spoilings(one.value)) {
        const wrong = withTyped(await tools.prepare(), one, spoil);
        if (wrong === null) continue;
        count += 1;
        const answer = await tools.send(`${TRIED}-${count}`, wrong);
        if (isAnswered(answer))
          isLetIn = (await tools.redeemAll(`${REDEEMED}-${count}`, answer, tools.person)) || isLetIn;
        // Many apps lock out users who send only wrong passwords.
        await tools.send(RIGHT, await tools.prepare());
      }
    }
    if (isLetIn) await tools.redeemMadeUp(OF_NOBODY, tools.person);
  },
  judge: ({ steps, read }) => {
    const tried = steps.filter(({ role }) => role.startsWith(`${TRIED}-`));
    if (tried.length === 0) return NO_PASSWORD_SENT;
    const letIn = tried.find(({ role }) => isLetInAs(role.replace(`${TRIED}-`, `${REDEEMED}-`), steps));
    if (letIn === undefined) return PASSED;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets the user in with any code");
    return faulty(framePasswordCheck, `the app ${read(letIn.exchange).says}, and its code let the user in`);
  },
};

/**
 * The check of an app that counts wrong passwords. It uses a user unknown to the app, because many apps lock out a user
 * after that many wrong ones; or else the other user, whose own password it does not know.
 */
export const framePasswordTriesCheck: TrialCheck<FrameTools> = {
  ...wrongAgain,
  id: "page.frame-request.wrong-again",
  area: "page",
  title: "The page's own call gets no code after several wrong passwords, in one login or in several",
  section: "4.2",
  severity: "must",
  run: async (tools) => {
    const [typed] = Object.keys(tools.configured).length === 0 ? [] : await typedSecrets(tools);
    if (typed === undefined) return;
    const newcomer = tools.newcomer();
    const person = (await passesRightly(tools, newcomer)) ? newcomer : tools.other;
    let count = 0;
    /** @returns whether it let that person in */
    const tryWrong = async (right: RequestParts) => {
      const wrong = withTyped(right, typed, { text: otherThan(typed.value) });
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
    for (let each = 0; each < WRONG_TRIES && !isOpen; each += 1)
      isOpen = await tryWrong(await tools.prepareFor(person));
    if (isOpen) await tools.redeemMadeUp(OF_NOBODY, person);
  },
  judge: ({ steps, read }) => {
    const tried = steps.filter(({ role }) => role.startsWith(`${TRIED}-`));
    if (tried.length === 0) return NO_PASSWORD_SENT;
    const letIn = tried.findIndex(({ role }) => isLetInAs(role.replace(`${TRIED}-`, `${REDEEMED}-`), steps));
    const found = tried[letIn];
    if (found === undefined) return PASSED;
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets the user in with any code");
    // The page may ask the other user for no password, and let them pass at once.
    if (letIn === 0 && !isLetInAs(RIGHT_BEFORE, steps)) return skipVerdict(PERHAPS_OWN_PASSWORD);
    const says = `the app ${read(found.exchange).says} at wrong password ${letIn + 1}, and its code let the user in`;
    return faulty(framePasswordTriesCheck, says);
  },
};

/** Whether a user passes the page with the configured password. */
async function passesRightly(tools: FrameTools, person: Person): Promise<boolean> {
  return attempt(async () => {
    const answer = await tools.send(RIGHT_BEFORE, await tools.prepareFor(person));
    return isAnswered(answer) && tools.redeemAll(RIGHT_BEFORE, answer, person);
  });
}

function isAnswered({ response }: Exchange): boolean {
  return response !== null && response.status < 300;
}

/** A field of the page, and what a user types into it. */
interface Typed {
  readonly name: string;
  readonly value: string;
}

/** The configured passwords that the page's call sends. */
async function typedSecrets(tools: FrameTools): Promise<Typed[]> {
  const shown = await tools.open("shown");
  const right = await tools.prepare();
  const typed = passwordsTyped([shown], tools.configured).map(([name, value]) => ({ name, value }));
  return typed.filter((one) => withTyped(right, one, { text: otherThan(one.value) }) !== null);
}

/** What to send instead of a value: another text, nothing at all, or a JSON value of another type. */
type Spoiling = { readonly text: string } | "left out" | { readonly json: unknown };

function spoilings(value: string): readonly Spoiling[] {
  return [
    { text: otherThan(value) },
    { text: "" },
    "left out",
    // Some code compares only the beginning.
    ...(value.length > 1 ? [{ text: firstHalf(value) }] : []),
    // Loose comparisons treat these as equal to many texts.
    { json: true },
    { json: [otherThan(value)] },
  ];
}

/** The request with another value in place of what was typed; null if it is not there, or cannot be of this type. */
function withTyped(request: RequestParts, typed: Typed, spoil: Spoiling): RequestParts | null {
  const json = callJson(request);
  if (json !== undefined) {
    const changed = replaced(json, "", typed, spoil);
    if (changed !== null) return { ...request, body: { bytes: Buffer.from(JSON.stringify(changed.value)) } };
  }
  const names = new Set(fieldsOf(request).flatMap(([name, text]) => (isTyped(typed, name, text) ? [name] : [])));
  if (names.size === 0 || (spoil !== "left out" && !("text" in spoil))) return null;
  if (spoil === "left out") {
    return [...names].reduce<RequestParts>((changed, name) => withoutField(changed, name) ?? changed, request);
  }
  return withFields(request, (text, name) => (isTyped(typed, name, text) ? spoil.text : text));
}

function isTyped({ name, value }: Typed, key: string, sent: unknown): boolean {
  if (key !== name && value.length < FEWEST_CHARACTERS) return false;
  return sent === value || (typeof sent === "number" && sent === Number(value));
}

/** The JSON value with another value where this was typed; null if that is nowhere. */
function replaced(node: unknown, key: string, typed: Typed, spoil: Spoiling): { readonly value: unknown } | null {
  if (isTyped(typed, key, node)) {
    if (spoil === "left out") return { value: undefined };
    if ("json" in spoil) return { value: spoil.json };
    const isNumber = typeof node === "number" && spoil.text !== "";
    return { value: isNumber ? Number(spoil.text) : spoil.text };
  }
  if (typeof node !== "object" || node === null) return null;
  const members = Object.entries(node).map(([name, member]) => ({
    name,
    member,
    changed: replaced(member, Array.isArray(node) ? key : name, typed, spoil),
  }));
  if (members.every(({ changed }) => changed === null)) return null;
  const values = members.map(({ name, member, changed }) => [name, changed === null ? member : changed.value] as const);
  return { value: Array.isArray(node) ? values.map(([, value]) => value) : Object.fromEntries(values) };
}
