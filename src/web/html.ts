import { harmless } from "../protocol/harmless.ts";

/** HTML that may stand in a page as it is. */
export interface Html {
  readonly source: string;
}

type Part = Html | string | number | null | readonly Part[];

/**
 * Writes HTML. A text that is put into it, or into a quoted attribute, is made harmless and escaped; a list is put in
 * part by part, and null is nothing.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { source: String.raw({ raw: literals }, ...parts.map(sourceOf)) };
}

/** A text to be put into HTML character by character, such as one that a form sends back. */
export function exactly(text: string): Html {
  return { source: escapeHtml(text) };
}

function sourceOf(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string") return escapeHtml(harmless(part));
  if (typeof part === "number") return String(part);
  return "source" in part ? part.source : part.map(sourceOf).join("");
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
