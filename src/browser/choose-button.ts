import type { Explanation } from "../app-client/explain-outcome.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { shown, shownList } from "./fill-fields.ts";
import { isButton } from "./form-entries.ts";
import type { FormButton, HtmlForm } from "./html-form.ts";

/** The button to press. */
export type ChosenButton =
  | {
      readonly ok: true;
      /** null: the form has none, and is sent as if by Enter in one of its fields. */
      readonly button: FormButton | null;
      /** The one of the given names that it has; null: none. */
      readonly press: string | null;
    }
  | ({ readonly ok: false } & Explanation);

/**
 * The button that one of `presses` names by its text, value, id or name. Where none has such a name, the only one that
 * sends the form: a step before the one that `presses` is for. Without `presses`, the first.
 */
export function chooseButton(form: HtmlForm, presses: readonly string[]): ChosenButton {
  const all = buttonsOf(form);
  const named = presses.map((press) => ({ press, buttons: buttonsNamed(all, press) }));
  const found = named.find(({ buttons }) => buttons.length > 0);
  if (found !== undefined) {
    const { press, buttons } = found;
    const [button] = buttons;
    if (button !== undefined && buttons.length === 1) return pressable(button, press);
    return refuse(`${shown(press)} is the name of ${buttons.length} buttons`, buttonsHint(buttons));
  }
  const senders = all.filter(({ kind, isDisabled }) => kind === "submit" && !isDisabled);
  const [sender, ...others] = senders;
  if (presses.length > 0 && others.length > 0) {
    const nearest = presses.map((name) => didYouMean(name, all.flatMap(namesOf))).join("");
    return refuse(`no button of the form is ${presses.map(shown).join(" or ")}.${nearest}`, buttonsHint(senders));
  }
  const [useless] = all;
  if (sender === undefined && useless !== undefined) return pressable(useless, null);
  return { ok: true, button: sender ?? null, press: null };
}

export function buttonsOf({ controls }: HtmlForm): FormButton[] {
  return controls.filter(isButton);
}

/** The buttons that go by this name: of the ways to name one, the first that fits any. */
export function buttonsNamed(buttons: readonly FormButton[], press: string): FormButton[] {
  const lower = press.toLowerCase();
  const ways: ((button: FormButton) => boolean)[] = [
    ({ text }) => text === press,
    ({ value }) => value === press,
    ({ id }) => id === press,
    ({ name }) => name === press,
    ({ text }) => text.toLowerCase() === lower,
  ];
  return ways.map((isNamed) => buttons.filter(isNamed)).find(({ length }) => length > 0) ?? [];
}

function namesOf({ text, value, id, name }: FormButton): string[] {
  return [text, value, id, name].filter((each) => each !== "");
}

function pressable(button: FormButton, press: string | null): ChosenButton {
  if (button.isDisabled) return refuse(`the button ${shown(button.text)} is disabled`, null);
  if (button.kind === "submit") return { ok: true, button, press };
  const why =
    button.kind === "image" ? "is an image, which only a browser can press" : "does nothing without JavaScript";
  return refuse(`the button ${shown(button.text)} ${why}`, NEEDS_BROWSER);
}

export const NEEDS_BROWSER = "walk the page with --browser";

/** A list of the buttons, by what a person can name each with. */
export function buttonsHint(buttons: readonly FormButton[]): string {
  const names = buttons.map(({ text, value, id, name }) => text || value || id || name);
  return names.length === 0 ? "there are no buttons" : `the buttons: ${shownList(names)}`;
}

function refuse(reason: string, hint: string | null): ChosenButton {
  return { ok: false, reason, hint };
}
