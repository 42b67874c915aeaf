import type { Frame, Locator } from "playwright-core";
import {
  enterAll,
  type Fill,
  NAME_ONE,
  type PageTrouble,
  type PageWork,
  pageTrouble,
  shown,
  shownList,
} from "./fill-form.ts";
import type { Field } from "./html-form.ts";

/** What a visit is doing, for the message when it takes too long. */
export interface Doing {
  text: string;
  /** Whether it looks for a field or button by a name that may not be there at all. */
  isLooking: boolean;
  /** Whether it is the page's turn: nothing is done until something appears in it, or it comes back. */
  isWaiting: boolean;
}

/** The work at the pages of an app, and where it is done. */
interface BrowserWork {
  /** Where the app shows its pages. */
  readonly frame: Frame;
  readonly work: PageWork;
  /** Whether no later visit may find what is left of the work. */
  isLast(): boolean;
  /** Is kept up to date. */
  readonly doing: Doing;
  /** Resolves when a page had time to come back by itself. */
  settle(): Promise<void>;
}

/**
 * Does at the app's page what a person was asked to: fills in the fields once they are there, presses the buttons,
 * and does so on the pages that follow until nothing is left to do.
 * @returns what stands in the way; null when all is done
 */
export async function takeSteps({ frame, work, isLast, doing, settle }: BrowserWork): Promise<PageTrouble | null> {
  const { fill, press, filled, pressed } = work;
  let open = Object.keys(fill);
  let presses = press;
  for (let isFirst = true; isFirst || open.length > 0 || presses.length > 0; isFirst = false) {
    const wanted = open.filter((name) => !filled.has(name));
    // A page of another guard may need nothing but a button.
    const mayBePlain = isFirst && presses.length === 0 && (wanted.length === 0 || !isLast());
    // What is left may be for the page of a later guard.
    const isLooking = isFirst || isLast();
    doing.isLooking = isLooking && wanted.length + presses.length > 0;
    doing.text = isLooking ? waitingFor(wanted, presses) : BACK;
    const [target, ...targets] = [
      ...open.map((name) => fieldsNamed(frame, name)),
      ...presses.flatMap((name) => buttonsByName(frame, name)),
      ...(mayBePlain ? [allButtons(frame)] : []),
    ];
    if (target === undefined) return null;
    doing.isWaiting = true;
    await targets
      .reduce((any, other) => any.or(other), target)
      .first()
      .waitFor({ state: "attached" });
    doing.isWaiting = false;
    doing.isLooking = false;
    // A page that has nothing for us yet may still bring a field, or come back by itself.
    const isReady = (await present(frame, open)).length > 0 || (open.length === 0 && presses.length > 0);
    if (!isReady) await settle();
    const here = await present(frame, open);
    for (const name of here) {
      doing.text = `filling in the field ${shown(name)}`;
      const trouble = await fillInBrowser(fieldsNamed(frame, name), name, fill);
      if (trouble !== null) return trouble;
      filled.add(name);
    }
    open = open.filter((name) => !here.includes(name));
    const [lastFilled] = here.slice(-1).map((name) => fieldsNamed(frame, name));
    const button = await buttonToPress(frame, presses, open, lastFilled ?? null);
    if (button === null) continue;
    if (!button.ok) return button;
    doing.text = "waiting until its button can be pressed";
    await button.push();
    work.presses.count += 1;
    presses = presses.filter((name) => name !== button.press);
    if (button.press !== null) pressed.add(button.press);
  }
  doing.text = BACK;
  doing.isWaiting = true;
  return null;
}

const BACK = "waiting to be sent back";

async function buttonToPress(
  frame: Frame,
  presses: readonly string[],
  open: readonly string[],
  filled: Locator | null,
) {
  for (const name of open) {
    const buttons = frame.locator(`:is(${BUTTONS})[name=${JSON.stringify(name)}]`).filter({ visible: true });
    if ((await buttons.count()) > 0) {
      const hint = `press it with --press; ${await buttonsText(allButtons(frame))}`;
      return refuse(`--fill is for fields, but ${shown(name)} is a button of the form`, hint);
    }
  }
  const named = await namedButton(frame, presses);
  // The button that was asked for may be on its way, unless more fields are to come on other pages.
  if (named !== null || (presses.length > 0 && (filled === null || open.length === 0))) return named;
  return defaultButton(frame, filled);
}

