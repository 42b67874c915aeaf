import type { Explanation } from "../app-client/explain-outcome.ts";
import type { Failure } from "../platform/result-parts.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import {
  type Field,
  type FieldOption,
  type FormButton,
  type FormControl,
  type HtmlForm,
  isButton,
  isField,
} from "./html-form.ts";

/** Values for fields, by the field's name; several for fields that share a name or accept several. */
export type Fill = Readonly<Record<string, string | readonly string[]>>;

type Filled = { readonly ok: true; readonly form: HtmlForm } | ({ readonly ok: false } & Explanation);

/** Those of the names that a person could fill in in this form. */
export function fieldsIn({ controls }: HtmlForm, names: readonly string[]): string[] {
  const there = new Set(controls.flatMap((control) => (isOpenField(control) ? [control.name] : [])));
  return names.filter((name) => there.has(name));
}

/** Whether a person could fill it in. */
function isOpenField(control: FormControl): control is Field {
  return isField(control) && obstacleOf(control) === null;
}

/** Why this control cannot be filled in; null if it can. */
export function obstacleOf(control: FormControl): string | null {
  if (control.kind === "unsupported") return `is of type ${shown(control.type)}, which only a browser can send`;
  if (!isField(control)) return "is a button: press it with --press";
  if (control.kind === "hidden") return "is hidden from people";
  return control.isDisabled || control.isReadOnly ? "cannot be changed" : null;
}

/** Whether there is an empty text field that has to be filled in. */
export function hasEmptyText({ controls }: HtmlForm): boolean {
  return controls.some((control) => control.kind === "text" && isOpenField(control) && control.value === "");
}

/**
 * The form with these values in its fields; names that it does not have are ignored. Text goes into a text field; a
 * checkbox accepts its own value, `true` or `false`; a radio button is selected by its value, an option by its value or
 * its text. Messages do not contain the values: they may be secrets.
 */
export function fillFields(form: HtmlForm, fill: Fill): Filled {
  let { controls } = form;
  for (const name of fieldsIn(form, Object.keys(fill))) {
    const group = controls.filter(isOpenField).filter((field) => field.name === name);
    const entered = enterAll(name, group, fill);
    if (!entered.ok) return entered;
    const filled = new Map<FormControl, Field>(group.map((field, index) => [field, entered.fields[index] ?? field]));
    controls = controls.map((control) => filled.get(control) ?? control);
  }
  return { ok: true, form: { ...form, controls } };
}

/** The form with its required boxes checked, and the first option of each required choice selected, if none is. */
export function withRequiredChoices(form: HtmlForm): HtmlForm {
  const chosen = chosenRadios(form.controls);
  const controls = form.controls.map((control): FormControl => {
    if (!isOpenField(control) || !control.isRequired) return control;
    if (control.kind === "checkbox") return { ...control, isChecked: true };
    if (control.kind === "radio") return { ...control, isChecked: chosen.get(control.name) === control };
    if (control.kind !== "select" || control.options.some(({ isSelected, value }) => isSelected && value !== "")) {
      return control;
    }
    const first = control.options.find(({ value, isDisabled }) => value !== "" && !isDisabled);
    return { ...control, options: control.options.map((option) => ({ ...option, isSelected: option === first })) };
  });
  return { ...form, controls };
}

/** The checked radio button of each group, or else its first. */
function chosenRadios(controls: readonly FormControl[]): ReadonlyMap<string, Field> {
  const chosen = new Map<string, Field>();
  for (const control of controls) {
    if (!isOpenField(control) || control.kind !== "radio") continue;
    if (control.isChecked || !chosen.has(control.name)) chosen.set(control.name, control);
  }
  return chosen;
}

/** The fields of one name, with the values for it. */
export function enterAll(
  name: string,
  group: readonly Field[],
  fill: Fill,
): { readonly ok: true; readonly fields: readonly Field[] } | ({ readonly ok: false } & Explanation) {
  const values = [fill[name] ?? []].flat();
  const problem = problemOf(group, values);
  if (problem !== null) return { ok: false, reason: `the field ${shown(name)} ${problem}`, hint: null };
  return { ok: true, fields: group.map((field, index) => enter(field, group, index, values)) };
}

