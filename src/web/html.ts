import { harmless } from "../protocol/harmless.ts";

/** HTML that can be inserted in a page unescaped. */
export interface Html {
  readonly source: string;
}

type Part = Html | string | number | null | readonly Part[];

/**
 * Writes HTML. Text in content or in a quoted attribute is made harmless and escaped; lists are joined; null is
 * omitted.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { source: String.raw({ raw: literals }, ...parts.map(sourceOf)) };
}

/** Text that must stay the same character by character, such as a value that a form sends back; only escaped. */
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
