import { attributeValues } from "../../browser/read-html.ts";
import type { TrialCheck } from "../../checking/check.ts";
import type { RequestParts } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { bodyBytes } from "../../journal/journal.ts";
import { fieldsOf, isGuessable, withField, withListField, withoutField } from "./form.ts";
import type { ReadyForm } from "./login.ts";
import type { FormTools } from "./tools.ts";

/** Names of fields that are for a secret, also where they show what is typed. */
const secretNames = ["pin", "pincode", "otp", "totp", "passcode", "passphrase", "password", "secret"];
/** Fields that take the one value which their user knows. */
const passwords = [
  "input[type=password i]",
  "input[autocomplete=one-time-code i]",
  "input[autocomplete=current-password i]",
  ...secretNames.map((name) => `input[name=${name} i]`),
].join();

const [SHOWN, TRIED, RIGHT] = ["shown", "tried", "right"];

/** A form with more other fields is not tried without each. */
const MOST_OTHERS = 4;

/** The check of the password that a page asks for, where the configuration has it. */
export const passwordCheck: TrialCheck<FormTools> = {
  id: "page.form.wrong-password",
  area: "page",
  title: "The form gets no code with a password other than the configured one",
  section: "3.1",
  severity: "must",
  why: "A password that nobody compares protects nothing, and every right login still works. Only a wrong one shows it.",
  mend: "Compare the whole of what was entered with what is stored for this user, whatever else the form sends, and issue the code only where they agree.",
  run: async (tools) => {
    const told = new Set(Object.values(tools.told));
    const own = told.size === 0 ? null : await tools.login("opened");
    if (own === null) return;
    const names = new Set(passwordsIn(await tools.open(SHOWN)));
    const given = fieldsOf(own.request).filter(([name, value]) => names.has(name) && told.has(value));
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
    if (tried.length === 0) return skipVerdict("the configuration names no password of the form");
    const accepted = tried.find(({ kind }) => kind === "accepted");
    return accepted === undefined ? PASSED : faulty(passwordCheck, `the app ${accepted.says}`);
  },
};

type Spoiling = (request: RequestParts) => RequestParts | null;

/** What makes a right form a wrong one: each is sent in a login of its own. */
function wrongForms({ request, state }: ReadyForm, name: string, value: string): readonly Spoiling[] {
  const half = Math.ceil(value.length / 2);
  const wrong: Spoiling = (form) => withField(form, name, otherThan(value));
  const others = fieldsOf(request).filter(
    ([other, text]) => other !== name && other !== "state" && text !== state && isGuessable(text),
  );
  return [
    wrong,
    // To some code a list is equal to any text.
    (form) => withListField(form, name),
    (form) => withField(form, name, ""),
    // Some code compares beginnings.
    (form) => withField(form, name, value.slice(0, half) + otherThan(value.slice(half))),
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

/** The names of the fields of a page that take a password. */
export function passwordsIn({ response }: Exchange): string[] {
  if (response === null) return [];
  return attributeValues({ headers: response.headers, body: bodyBytes(response.body) }, passwords, "name");
}

/** A value of the same length and kind. */
function otherThan(value: string): string {
  return value.replaceAll(/[\da-z]/gi, (letter) =>
    /[9z]/i.test(letter) ? (letter === "9" ? "0" : "a") : next(letter),
  );
}

function next(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 1);
}
