import { attributeValues } from "../../browser/read-html.ts";
import type { TrialCheck } from "../../checking/check.ts";
import { otherThan, withOtherEnd } from "../../checking/other-value.ts";
import type { RequestParts } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import { unpackedBytes } from "../../journal/readable-body.ts";
import { everythingIn, pageOf } from "./answer.ts";
import { fieldsOf, isGuessable, withField, withListField, withoutField } from "./form.ts";
import type { ReadyForm } from "./login.ts";
import { lookingAt } from "./look.ts";
import type { FormTools, OpenPageTools } from "./tools.ts";

/** Names of fields for a secret, even if they show what is typed. */
const secretNames = ["pin", "pincode", "otp", "totp", "passcode", "passphrase", "password", "secret"];
/** Fields for a value that the user knows. */
const passwords = [
  "input[type=password i]",
  "input[autocomplete=one-time-code i]",
  "input[autocomplete=current-password i]",
  ...secretNames.map((name) => `input[name=${name} i]`),
].join();

/** Codes that are no secret, by the word before `code` in the name of their field. */
const openCodes = ["area", "country", "currency", "dial", "lang", "language", "post", "postal", "promo", "zip"];

const [SHOWN, TRIED, RIGHT, RIGHT_BEFORE] = ["shown", "tried", "right", "right before"];

const NONE_TOLD = skipVerdict("the configuration has no password for the form");

/** A form with more other fields is not tried without each. */
const MOST_OTHERS = 4;

/** The check of the password that a page asks for, where the configuration has it. */
export const passwordCheck: TrialCheck<FormTools> = {
  id: "page.form.wrong-password",
  area: "page",
  title: "The form gets no code with a password other than the configured one",
  section: "3.1",
  severity: "must",
  why: "A password that is not compared protects nothing, and every right login still works. Only a wrong one shows it.",
  mend: "Compare the complete input with what is stored for this user, whatever else the form sends, and issue the code only if they match.",
  run: async (tools) => {
    const { own, given } = await toldPasswords(tools);
    if (own === null) return;
    for (const [name, value] of given) {
      for (const spoil of wrongForms(own, name, value)) {
        const login = await tools.login("opened");
        const wrong = login === null ? null : spoil(login.request);
        if (wrong !== null) await tools.send(TRIED, wrong);
        await passRightly(tools);
      }
    }
  },
  judge: ({ steps, landing, read }) => {
    const tried = steps.filter(({ role }) => role === TRIED).map(({ exchange }) => read(landing(exchange)));
    if (tried.length === 0) return NONE_TOLD;
    const accepted = tried.find(({ kind }) => kind === "accepted");
    return accepted === undefined ? PASSED : faulty(passwordCheck, `the app ${accepted.says}`);
  },
};

/** The check of what the page itself says of the password that it asks for. */
export const passwordShownCheck: TrialCheck<FormTools> = {
  id: "page.form.password-shown",
  area: "page",
  title: "The page does not hold the password that its form asks for",
  section: "3.1",
  severity: "should",
  why: "Whoever opens the page can read it, its comments and its scripts. A password that stands there proves nothing.",
  mend: "Send the password by another way, compare it on the server, and leave help for tests out of the page.",
  run: async (tools) => {
    const { own, given } = await toldPasswords(tools);
    if (given.length > 0) await tools.submit(RIGHT, own);
  },
  judge: ({ steps }) => {
    const [shown, right] = [SHOWN, RIGHT].map((role) => steps.find((step) => step.role === role)?.exchange);
    if (shown === undefined || right === undefined) return NONE_TOLD;
    const names = [...passwordsIn(shown), ...codesIn(shown)];
    const sent = [...new URLSearchParams(bodyText(right.request.body))].filter(([name]) => names.includes(name));
    const isShown = sent.some(([, value]) => isTelling(value) && holdsWord(everythingIn(shown), value));
    return isShown ? faulty(passwordShownCheck, "the page holds the right password") : PASSED;
  },
};

/** Short texts and years are in many pages by chance. */
function isTelling(password: string): boolean {
  return password.length >= 4 && !/^(19|20)\d\d$/.test(password);
}

