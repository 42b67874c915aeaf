import type { Frame, Locator } from "playwright-core";
import { allButtons, buttonsByName, defaultButton, namedButton } from "./browser-buttons.ts";
import { fieldsNamed, fillInBrowser } from "./browser-fields.ts";
import { shown } from "./fill-fields.ts";
import type { PageTrouble, PageWork } from "./page-work.ts";

/** What a visit is doing, for the message when it takes too long. */
export interface Doing {
  text: string;
  /** Whether it looks for a field or button by a name that may not be there at all. */
  isLooking: boolean;
}

/** The work at the pages of an app, and where it is done. */
export interface BrowserWork {
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
    await targets
      .reduce((any, other) => any.or(other), target)
      .first()
      .waitFor({ state: "attached" });
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
    presses = presses.filter((name) => name !== button.press);
    if (button.press !== null) pressed.add(button.press);
  }
  doing.text = BACK;
  return null;
}

const BACK = "waiting to be sent back";

async function buttonToPress(
  frame: Frame,
  presses: readonly string[],
  open: readonly string[],
  filled: Locator | null,
) {
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
