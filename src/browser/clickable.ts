import type { Frame, Locator, Selectors } from "playwright-core";

/** The name of {@link findClickable} as a Playwright selector engine. */
const ENGINE = "app-sim-clickable";

/**
 * Elements that a person can click although they are neither buttons, links nor fields, such as a `<div onclick>`.
 * @param text their text, in any case; undefined: any text
 */
export function clickables(frame: Frame, text?: string): Locator {
  return frame.locator(`${ENGINE}=${JSON.stringify(text ?? "")}`).filter({ visible: true });
}

/** Registers the engine with Playwright, once for all of its browsers. */
export async function registerClickables(selectors: Selectors): Promise<void> {
  try {
    // Isolated from the page's own scripts, which may have changed built-in functions.
    await selectors.register(ENGINE, findClickable, { contentScript: true });
  } catch (error) {
    // Another simulator in this process registered it already.
    if (!(error as Error).message.includes("already")) throw error;
  }
}

/**
 * Runs in the page, so it must not use anything from outside. Event listeners cannot be seen there; what can be seen is
 * an attribute, or the hand cursor.
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
      // An element inside another match is part of its text.
      return found.filter((element) => {
        let around = element.parentElement;
        while (around !== null && !known.has(around)) around = around.parentElement;
        return around === null;
      });
    },
  };
}
