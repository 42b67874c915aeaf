import type { Frame, Locator } from "playwright-core";
import { harmlessLine } from "../protocol/harmless.ts";
import { literalPattern } from "../protocol/literal-pattern.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { clickables } from "./clickable.ts";
import { ambiguousButton, type PageTrouble, pageTrouble, shown, shownList } from "./fill-form.ts";
import { joinTexts } from "./page-elements.ts";

/** A button to press. */
export type BrowserButton =
  | {
      readonly ok: true;
      /** The button, or the field in which Enter submits the form. */
      readonly at: Locator;
      /** Presses it, possibly after waiting until it can be pressed. */
      push(): Promise<void>;
      /** Which of the given names matched; null if none did. */
      readonly press: string | null;
      /** If it is the first of several and none was named: the texts of all of them. */
      readonly among?: readonly string[];
    }
  | ({ readonly ok: false } & PageTrouble);

const SENDERS = "button:not([type=button], [type=reset]), input[type=submit], input[type=image]";
export const BUTTONS = "button, input[type=submit], input[type=image], input[type=button], [role=button]";

/** Every visible button. */
export function allButtons(frame: Frame): Locator {
  return frame.locator(BUTTONS).filter({ visible: true });
}

/** Everything visible that can be pressed, buttons or not. */
export function pressables(frame: Frame): Locator {
  return allButtons(frame).or(clickables(frame));
}

/** The buttons, links and other clickable elements with this text, value, id or name, the most exact match first. */
export function buttonsByName(frame: Frame, press: string): Locator[] {
  const literal = JSON.stringify(press);
  return [
    frame.getByRole("button", { name: press, exact: true }),
    frame.getByRole("link", { name: press, exact: true }),
    frame.locator(`:is(button, input)[value=${literal}]:not([type=checkbox], [type=radio])`),
    frame.locator(`[id=${literal}]:not(:has(button, input))`),
    frame.locator(`:is(${BUTTONS})[name=${literal}]`),
    frame.getByRole("button", { name: inAnyCase(press) }),
    clickables(frame, press),
  ].map((button) => button.filter({ visible: true }));
}

function inAnyCase(text: string): RegExp {
  return new RegExp(`^\\s*${literalPattern(text)}\\s*$`, "i");
}

/** What to do if one of the names is a text of the page that is not recognizable as a button; null if none is. */
export async function plainTextHint(frame: Frame, presses: readonly string[]): Promise<string | null> {
  for (const press of presses) {
    const texts = frame.getByText(inAnyCase(press)).filter({ visible: true });
    // Runs in the page.
    const [name] = await texts.evaluateAll((elements) =>
      (elements as unknown as { localName: string }[]).map(({ localName }) => localName),
    );
    if (name !== undefined)
      return `${shown(press)} is a text in <${name}>, not a button: make it a <button>, or give it role="button"`;
  }
  return null;
}

/** Which of these buttons of a page without scripts is in a form, but does not submit it; null if none is. */
export async function inertButton(frame: Frame, presses: Iterable<string>): Promise<string | null> {
  const scripts = await frame.locator("script, [onclick], [onsubmit]").count();
  if (scripts > 0) return null;
  for (const press of presses) {
    for (const button of buttonsByName(frame, press)) {
      if ((await button.and(frame.locator("form :is(button, input)[type=button]")).count()) > 0) return press;
    }
  }
  return null;
}

/** The first of these buttons on the page; null if there is none. */
export async function namedButton(frame: Frame, presses: readonly string[]): Promise<BrowserButton | null> {
  for (const press of presses) {
    for (const button of buttonsByName(frame, press)) {
      const count = await button.count();
      if (count === 1) return { ok: true, at: button, push: () => button.click(), press };
      if (count > 1) return { ok: false, ...ambiguousButton(press, count, await buttonsText(button)) };
    }
  }
  return null;
}

/**
 * What a person would press by default: the first button that submits the form, or the only one of the page; if there
 * is none, Enter in the field that was filled in.
 * @param filled a field of the form; null: any form
 * @returns null if there is nothing to press
 */
export async function defaultButton(frame: Frame, filled: Locator | null): Promise<BrowserButton | null> {
  const forms = frame.locator("form");
  const form = filled === null ? forms : forms.filter({ has: filled });
  const senders = form.locator(SENDERS).filter({ visible: true });
  const texts = await buttonTexts(senders);
  if (texts.length > 0) {
    const among = texts.length === 1 ? {} : { among: texts };
    const at = senders.first();
    return { ok: true, at, push: () => at.click(), press: null, ...among };
  }
  const all = allButtons(frame);
  const count = await all.count();
  if (count > 1) {
    const hint = `name one with --press; ${await buttonsText(pressables(frame))}`;
    return { ok: false, ...pageTrouble("the app's page has several buttons", hint) };
  }
  if (count === 1) return { ok: true, at: all, push: () => all.click(), press: null };
  if (filled === null) return null;
  const at = filled.first();
  return { ok: true, at, push: () => at.press("Enter"), press: null };
}

