import type { TrialCheck } from "../../../checking/check.ts";
import { firstHalf, lastHalf, otherThan, withOtherEnd } from "../../../checking/other-value.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, NO_DECISION, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { Person } from "../../call.ts";
import { OF_NOBODY } from "../any-users-code.ts";
import { withOtherUser } from "../other-ids.ts";
import { isPassed } from "../walk/answer.ts";
import { cookiesAfter, type ReadyForm } from "../walk/login.ts";
import type { FormTools } from "../walk/tools.ts";
import { earlierPasswords, tryEarlier } from "./earlier-passwords.ts";
import { valuesSent } from "./earlier-requests.ts";
import { fieldsOf, withField } from "./form.ts";
import { falsyWords, isLooseSpelling, type LooseSpelling, loosely, looseSpellings } from "./loose-spellings.ts";
import { codesInRefusal, type WrongTry } from "./refused-code.ts";
import { asksForNumber, secretsAskedIn } from "./secret-fields.ts";
import { type FormSpoiling, MORE, wrongForms } from "./wrong-forms.ts";

const [SHOWN, TRIED, TRIED_EARLIER, TRIED_AS_OTHER, TRIED_AFTER, RIGHT, REDEEMED] = [
  "shown",
  "tried",
  "tried at an earlier step",
  "filled in as by another user",
  "tried in the browser of a right one",
  "right",
  "redeemed from a refusal",
];
/** The roles of a form about another user, and of the final call with its code. */
const [ABOUT_OTHER, REDEEMED_OTHER] = ["tried about another user", "redeemed for oneself"];
/** The role of the requests that show whether somebody passes the page. */
export const RIGHT_BEFORE = "right before";

/** A field, and the right password in it. */
type NamedValue = readonly [name: string, value: string];

export const NO_PASSWORD = skipVerdict(
  "the form with which the user comes back has no field known as a password that the configuration fills in",
);
export const NO_PASSWORD_ANYWHERE = skipVerdict(
  "no form of the page has a field known as a password that the configuration fills in",
);

/** The check of the password that a page asks for, where the configuration has it. */
export const passwordCheck: TrialCheck<FormTools> = {
  id: "page.form.wrong-password",
  area: "page",
  title: "The form gets no code with a password other than the configured one",
  section: "3.1",
  severity: "must",
  why: "A password that is not compared protects nothing, and every correct login still works. Only a wrong one shows it.",
  mayLockOut: true,
  fix: "Compare the complete input with what is stored for this user, whatever else the form sends, and issue the code only if they match.",
  run: async (tools) => {
    const { own, given, earlier } = await configuredPasswords(tools);
    if (own === null) return;
    for (const field of given) await tryInForm(tools, own, field);
    if (given.length + earlier.length > 0) {
      for (const fill of tools.othersFills()) {
        await tools.passWith(TRIED_AS_OTHER, fill);
        await passRightly(tools);
      }
    }
    for (const [field, value] of earlier) {
      const parts = [firstHalf(value), lastHalf(value), `${value}${MORE}`];
      const wrongs = [otherThan(value), withOtherEnd(value), ...parts, ...falsyWords(value)];
      for (const wrong of [...wrongs, ...tools.othersValues(field)]) {
        await tools.passWith(TRIED_EARLIER, { [field]: wrong });
        await passRightly(tools);
      }
      for (const { how, text } of spellingsFor(own, [field, value])) {
        await tools.passWith(how, { [field]: text });
        await passRightly(tools);
      }
    }
  },
  judge: ({ steps, landing, read }) => {
    const replies = (wanted: string | undefined) =>
      steps.filter(({ role }) => role === wanted).map(({ exchange }) => read(landing(exchange)));
    const tried = replies(TRIED);
    const earlier = steps.filter(({ role }) => role === TRIED_EARLIER);
    if (tried.length === 0 && earlier.length === 0) return NO_PASSWORD_ANYWHERE;
    if (earlier.some(({ exchange }) => isPassed(exchange)))
      return faulty(passwordCheck, "the user came back with a code although an earlier form had a wrong password");
    const accepted = tried.find(({ kind }) => kind === "accepted");
    if (accepted !== undefined) return faulty(passwordCheck, `the app ${accepted.says}`);
    if (steps.some(({ role, exchange }) => role === TRIED_AS_OTHER && isPassed(exchange)))
      return faulty(passwordCheck, "the user came back with a code after filling in what another user fills in");
    const after = replies(TRIED_AFTER).find(({ kind }) => kind === "accepted");
    if (after !== undefined)
      return faulty(
        passwordCheck,
        `in a browser that has sent the right one in an earlier login, the app ${after.says}`,
      );
    if (isLetInAs(REDEEMED_OTHER, steps) && !isLetInAs(OF_NOBODY, steps))
      return faulty(passwordCheck, "a user is let in who sent the id and the password of another one");
    if (isLetInAs(REDEEMED, steps) && !isLetInAs(OF_NOBODY, steps))
      return faulty(passwordCheck, "the app refused a wrong password with an answer whose code let the user in");
    const loose = steps.find(({ role, exchange }) => isLooseSpelling(role) && isPassed(landing(exchange)));
    return loose === undefined ? PASSED : loosely(read(landing(loose.exchange)).says, loose.role);
  },
};