/** Whether a text is in a page other than as an example of what to type. */
function holdsWord(page: string, word: string): boolean {
  const written = page.replaceAll(/\b(?:placeholder|title|pattern)\s*=\s*(?:"[^"]*"|'[^']*')/gi, "");
  return written.split(word).some((before, index, parts) => {
    const after = parts[index + 1];
    return after !== undefined && !/\w$/.test(before) && !/^\w/.test(after);
  });
}

/** How many wrong passwords are sent in one login, and in one login each: counters often end at three. */
const WRONG_TRIES = 4;

/**
 * The check of an app that counts wrong passwords. It uses a user unknown to the app: many apps lock out a user after
 * that many wrong ones.
 */
export const passwordTriesCheck: TrialCheck<FormTools> = {
  id: "page.form.wrong-again",
  area: "page",
  title: "The form gets no code after several wrong passwords, in one login or in several",
  section: "3.1",
  severity: "must",
  why: "The end of the tries is often in an untested branch. If it lets the user continue instead of turning them away, a few wrong passwords open the door.",
  mend: "Return with an error, or refuse the form, when the tries are used up: issue a code in only one place, where the password was right.",
  run: async (tools) => {
    const { given } = await toldPasswords(tools);
    const [password] = given;
    if (password === undefined) return;
    const [name, value] = password;
    const person = tools.newcomer();
    await tools.submit(RIGHT_BEFORE, await tools.login("opened", { person }));
    const tryWrong = async (login: ReadyForm | null) => {
      const wrong = login && withField(login.request, name, otherThan(value));
      if (wrong !== null) await tools.send(TRIED, wrong);
    };
    const login = await tools.login("opened", { person });
    for (let count = 0; count < WRONG_TRIES; count += 1) await tryWrong(login);
    for (let count = 0; count < WRONG_TRIES; count += 1) {
      // Some apps count by the address, which is that of every user here.
      await passRightly(tools);
      await tryWrong(await tools.login("opened", { person }));
    }
    await passRightly(tools);
  },
  judge: ({ steps, landing, read }) => {
    const of = (wanted: string | undefined) =>
      steps.filter(({ role }) => role === wanted).map(({ exchange }) => read(landing(exchange)));
    const tried = of(TRIED);
    if (tried.length === 0) return NONE_TOLD;
    if (of(RIGHT_BEFORE)[0]?.kind !== "accepted") {
      return skipVerdict("a user unknown to the app does not pass the page");
    }
    const accepted = tried.findIndex(({ kind }) => kind === "accepted");
    return accepted < 0
      ? PASSED
      : faulty(passwordTriesCheck, `the app ${tried[accepted]?.says} at wrong password ${accepted + 1}`);
  },
};

type Spoiling = (request: RequestParts) => RequestParts | null;

/** A form that is filled rightly, and those of its fields that the configuration fills with a password. */
async function toldPasswords(tools: FormTools) {
  const told = new Set(Object.values(tools.told));
  const own = told.size === 0 ? null : await tools.login("opened");
  const shown = own === null ? null : await tools.open(SHOWN);
  const names = new Set(shown === null ? [] : [...passwordsIn(shown), ...codesIn(shown)]);
  const given = own === null ? [] : fieldsOf(own.request).filter(([name, value]) => names.has(name) && told.has(value));
  return { own, given };
}

/** What makes a right form a wrong one: each is sent in a login of its own. */
function wrongForms({ request, state }: ReadyForm, name: string, value: string): readonly Spoiling[] {
  const wrong: Spoiling = (form) => withField(form, name, otherThan(value));
  const others = fieldsOf(request).filter(
    ([other, text]) => other !== name && other !== "state" && text !== state && isGuessable(text),
  );
  return [
    wrong,
    // To some code a list is equal to any text.
    (form) => withListField(form, name),
    (form) => withField(form, name, ""),
    (form) => withoutField(form, name),
    // Some code compares beginnings.
    (form) => withField(form, name, withOtherEnd(value)),
    // Some code compares only where another field, such as that of the button, says so.
    ...others.slice(0, MOST_OTHERS).map(
      ([other]): Spoiling =>
        (form) =>
          withoutField(wrong(form) ?? form, other),
    ),
  ];
}

/** Passes the page as it is passed rightly: many apps lock out users of whom only wrong passwords come. */
export async function passRightly(tools: FormTools): Promise<void> {
  await tools.submit(RIGHT, await tools.login("opened"));
}

/** The check of how the browser sends a password. */
export const passwordAddressCheck: TrialCheck<OpenPageTools> = lookingAt(
  {
    id: "page.text.password-by-get",
    title: "The page has no form that puts a password into a URL",
    section: "RFC 9110, 17.9",
    severity: "should",
    why: "A form without method=post sends its fields in the URL. URLs end up in histories and logs, and are shown on the screen.",
    mend: 'Send the form by POST: <form method="post">.',
  },
  (_, landing) => {
    const passwords = passwordsIn(landing);
    const page = pageOf(landing);
    // A script may send the form in another way.
    if (page === null || page.hasScripts) return null;
    const isSent = page.forms
      .filter(({ method }) => method === "get")
      .some(({ controls }) => controls.some(({ name }) => name !== "" && passwords.includes(name)));
    return isSent ? "a form with a password is sent by GET" : null;
  },
);

/** The names of the fields of a page that take a password. */
export function passwordsIn(page: Exchange): string[] {
  return namesIn(page, passwords);
}

/** The names of the fields of a page whose words say that they take a code which the user was sent, or reads somewhere. */
function codesIn(page: Exchange): string[] {
  return namesIn(page, "input:not([type=hidden i])").filter((name) => {
    const words = name.split(/[^a-zA-Z\d]+|(?<=[a-z\d])(?=[A-Z])/).map((word) => word.toLowerCase());
    if (words.some((word) => secretNames.includes(word))) return true;
    return words.at(-1) === "code" && !words.some((word) => openCodes.includes(word));
  });
}

function namesIn({ response }: Exchange, selector: string): string[] {
  if (response === null) return [];
  return attributeValues({ headers: response.headers, body: unpackedBytes(response) }, selector, "name");
}
