import type { Frame, Locator, Selectors } from "playwright-core";

/** The name that Playwright knows {@link findClickable} by. */
const ENGINE = "app-sim-clickable";

/**
 * What a person can click although it is neither a button, a link nor a field, such as a `<div onclick>`.
 * @param text what it says, in any case; undefined: whatever it says
 */
export function clickables(frame: Frame, text?: string): Locator {
  return frame.locator(`${ENGINE}=${JSON.stringify(text ?? "")}`).filter({ visible: true });
}

/** Lets Playwright find them, once for all of its browsers. */
export async function registerClickables(selectors: Selectors): Promise<void> {
  try {
    // Apart from the page's own scripts, which may have changed what the language brings.
    await selectors.register(ENGINE, findClickable, { contentScript: true });
  } catch (error) {
    // Another simulator of this process was here before.
    if (!(error as Error).message.includes("already")) throw error;
  }
}

/**
 * Runs in the page, so it uses nothing from around it. Which elements a script listens to is not to be seen there; what
 * is seen is an attribute that says so, and the hand that the mouse becomes.
 */
function findClickable(): { queryAll(root: unknown, quoted: string): unknown[] } {
  interface Element {
    readonly localName: string;
    readonly textContent: string;
    readonly parentElement: Element | null;
    readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string }>;
    closest(selector: string): unknown;
    matches(selector: string): boolean;
    querySelectorAll(selector: string): Iterable<Element>;
  }
  const { getComputedStyle } = globalThis as unknown as { getComputedStyle(element: Element): { cursor: string } };
  const others = "button, a[href], input, select, textarea, label, script, style, [role=button], [role=link]";
  const longest = 200;
  const wordsOf = ({ textContent }: Element) => textContent.replace(/\s+/g, " ").trim();
  const hasOwnWords = ({ childNodes }: Element) =>
    [...childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== "");
  const isClickable = (element: Element, words: string) => {
    if (element.closest(others) !== null) return false;
    if (getComputedStyle(element).cursor === "pointer") return true;
    let around: Element | null = element;
    for (; around !== null && wordsOf(around) === words; around = around.parentElement)
      if (around.matches("[onclick], [tabindex='0']")) return true;
    return false;
  };
  return {
    queryAll(root, quoted) {
      const wanted = (JSON.parse(quoted) as string).replace(/\s+/g, " ").trim().toLowerCase();
      const found = [...(root as Element).querySelectorAll("body *")].filter((element) => {
        if (!hasOwnWords(element)) return false;
        const words = wordsOf(element);
        const isMeant = wanted === "" ? words.length <= longest : words.toLowerCase() === wanted;
        return isMeant && isClickable(element, words);
      });
      const known = new Set(found);
      // What stands in another one is a part of its words.
      return found.filter((element) => {
        let around = element.parentElement;
        while (around !== null && !known.has(around)) around = around.parentElement;
        return around === null;
      });
    },
  };
}
