import { isField } from "../../../browser/html-form.ts";
import { bypassMembers, withBypassHeaders, withBypassParameters } from "../../../checking/bypass.ts";
import { ANY_ROW, firstHalf, lastHalf, otherThan, withOtherEnd } from "../../../checking/other-value.ts";
import type { RequestParts } from "../../../checking/request-parts.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import { withAddedMembers } from "../added-members.ts";
import { pageOf } from "../walk/answer.ts";
import type { ReadyForm } from "../walk/login.ts";
import { fieldsOf, isGuessable, withField, withListField, withoutField } from "./form.ts";
import { falsyWords } from "./loose-spellings.ts";

/** Typed before or after the right password: a digit, for fields that take nothing else. */
export const MORE = "7";

/** Names of the fields that usually say which button was pressed. */
const buttonNames = /(?:^|[_-])(?:action|decision|button|submit|intent)/i;

const SKIP = "skip";

/** A form with more other fields is not tried without each. */
const MOST_OTHERS = 4;

/** What developers send to get past a password while they test. */
const switches: readonly ((form: RequestParts) => RequestParts)[] = [
  (form) => withBypassHeaders(withBypassParameters(form, "1"), "1"),
  (form) => withBypassHeaders(withBypassParameters(form, "true"), "true"),
  (form) => withAddedMembers(form, bypassMembers("1")),
  (form) => withAddedMembers(form, bypassMembers("true")),
];

/** A change that makes a right form a wrong one; null: this form cannot be changed so. */
export type FormSpoiling = (request: RequestParts) => RequestParts | null;

/** Whether the page itself has a way past its form with this value. */
function hasSkip(walked: readonly Exchange[], name: string): boolean {
  const controls = walked.slice(-1).flatMap((page) => pageOf(page)?.forms.flatMap((form) => form.controls) ?? []);
  return controls.some((each) => each.name === name && isField(each) && each.value === SKIP);
}

/**
 * Ways to make a right form a wrong one; each is sent in a separate login. The first two send other texts, so that their
 * answers can be compared.
 */
export function wrongForms(
  { request, state, person, walked }: ReadyForm,
  name: string,
  value: string,
): readonly FormSpoiling[] {
  const wrong: FormSpoiling = (form) => withField(form, name, otherThan(value));
  const others = fieldsOf(request).filter(
    ([other, text]) => other !== name && other !== "state" && text !== state && isGuessable(text),
  );
  return [
    wrong,
    // Some code compares only beginnings, or looks for the password inside what was typed.
    (form) => withField(form, name, withOtherEnd(value)),
    // Some code treats a list as equal to any text.
    (form) => withListField(form, name),
    (form) => withField(form, name, ""),
    (form) => withoutField(form, name),
    (form) => (value.length > 1 ? withField(form, name, firstHalf(value)) : null),
    (form) => (value.length > 1 ? withField(form, name, lastHalf(value)) : null),
    (form) => withField(form, name, `${value}${MORE}`),
    (form) => withField(form, name, `${MORE}${value}`),
    (form) => withField(form, name, `${otherThan(value)}${ANY_ROW}`),
    ...others
      .filter(([other]) => buttonNames.test(other) && !hasSkip(walked, other))
      .map(
        ([other]): FormSpoiling =>
          (form) =>
            withField(wrong(form) ?? form, other, SKIP),
      ),
    ...guesses(value, person.user.id).map(
      (guess): FormSpoiling =>
        (form) =>
          withField(form, name, guess),
    ),
    ...switches.map(
      (add): FormSpoiling =>
        (form) => {
          const changed = wrong(form);
          return changed && add(changed);
        },
    ),
    // Some code compares only if another field, such as that of the button, says so.
    ...others.slice(0, MOST_OTHERS).map(
      ([other]): FormSpoiling =>
        (form) =>
          withoutField(wrong(form) ?? form, other),
    ),
  ];
}

/**
 * Passwords that an app takes for the right one if it compares characters without their order, uses what was typed as a
 * pattern, or compares only what it takes for a password, and those that are left over from tests.
 */
function guesses(value: string, userId: number): string[] {
  const isPin = /^\d{3,10}$/.test(value);
  const ofTests = isPin ? ["0".repeat(value.length), "1234567890".slice(0, value.length)] : [];
  const next = isPin ? [String(Number(value) + 1).padStart(value.length, "0")] : [];
  const all = [[...value].reverse().join(""), ".*", "%", String(userId), ...falsyWords(value), ...ofTests, ...next];
  return all.filter((guess) => guess !== value);
}
