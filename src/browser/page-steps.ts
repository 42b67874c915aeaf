import type { Frame, Locator } from "playwright-core";
import { buttonsAsFields, guessHint } from "./button-words.ts";
import { enterAll, type Fill, type PageTrouble, type PageWork, pageTrouble, shown } from "./fill-form.ts";
import { type Field, TYPES_OF_ANY_LENGTH } from "./html-form.ts";
import {
  allButtons,
  BUTTONS,
  buttonsByName,
  buttonsText,
  defaultButton,
  leavesTextEmpty,
  namedButton,
} from "./page-buttons.ts";
import { hearSending, keepsText } from "./self-submission.ts";

/** How long a page may take to come back although it has several buttons, none of which was named. */
const LATE_MS = 2000;

/** What a visit is doing, for the message if it takes too long. */
export interface Doing {
  text: string;
  /** Whether it looks for a field or button by a name that may not exist at all. */
  isLooking: boolean;
  /** Which of these are fields. */
  fields: readonly string[];
  /** Which of these are buttons. */
  buttons: readonly string[];
  /** Whether it waits for the page: until something appears in it, or it comes back. */
  isWaiting: boolean;
  /** Whether what it looks for is on the page by now. */
  isThere(): Promise<boolean>;
}

/** What a visit does before it has come to a page. */
export function doingFirst(text: string): Doing {
  const isThere = async () => false;
  return { text, isLooking: false, fields: [], buttons: [], isWaiting: false, isThere };
}

/** The work on the pages of an app, and where it is done. */
export interface BrowserWork {
  /** The frame in which the app shows its pages. */
  readonly frame: Frame;
  readonly work: PageWork;
  /** Whether no later visit can do the rest of the work. */
  isLast(): boolean;
  /** Kept up to date. */
  readonly doing: Doing;
  /** Resolves once a page has had time to come back by itself. */
  settle(): Promise<void>;
  /** Waits, at most until the visit is over. */
  pause(milliseconds: number): Promise<unknown>;
}

/**
 * Does on the app's page what a person was asked to: fills in the fields once they appear, presses the buttons, and
 * continues on the following pages until nothing is left to do.
 * @returns the problem; null if everything is done
 */
export async function takeSteps({
  frame,
  work,
  isLast,
  doing,
  settle,
  pause,
}: BrowserWork): Promise<PageTrouble | null> {
  const { fill, press, filled, pressed } = work;
  let open = Object.keys(fill);
  let presses = press;
  // Submitting a half-empty form would cost a try if tries are counted.
  let isHeld = false;
  for (let isFirst = true; isFirst || open.length > 0 || presses.length > 0; isFirst = false) {
    const wanted = open.filter((name) => !filled.has(name));
    // A page of another guard may need nothing but a button.
    const mayBePlain = isFirst && presses.length === 0 && (wanted.length === 0 || !isLast());
    // What is left may be for the page of a later guard.
    const awaited = isHeld ? [] : presses;
    if (isFirst || isLast()) lookFor(doing, wanted, awaited);
    else Object.assign(doing, { isLooking: false, fields: [], buttons: [], text: BACK });
    const [target, ...targets] = [
      ...open.map((name) => fieldsNamed(frame, name)),
      ...awaited.flatMap((name) => buttonsByName(frame, name)),
      ...(mayBePlain ? [allButtons(frame)] : []),
    ];
    if (target === undefined) return null;
    const sought = targets.reduce((any, other) => any.or(other), target);
    doing.isWaiting = true;
    doing.isThere = async () => (await sought.count()) > 0;
    await sought.first().waitFor({ state: "attached" });
    doing.isWaiting = false;
    doing.isLooking = false;
    // A page that has nothing to do yet may still add a field, or come back by itself.
    const isReady = (await present(frame, open)).length > 0 || (open.length === 0 && presses.length > 0);
    if (!isReady) await settle();
    const here = await present(frame, open);
    for (const name of await fieldNames(frame).catch(() => [])) work.seen.add(name);
    const fillHere = () => fillAll(frame, here, work, doing);
    const maySend = here.length > 0 && presses.length === 0;
    const { result: trouble, isSent } = maySend
      ? await hearSending(frame.page(), fillHere, pause)
      : { result: await fillHere(), isSent: false };
    if (trouble !== null) return trouble;
    open = open.filter((name) => !here.includes(name));
    const [lastFilled] = here.slice(-1).map((name) => fieldsNamed(frame, name));
    if (isSent && lastFilled !== undefined && !(await keepsText(lastFilled))) continue;
    const button = await buttonToPress(frame, presses, open, lastFilled ?? null);
    if (button === null) continue;
    if (!button.ok) {
      // The page may have sent what was filled in, and still bring the user back.
      if (maySend) await pause(LATE_MS);
      return button;
    }
    isHeld = here.length === 0 && open.length > 0 && isLast() && (await leavesTextEmpty(button.at));
    if (isHeld) continue;
    doing.text = PRESSING;
    // Pressing may bring the user back, and end the visit, before it is known to have happened.
    work.presses.count += 1;
    if (button.press !== null) pressed.add(button.press);
    if (button.among !== undefined) work.onGuess?.(guessHint(button.among, press));
    await button.push();
    presses = presses.filter((name) => name !== button.press);
  }
  doing.text = BACK;
  doing.isWaiting = true;
  return null;
}