async function present(frame: Frame, names: readonly string[]): Promise<string[]> {
  const counts = await Promise.all(names.map((name) => fieldsNamed(frame, name).count()));
  return names.filter((_, index) => (counts[index] ?? 0) > 0);
}

function waitingFor(fields: readonly string[], presses: readonly string[]): string {
  const what = [
    ...(fields.length === 0 ? [] : [`the field ${fields.map(shown).join(" or ")}`]),
    ...(presses.length === 0 ? [] : [`the button ${presses.map(shown).join(" or ")}`]),
  ];
  return `waiting for ${what.length === 0 ? "a button" : what.join(" or ")}`;
}

/**
 * The visible fields with this name, id or label: what a script sends needs no name. Checkboxes and radio buttons may be
 * hidden: many pages show something prettier in their place.
 */
function fieldsNamed(frame: Frame, name: string): Locator {
  const quoted = JSON.stringify(name);
  const named = `:is([name=${quoted}], [id=${quoted}])`;
  const seen = frame.locator(`:is(input, select, textarea)${named}`).or(frame.getByLabel(name, { exact: true }));
  return seen.filter({ visible: true }).or(frame.locator(`:is([type=checkbox], [type=radio])${named}`));
}

/** Fills in the fields of one name as a person would; null when that is done. */
async function fillInBrowser(fields: Locator, name: string, fill: Fill): Promise<PageTrouble | null> {
  if (await takesFile(fields))
    return pageTrouble(`the field ${shown(name)} takes a file, which is more than --fill can give`, null);
  const before = await readFields(fields);
  const entered = enterAll(name, before, fill);
  if (!entered.ok) return { ...entered, failure: "other" };
  const given = [fill[name] ?? []].flat();
  for (const [index, after] of entered.fields.entries()) {
    const field = fields.nth(index);
    if (after.kind === "select") {
      await field.selectOption(
        after.options.flatMap(({ isSelected }, option) => (isSelected ? [{ index: option }] : [])),
      );
    } else if (after.kind === "checkbox" || after.kind === "radio") {
      // One that is hidden cannot be clicked with the mouse.
      if (after.isChecked !== before[index]?.isChecked) await field.dispatchEvent("click");
    } else if (index < given.length) {
      if (await isRefused(field, after.value))
        return pageTrouble(`the field ${shown(name)} does not take the value for it`, null);
      await field.fill(after.value);
    }
  }
  return null;
}

function takesFile(fields: Locator): Promise<boolean> {
  // Runs in the page.
  return fields.evaluateAll((elements) =>
    (elements as unknown as Element[]).some(({ localName, type }) => localName === "input" && type === "file"),
  );
}

/** Whether a field stays empty with this value, as one for dates or numbers does with any other text. */
function isRefused(field: Locator, value: string): Promise<boolean> {
  // Runs in the page. A copy, because the page may act on what is typed into the field itself.
  return field.evaluate((element, text) => {
    const copy = (element as unknown as { cloneNode(): { value?: string } }).cloneNode();
    copy.value = text;
    return text !== "" && copy.value === "";
  }, value);
}

/** The members of a form element that are read in the page. */
interface Element {
  readonly localName: string;
  readonly type?: string;
  readonly value?: string;
  readonly checked?: boolean;
  readonly multiple?: boolean;
  readonly options?: Iterable<{
    readonly value: string;
    readonly label: string;
    readonly selected: boolean;
    readonly disabled: boolean;
  }>;
}

function readFields(fields: Locator): Promise<Field[]> {
  // Runs in the page.
  return fields.evaluateAll((elements) =>
    (elements as unknown as Element[]).map((element): Field => {
      const { localName, type = "", value = "", checked = false, multiple = false, options = [] } = element;
      const isChecked = type === "checkbox" || type === "radio";
      return {
        kind: localName === "select" ? "select" : isChecked ? type : "text",
        name: "",
        value,
        isChecked: checked,
        options: [...options].map((option) => ({
          value: option.value,
          text: option.label,
          isSelected: option.selected,
          isDisabled: option.disabled,
        })),
        isMultiple: multiple,
        isDisabled: false,
        isReadOnly: false,
        isRequired: false,
      };
    }),
  );
}