function problemOf(group: readonly Field[], values: readonly string[]): string | null {
  const [field] = group;
  if (field === undefined) return null;
  const choices = group.map(({ value }) => [value]);
  switch (field.kind) {
    case "checkbox":
      return group.length === 1 ? switchProblem(field, values) : choiceProblem(choices, values);
    case "radio":
      return values.length > 1 ? "takes only one value" : choiceProblem(choices, values);
    case "select": {
      if (values.length > 1 && !field.isMultiple) return "takes only one value";
      const open = field.options.filter(({ isDisabled }) => !isDisabled);
      const named = open.map(({ value, text }) => [text, value]);
      return choiceProblem(named, values);
    }
    default: {
      const times = group.length === 1 ? "once" : `${group.length} times`;
      if (values.length > group.length) return `occurs ${times}, but got ${values.length} values`;
      const full = group.find(({ maxLength }, index) => maxLength !== null && (values[index] ?? "").length > maxLength);
      return full === undefined ? null : `takes at most ${full.maxLength} characters (maxlength): the value is longer`;
    }
  }
}

function switchProblem({ value }: Field, values: readonly string[]): string | null {
  const isKnown = values.length === 1 && values.every((given) => given === value || switchWords.has(given));
  return isKnown ? null : `is a checkbox: its value may be true, false or ${shown(value)}`;
}

const switchWords: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["on", true],
  ["false", false],
  ["off", false],
]);

/** @param choices the names of each choice, the first for people */
function choiceProblem(choices: readonly (readonly string[])[], values: readonly string[]): string | null {
  const names = choices.flat();
  const wrong = values.find((value) => !names.includes(value));
  if (wrong === undefined) return null;
  const listed = shownList(choices.map(([name = ""]) => name));
  return `has no such choice; allowed: ${listed}.${harmlessLine(didYouMean(wrong, names))}`;
}

function enter(field: Field, group: readonly Field[], index: number, values: readonly string[]): Field {
  switch (field.kind) {
    case "checkbox": {
      const [word = ""] = values;
      const isSwitch = group.length === 1 && word !== field.value;
      return { ...field, isChecked: isSwitch ? switchWords.get(word) === true : values.includes(field.value) };
    }
    case "radio":
      return { ...field, isChecked: values.includes(field.value) };
    case "select":
      return { ...field, options: chosen(field, values) };
    default:
      return { ...field, value: values[index] ?? field.value };
  }
}

/** A value identifies an option more precisely than a text. */
function chosen({ options }: Field, values: readonly string[]): FieldOption[] {
  const meant = new Set(
    values.map(
      (value) =>
        options.find((option) => option.value === value && !option.isDisabled) ??
        options.find((option) => option.text === value && !option.isDisabled),
    ),
  );
  return options.map((option) => ({ ...option, isSelected: meant.has(option) }));
}

/** A name or text of the page, for one line of a message. */
export function shown(text: string): string {
  return `"${clip(harmlessLine(text), 60)}"`;
}

/** A longer list would not help. */
const MAX_LISTED = 12;

/** Names or texts of the page, for one line of a message. */
export function shownList(texts: readonly string[]): string {
  return `${texts.slice(0, MAX_LISTED).map(shown).join(", ")}${texts.length > MAX_LISTED ? " …" : ""}`;
}

/** The button to press. */
type ChosenButton =
  | {
      readonly ok: true;
      /** null: the form has none, and is submitted as if with Enter in one of its fields. */
      readonly button: FormButton | null;
      /** Which of the given names matched; null if none did. */
      readonly press: string | null;
    }
  | ({ readonly ok: false } & Explanation);

/**
 * The button that one of `presses` names by its text, value, id or name. If none matches, the only one that submits the
 * form: a step before the one that `presses` is for. Without `presses`, the first.
 */
export function chooseButton(form: HtmlForm, presses: readonly string[]): ChosenButton {
  const all = buttonsOf(form);
  const named = presses.map((press) => ({ press, buttons: buttonsNamed(all, press) }));
  const found = named.find(({ buttons }) => buttons.length > 0);
  if (found !== undefined) {
    const { press, buttons } = found;
    const [button] = buttons;
    if (button !== undefined && buttons.length === 1) return pressable(button, press);
    return { ok: false, ...ambiguousButton(press, buttons.length, buttonsHint(buttons)) };
  }
  const [sender, ...others] = sendersOf(all);
  if (presses.length > 0 && others.length > 0) return { ok: false, ...noButtonNamed(all, presses) };
  if (sender === undefined && all[0] !== undefined) return pressable(all[0], null);
  return { ok: true, button: sender ?? null, press: null };
}