function lookFor(doing: Doing, fields: readonly string[], buttons: readonly string[]): void {
  const isLooking = fields.length + buttons.length > 0;
  Object.assign(doing, { isLooking, fields, buttons, text: waitingFor(fields, buttons) });
}

/** Whether nothing will come into a page of the app by itself: it is loaded, and no script and no refresh changes it. */
export function isStill(frame: Frame): Promise<boolean> {
  // Runs in the page, as a text, because its words are those of a page.
  return frame.evaluate<boolean>(
    `location.protocol.startsWith("http") && document.readyState === "complete" && document.body.childElementCount > 0
      && document.querySelector("script, iframe, [onload], [onerror], meta[http-equiv=refresh i]") === null`,
  );
}

export const ANY_BUTTON = "waiting for a button";
/** The beginning of a step, which the names of the awaited fields and buttons follow. */
export const WAITING_FOR = "waiting for ";
export const BACK = "waiting to be sent back";
export const PRESSING = "waiting until its button can be pressed";

async function buttonToPress(
  frame: Frame,
  presses: readonly string[],
  open: readonly string[],
  filled: Locator | null,
) {
  for (const name of open) {
    const buttons = frame.locator(`:is(${BUTTONS})[name=${JSON.stringify(name)}]`).filter({ visible: true });
    if ((await buttons.count()) > 0) {
      return { ok: false as const, ...buttonsAsFields([name], await buttonsText(allButtons(frame))) };
    }
  }
  const named = await namedButton(frame, presses);
  // The named button may still appear, unless more fields are to come on other pages.
  if (named !== null || (presses.length > 0 && (filled === null || open.length === 0))) return named;
  return defaultButton(frame, filled);
}

/** Those of the names whose field is on the page, visibly. */
export async function present(frame: Frame, names: readonly string[]): Promise<string[]> {
  const counts = await Promise.all(names.map((name) => fieldsNamed(frame, name).count()));
  return names.filter((_, index) => (counts[index] ?? 0) > 0);
}

function waitingFor(fields: readonly string[], presses: readonly string[]): string {
  const what = [
    ...(fields.length === 0 ? [] : [`the field ${fields.map(shown).join(" or ")}`]),
    ...(presses.length === 0 ? [] : [`the button ${presses.map(shown).join(" or ")}`]),
  ];
  return what.length === 0 ? ANY_BUTTON : WAITING_FOR + what.join(" or ");
}

/**
 * The visible fields with this name, id or label: a field that a script reads needs no name. Checkboxes and radio
 * buttons may be hidden: many pages show a styled replacement.
 */