/** Sends wrong passwords in the last form, each in a separate login. */
async function tryInForm(tools: FormTools, own: ReadyForm, [name, value]: NamedValue): Promise<void> {
  const wrongs = wrongForms(own, name, value);
  const tries: (WrongTry | null)[] = [];
  for (const spoil of wrongs) {
    tries.push(await sendWrong(tools, TRIED, spoil));
    if (tries.length === 2) await redeemRefusal(tools, tries);
    await passRightly(tools);
  }
  const others = tools.othersValues(name).map((text) => ({ how: TRIED, text }));
  for (const { how, text } of [...others, ...spellingsFor(own, [name, value])]) {
    await sendWrong(tools, how, (form) => withField(form, name, text));
    await passRightly(tools);
  }
  for (const other of tools.othersWhoFill) await tryAsOther(tools, own, name, other);
  await tryInSameBrowser(tools, name, otherThan(value));
}

/** Sends a form about another user, with that user's password, in a login of one's own. */
async function tryAsOther(tools: FormTools, { person }: ReadyForm, name: string, other: Person): Promise<void> {
  const theirs = tools.valuesOf(other)[name];
  if (typeof theirs !== "string") return;
  const tried = await sendWrong(tools, ABOUT_OTHER, (form) =>
    withField(withOtherUser(form, person.user, other.user), name, theirs),
  );
  const isLetIn = await tools.redeem(REDEEMED_OTHER, tried?.answer ?? null, person);
  if (isLetIn) await tools.redeemMadeUp(OF_NOBODY, person);
  await passRightly(tools);
}

/** Sends a wrong form in a new login; null: the app does not let the login get that far, or the form has no such change. */
async function sendWrong(tools: FormTools, role: string, spoil: FormSpoiling): Promise<WrongTry | null> {
  const form = await tools.login("opened");
  const wrong = form && spoil(form.request);
  return form === null || wrong === null ? null : { form, answer: await tools.send(role, wrong) };
}

/** Tries as codes what the second of two refusals has, and the first one does not. */
async function redeemRefusal(tools: FormTools, [first, second]: readonly (WrongTry | null)[]): Promise<void> {
  if (first == null || second == null) return;
  const { person } = second.form;
  for (const text of codesInRefusal(first, second)) {
    if (await tools.redeemText(REDEEMED, text, person)) await tools.redeemMadeUp(OF_NOBODY, person);
  }
}

/** Other ways to write the password of a field. */
function spellingsFor({ walked }: ReadyForm, [name, value]: NamedValue): LooseSpelling[] {
  return looseSpellings(
    value,
    walked.some((page) => asksForNumber(page, name)),
  );
}

/** Sends a wrong password in a browser whose last login had the right one: what the app remembers of it must not count. */
async function tryInSameBrowser(tools: FormTools, name: string, wrong: string): Promise<void> {
  const passed = await passRightly(tools);
  const cookies = passed === null ? null : cookiesAfter(passed);
  if (cookies === null) return;
  const again = await tools.login("opened", { cookies });
  const form = again && withField(again.request, name, wrong);
  if (form !== null) await tools.send(TRIED_AFTER, form);
  await passRightly(tools);
}

/** How many wrong passwords are sent in one login, and in one login each: counters often end at three or five. */
export const WRONG_TRIES = 6;

/** What the checks of an app that counts wrong passwords have in common. */
export const wrongAgain = {
  mayLockOut: true,
  why: "The branch for the last wrong try is often untested. If it lets the user continue instead of turning them away, a few wrong passwords open the door.",
  fix: "Return with an error, or refuse the form, when the tries are used up: issue a code in only one place, where the password was right.",
} as const;
/** Why the wrong password of another user says nothing. */
export const PERHAPS_OWN_PASSWORD =
  "a user unknown to the app does not pass the page, and the wrong password that was tried may be the other user's own";

/**
 * The check of an app that counts wrong passwords. It uses a user unknown to the app, because many apps lock out a user
 * after that many wrong ones; or else the other user, whose own password may be unknown.
 */