/** Whether a button submits a form in which a text field that a person could fill in is empty. */
export function leavesTextEmpty(button: Locator): Promise<boolean> {
  // Runs in the page.
  return button.evaluateAll((elements) =>
    (elements as unknown as { readonly form?: { readonly elements: Iterable<FormElement> } | null }[])
      .flatMap(({ form }) => [...(form?.elements ?? [])])
      .some(
        (field) => field.value === "" && field.matches(":is(input, textarea):read-write") && field.checkVisibility(),
      ),
  );
}

/** The members of a form's element that are read in the page. */
interface FormElement {
  readonly value: string;
  matches(selector: string): boolean;
  checkVisibility(): boolean;
}

export const NO_BUTTONS = "it shows no buttons";

/** The visible texts of these buttons. */
export async function buttonsText(buttons: Locator): Promise<string> {
  const texts = await buttonTexts(buttons);
  return texts.length === 0 ? NO_BUTTONS : `the buttons: ${shownList(texts)}`;
}

/** The links that a person could click instead of a button. */
export function pressableLinks(frame: Frame): Locator {
  return frame.locator("a[href]").filter({ visible: true });
}

/** The texts of these links; null if there are none. */
export async function linksText(links: Locator): Promise<string | null> {
  const texts = (await buttonTexts(links)).filter((text) => text !== "");
  return texts.length === 0 ? null : `the links: ${shownList(texts)}`;
}

/** A suggestion which of these buttons was meant by another name; "" if none is close. */
export async function nearestButton(buttons: Locator, presses: readonly string[]): Promise<string> {
  // Runs in the page.
  const names = await buttons.evaluateAll((elements) =>
    (elements as unknown as { innerText: string; value?: string; id: string; name?: string }[]).flatMap(
      ({ innerText, value, id, name }) => [innerText.trim(), value ?? "", id, name ?? ""].filter((text) => text !== ""),
    ),
  );
  return harmlessLine(presses.map((press) => didYouMean(press, names)).join("")).trim();
}

function buttonTexts(buttons: Locator): Promise<string[]> {
  // Runs in the page.
  return buttons.evaluateAll((elements) =>
    (elements as unknown as { innerText: string; value?: string; id: string }[]).map(
      ({ innerText, value, id }) => innerText.trim() || value || id,
    ),
  );
}

interface SeenNode {
  readonly innerText?: string;
  readonly textContent: string | null;
  readonly previousSibling: SeenNode | null;
  readonly nextSibling: SeenNode | null;
}

/**
 * The text of a page, in one line, with a separator between its lines, and between buttons and adjacent text, such as a
 * label or another button: visually they are apart, but `innerText` joins them.
 */
export async function separateButtons(text: string, buttons: Locator): Promise<string> {
  // Runs in the page.
  const touching = await buttons.evaluateAll((elements) => {
    const runs: SeenNode[][] = [];
    const wordsOf = (node: SeenNode | null | undefined) => (node?.innerText ?? node?.textContent ?? "").trim();
    const nextTo = (node: SeenNode | undefined, side: "previousSibling" | "nextSibling") => {
      let neighbour = node?.[side];
      while (neighbour != null && neighbour.innerText === undefined && wordsOf(neighbour) === "")
        neighbour = neighbour[side];
      return neighbour;
    };
    for (const button of elements as unknown as SeenNode[]) {
      const run = runs.at(-1);
      if (run !== undefined && nextTo(button, "previousSibling") === run.at(-1)) run.push(button);
      else runs.push([button]);
    }
    // The text on an input is not part of the page's text.
    return runs.map((run) =>
      [nextTo(run[0], "previousSibling"), ...run, nextTo(run.at(-1), "nextSibling")]
        .map(wordsOf)
        .filter((words) => words !== ""),
    );
  });
  const pairs = touching.flatMap((texts) => texts.slice(1).map((after, index) => [texts[index] ?? "", after]));
  const apart = pairs.reduce(
    (whole, pair) => whole.replaceAll(new RegExp(pair.map(literalPattern).join("\\s*"), "g"), () => pair.join("\n")),
    text,
  );
  return joinTexts(apart.split("\n"));
}