/** The trouble if none of a form's buttons has one of these names. */
export function noButtonNamed(buttons: readonly FormButton[], presses: readonly string[]): Explanation {
  const nearest = presses.map((name) => didYouMean(name, buttons.flatMap(namesOf))).join("");
  return {
    reason: `no button of the form is ${presses.map(shown).join(" or ")}.${nearest}`,
    hint: buttonsHint(sendersOf(buttons)),
  };
}

/** The names of all buttons that submit one of these forms. */
export function submitNames(forms: readonly HtmlForm[]): string[] {
  return forms.flatMap((form) => sendersOf(buttonsOf(form))).map((button) => namesOf(button)[0] ?? "");
}

function sendersOf(buttons: readonly FormButton[]): FormButton[] {
  return buttons.filter(({ kind, isDisabled }) => kind === "submit" && !isDisabled);
}

export function buttonsOf({ controls }: HtmlForm): FormButton[] {
  return controls.filter(isButton);
}

/** The buttons with this name: of the ways to name a button, the first that matches any. */
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
  if (button.isDisabled)
    return refuse(`the button ${shown(button.text)} is disabled`, `if a script enables it, ${NEEDS_BROWSER}`);
  if (button.kind === "submit") return { ok: true, button, press };
  return button.kind === "image"
    ? refuse(`the button ${shown(button.text)} is an image, which only a browser can press`, NEEDS_BROWSER)
    : refuse(`the button ${shown(button.text)} does not submit its form, because of its type`, WRONG_TYPE);
}

export const NEEDS_BROWSER = "walk the page with --browser";
const WRONG_TYPE = `leave out its type, so that it submits the form; or, if a script handles it, ${NEEDS_BROWSER}`;

/** The trouble if several buttons have the given name; `buttons` lists them. */
export function ambiguousButton(press: string, count: number, buttons: string): PageTrouble {
  const hint = `${buttons}; a button is named by its text, value, id or name: use one that is unique, or give it an id`;
  return pageTrouble(`${shown(press)} is the name of ${count} buttons`, hint);
}

/** A list of the buttons, with the name that a person can use for each. */
export function buttonsHint(buttons: readonly FormButton[]): string {
  const names = buttons.map((button) => namesOf(button)[0] ?? null);
  const unnamed = names.includes(null) ? ["a button without a name or text"] : [];
  const named = names.filter((name) => name !== null);
  const all = [...(named.length === 0 ? [] : [shownList(named)]), ...unnamed];
  return all.length === 0 ? "there are no buttons" : `the buttons: ${all.join(", ")}`;
}

function refuse(reason: string, hint: string | null): ChosenButton {
  return { ok: false, reason, hint };
}

/** What to do on the pages of an app in a person's place, and what has been done. */
export interface PageWork {
  readonly fill: Fill;
  /** Buttons to press, whichever page they are on. */
  readonly press: readonly string[];
  /** Names of the fields filled in so far. */
  readonly filled: Set<string>;
  /** Names of the buttons pressed so far. */
  readonly pressed: Set<string>;
  /** How many buttons were pressed so far, named or not. */
  readonly presses: { count: number };
  /** Names of all fields on the pages so far. */
  readonly seen: Set<string>;
  /** Called if the first of several buttons is pressed because none was named. */
  onGuess?(hint: string): void;
  /** Whether required boxes are checked, and required choices made, even if `fill` does not name them. */
  readonly isGuessing?: boolean;
}

/** Why work on a page cannot continue. */
export interface PageTrouble extends Explanation {
  /** What kind of failure it is. */
  readonly failure: Failure;
}

/** Trouble that was not caused by a failed call. */
export function pageTrouble(reason: string, hint: string | null): PageTrouble {
  return { reason, hint, failure: "other" };
}

/** The trouble with a further hint, which comes first. */
export function withHint(trouble: PageTrouble, first: string | null): PageTrouble {
  return { ...trouble, hint: [first, trouble.hint].filter((hint) => hint !== null).join("; ") || null };
}