export const passwordTriesCheck: TrialCheck<FormTools> = {
  ...wrongAgain,
  id: "page.form.wrong-again",
  area: "page",
  title: "The form gets no code after several wrong passwords, in one login or in several",
  section: "3.1",
  severity: "must",
  run: async (tools) => {
    const { given, earlier: before } = await configuredPasswords(tools);
    const [password] = given;
    const [[, earlier] = []] = before;
    if (password === undefined && earlier === undefined) return;
    const newcomer = tools.newcomer();
    const isKnown = await passesRightly(tools, newcomer);
    if (isKnown && earlier !== undefined) {
      const typed = Array.from({ length: WRONG_TRIES }, () => otherThan(earlier));
      await tryEarlier(tools, earlier, { role: TRIED_EARLIER, person: newcomer, typed });
    }
    if (password === undefined) return;
    const [name] = password;
    const person = isKnown ? newcomer : tools.other;
    const tryWrong = async (login: ReadyForm | null) => {
      const wrong = login && withField(login.request, name, otherThan(ownValue(tools, person, password)));
      if (wrong !== null) await tools.send(TRIED, wrong);
    };
    const login = await tools.login("opened", { person });
    for (let count = 0; count < WRONG_TRIES; count += 1) await tryWrong(login);
    for (let count = 0; count < WRONG_TRIES; count += 1) {
      // Some apps count wrong passwords by address, and all users here have the same one.
      await passRightly(tools);
      await tryWrong(await tools.login("opened", { person }));
    }
    await passRightly(tools);
  },
  judge: ({ steps, landing, read }) => {
    const of = (wanted: string | undefined) =>
      steps.filter(({ role }) => role === wanted).map(({ exchange }) => read(landing(exchange)));
    const earlier = of(TRIED_EARLIER);
    const letIn = earlier.find(({ kind }) => kind === "accepted");
    if (letIn !== undefined)
      return faulty(passwordTriesCheck, `after ${WRONG_TRIES} wrong ones in an earlier form, the app ${letIn.says}`);
    const tried = of(TRIED);
    if (tried.length === 0) return earlier.length === 0 ? NO_PASSWORD : PASSED;
    const accepted = tried.findIndex(({ kind }) => kind === "accepted");
    // The page may ask the other user for no password, and let them pass at once.
    if (accepted === 0 && of(RIGHT_BEFORE)[0]?.kind !== "accepted") return skipVerdict(PERHAPS_OWN_PASSWORD);
    if (accepted >= 0)
      return faulty(passwordTriesCheck, `the app ${tried[accepted]?.says} at wrong password ${accepted + 1}`);
    const broken = tried.findIndex(({ kind }) => kind === "broken");
    if (broken < 0) return PASSED;
    return {
      result: "warn",
      reason: `the app ${tried[broken]?.says} at wrong password ${broken + 1}, ${NO_DECISION}`,
    };
  },
};

/** Whether a user passes the page with the configured password. */
export async function passesRightly(tools: FormTools, person: Person): Promise<boolean> {
  const landing = await tools.submit(RIGHT_BEFORE, await tools.login("opened", { person }));
  return isPassed(landing);
}

/** What a person has as the password in a field, where the one who passes the page has this one. */
export function ownValue(tools: FormTools, person: Person, [name, value]: NamedValue): string {
  const own = tools.valuesOf(person)[name];
  return typeof own === "string" ? own : value;
}

/**
 * A correctly filled form, those of its fields that the configuration fills with a password, and the passwords that the
 * forms before it ask for, by the configured name of their field.
 */
export async function configuredPasswords(tools: FormTools) {
  const values = new Set(Object.values(tools.configured));
  const own = values.size === 0 ? null : await tools.login(SHOWN);
  const given =
    own === null ? [] : passwordsAsked(own.walked, fieldsOf(own.request)).filter(([, value]) => values.has(value));
  return { own, given, earlier: own === null ? [] : earlierPasswords(own, tools.configured) };
}

/**
 * Those fields of a form that its page asks for as a password.
 * @param walked the requests that led to the page
 */
export function passwordsAsked(walked: readonly Exchange[], fields: ReturnType<typeof fieldsOf>) {
  const shown = walked.at(-1);
  const names = new Set(shown === undefined ? [] : secretsAskedIn(shown));
  // What an earlier step has asked for, a later one may only carry along in a hidden field.
  const carried = new Set(walked.flatMap(({ request }) => valuesSent(request)));
  return fields.filter(([name, value]) => names.has(name) && !carried.has(value));
}

/**
 * Passes the page with the right password: many apps lock out users who send only wrong ones.
 * @returns the answer; null: the app did not let the login get that far
 */
export async function passRightly(tools: FormTools): Promise<Exchange | null> {
  return tools.submit(RIGHT, await tools.login("opened"));
}