function fieldsNamed(frame: Frame, name: string): Locator {
  const quoted = JSON.stringify(name);
  const named = `:is([name=${quoted}], [id=${quoted}])`;
  const seen = frame.locator(`:is(input, select, textarea)${named}`).or(frame.getByLabel(name, { exact: true }));
  return seen.filter({ visible: true }).or(frame.locator(`:is([type=checkbox], [type=radio])${named}`));
}

/** Fills in these fields of a page; null once that is done. */
async function fillAll(frame: Frame, names: readonly string[], { fill, filled }: PageWork, doing: Doing) {
  for (const name of names) {
    doing.text = `filling in the field ${shown(name)}`;
    const trouble = await fillInBrowser(fieldsNamed(frame, name), name, fill);
    if (trouble !== null) return trouble;
    filled.add(name);
  }
  return null;
}

/** Fills in the fields of one name as a person would; null once that is done. */
async function fillInBrowser(fields: Locator, name: string, fill: Fill): Promise<PageTrouble | null> {
  if (await takesFile(fields))
    return pageTrouble(`the field ${shown(name)} takes a file, which --fill cannot provide`, null);
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
      // A hidden one cannot be clicked with the mouse.
      if (after.isChecked !== before[index]?.isChecked) await field.dispatchEvent("click");
    } else if (index < given.length) {
      if (await isRefused(field, after.value))
        return pageTrouble(`the field ${shown(name)} does not accept its value`, null);
      await field.fill(after.value);
    }
  }
  return null;
}

/** The fields without which the page's forms cannot be submitted, or whose values are invalid. */
export function unreadyFields(frame: Frame): Promise<string[]> {
  return fieldNames(frame, "form:not([novalidate])", ":invalid");
}

/**
 * How a person can name each fillable field of a page.
 * @param within a selector of the elements around them
 * @param state a pseudo-class that they must match
 */
export function fieldNames(frame: Frame, within = "", state = ""): Promise<string[]> {
  const types = ["hidden", "submit", "button", "image", "reset"].map((type) => `[type=${type}]`);
  const fields = `${within} :is(input:not(${types.join(", ")}), select, textarea)${state}`;
  const seen = frame.locator(fields).filter({ visible: true });
  const boxes = frame.locator(`${within} :is([type=checkbox], [type=radio])${state}`);
  // Runs in the page.
  return seen.or(boxes).evaluateAll((elements) => {
    const fields = elements as unknown as { name: string; id: string; labels?: ArrayLike<{ innerText: string }> }[];
    const names = fields.map(({ name, id, labels }) => name || id || labels?.[0]?.innerText.trim() || "");
    return [...new Set(names)].filter((name) => name !== "");
  });
}

function takesFile(fields: Locator): Promise<boolean> {
  // Runs in the page.
  return fields.evaluateAll((elements) =>
    (elements as unknown as Element[]).some(({ localName, type }) => localName === "input" && type === "file"),
  );
}

/** Whether a field stays empty with this value, like one for dates or numbers with any other text. */
function isRefused(field: Locator, value: string): Promise<boolean> {
  // Runs in the page. On a copy, because the page may react to input in the field itself.
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
  readonly maxLength?: number;
  readonly options?: Iterable<{
    readonly value: string;
    readonly label: string;
    readonly selected: boolean;
    readonly disabled: boolean;
  }>;
}

function readFields(fields: Locator): Promise<Field[]> {
  // Runs in the page.
  return fields.evaluateAll(
    (elements, ofAnyLength) =>
      (elements as unknown as Element[]).map((element): Field => {
        const {
          localName,
          type = "",
          value = "",
          checked = false,
          multiple = false,
          options = [],
          maxLength = -1,
        } = element;
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
          maxLength: maxLength < 0 || ofAnyLength.includes(type) ? null : maxLength,
        };
      }),
    TYPES_OF_ANY_LENGTH,
  );
}
