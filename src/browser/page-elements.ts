import type { CheerioAPI } from "cheerio";

/** A node of a page that was read: an element, a text or the like. */
export type PageNode = NonNullable<ReturnType<CheerioAPI["root"]>[0]>["children"][number];
export type PageElement = Extract<PageNode, { readonly attribs: unknown }>;

/** An element, and what it inherits from the elements around it. */
export interface PlacedElement {
  readonly element: PageElement;
  /** The form around it; null if there is none. */
  readonly form: PageElement | null;
  /** Whether a fieldset around it is disabled, unless it is in that fieldset's legend. */
  readonly isDisabled: boolean;
}

/** Every element in the order of the page, in one pass; the content of templates is not part of the page. */
export function pageElements($: CheerioAPI): PlacedElement[] {
  const placed: PlacedElement[] = [];
  place($.root().get(0)?.children ?? [], null, false, placed);
  return placed;
}

function place(nodes: readonly PageNode[], form: PageElement | null, isDisabled: boolean, placed: PlacedElement[]) {
  for (const element of nodes) {
    if (!isElement(element)) continue;
    placed.push({ element, form, isDisabled });
    const { name, attribs, children } = element;
    if (name === "template") continue;
    const inner = name === "form" ? element : form;
    if (name !== "fieldset" || attribs.disabled === undefined) place(children, inner, isDisabled, placed);
    else {
      const legend = children.find((child) => isElement(child) && child.name === "legend");
      for (const child of children) place([child], inner, isDisabled || child !== legend, placed);
    }
  }
}

/** The raw text in an element. */
export function textIn(node: PageNode): string {
  const parts: string[] = [];
  collectText(node, parts, () => "in");
  return parts.join("");
}

const unseen: ReadonlySet<string> = new Set(["script", "style", "template", "select", "textarea"]);
const inline: ReadonlySet<string> = new Set(["a", "b", "code", "em", "i", "small", "span", "strong"]);

/** Between the texts of a page that are in elements of their own. */
const TEXT_SEPARATOR = " / ";
/** No character of an HTML document. */
const APART = "\0";

/** The visible text of an element, in one line. */
export function readableText(node: PageNode): string {
  const parts: string[] = [];
  collectText(node, parts, ({ name, attribs }) => {
    if (unseen.has(name) || attribs.hidden !== undefined) return "out";
    return inline.has(name) ? "in" : "apart";
  });
  return joinTexts(parts.join("").split(APART));
}

function collectText(node: PageNode, parts: string[], kindOf: (element: PageElement) => "in" | "apart" | "out") {
  if (node.type === "text") parts.push(node.data);
  if (!isElement(node) || node.type !== "tag") return;
  const kind = kindOf(node);
  if (kind === "out") return;
  if (kind === "apart") parts.push(APART);
  for (const child of node.children) collectText(child, parts, kindOf);
  if (kind === "apart") parts.push(APART);
}

function isElement(node: PageNode): node is PageElement {
  return "attribs" in node;
}

/** Texts of a page as one. */
export function joinTexts(texts: readonly string[]): string {
  return texts
    .map(oneLine)
    .filter((text) => text !== "")
    .join(TEXT_SEPARATOR);
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