/** A button to press. */
type BrowserButton =
  | {
      readonly ok: true;
      /** Resolves once it is pressed, which may have to wait until it can be. */
      push(): Promise<void>;
      /** The one of the given names that it has; null: none. */
      readonly press: string | null;
    }
  | ({ readonly ok: false } & PageTrouble);

const SENDERS = "button:not([type=button], [type=reset]), input[type=submit], input[type=image]";
const BUTTONS = "button, input[type=submit], input[type=image], input[type=button], [role=button]";

/** Every button that a person sees. */
export function allButtons(frame: Frame): Locator {
  return frame.locator(BUTTONS).filter({ visible: true });
}

/** The buttons and links with this text, value, id or name, the most exact match first. */
function buttonsByName(frame: Frame, press: string): Locator[] {
  const quoted = JSON.stringify(press);
  const inAnyCase = new RegExp(`^\\s*${press.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}\\s*$`, "i");
  return [
    frame.getByRole("button", { name: press, exact: true }),
    frame.getByRole("link", { name: press, exact: true }),
    frame.locator(`:is(button, input)[value=${quoted}]:not([type=checkbox], [type=radio])`),
    frame.locator(`[id=${quoted}]`),
    frame.locator(`:is(${BUTTONS})[name=${quoted}]`),
    frame.getByRole("button", { name: inAnyCase }),
  ].map((button) => button.filter({ visible: true }));
}

/** The first of these buttons that is on the page; null: none is. */
async function namedButton(frame: Frame, presses: readonly string[]): Promise<BrowserButton | null> {
  for (const press of presses) {
    for (const button of buttonsByName(frame, press)) {
      const count = await button.count();
      if (count === 1) return { ok: true, push: () => button.click(), press };
      if (count > 1) {
        return refuse(`${shown(press)} is the name of ${count} buttons`, `${await buttonsText(button)}; ${NAME_ONE}`);
      }
    }
  }
  return null;
}

/**
 * What a person would press by default: the first button that sends the form, or the only one of the page; if there
 * is none, Enter in the field that was filled in.
 * @param filled a field of the form; null: any form
 * @returns null if there is nothing to press
 */
async function defaultButton(frame: Frame, filled: Locator | null): Promise<BrowserButton | null> {
  const forms = frame.locator("form");
  const form = filled === null ? forms : forms.filter({ has: filled });
  const senders = form.locator(SENDERS).filter({ visible: true });
  if ((await senders.count()) > 0) return { ok: true, push: () => senders.first().click(), press: null };
  const all = allButtons(frame);
  const count = await all.count();
  if (count > 1)
    return refuse("the app's page has several buttons", `name one with --press; ${await buttonsText(all)}`);
  if (count === 1) return { ok: true, push: () => all.click(), press: null };
  return filled === null ? null : { ok: true, push: () => filled.first().press("Enter"), press: null };
}

/** What a person reads on these buttons. */
export async function buttonsText(buttons: Locator): Promise<string> {
  // Runs in the page.
  const texts = await buttons.evaluateAll((elements) =>
    (elements as unknown as { innerText: string; value?: string; id: string }[]).map(
      ({ innerText, value, id }) => innerText.trim() || value || id,
    ),
  );
  return texts.length === 0 ? "it shows no buttons" : `the buttons: ${shownList(texts)}`;
}

/** The text of a page with a space between buttons that touch, which a person sees apart and `innerText` does not. */
export async function separateButtons(text: string, buttons: Locator): Promise<string> {
  // Runs in the page.
  const touching = await buttons.evaluateAll((elements) => {
    const runs: { innerText: string; previousSibling: unknown }[][] = [];
    for (const button of elements as unknown as { innerText: string; previousSibling: unknown }[]) {
      const run = runs.at(-1);
      if (run !== undefined && button.previousSibling === run.at(-1)) run.push(button);
      else runs.push([button]);
    }
    // The words on an input are no text of the page.
    return runs.map((run) => run.map(({ innerText }) => innerText.trim()).filter((words) => words !== ""));
  });
  const runs = touching.filter((texts) => texts.length > 1);
  return runs.reduce((apart, texts) => apart.replaceAll(texts.join(""), () => texts.join(" ")), text);
}

function refuse(reason: string, hint: string): BrowserButton {
  return { ok: false, ...pageTrouble(reason, hint) };
}
