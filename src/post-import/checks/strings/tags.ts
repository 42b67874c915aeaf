import type { Marks } from "./kept-marks.ts";

type TagKind = "open" | "close" | "empty";

const tag = /<(\/?)([A-Za-z][\w:.-]{0,100}|\d{1,9})(?:\s[^<>]*)?\/?>/g;

/** Elements of HTML that have no end tag, and those whose end tag may be left out. */
const withoutEnd = new Set(["area", "br", "col", "hr", "img", "input", "wbr"]);
const endOptional = new Set(["dd", "dt", "li", "option", "p", "td", "th", "tr"]);
const usual = new Set(
  "a abbr b big blockquote center code del div dl em font h1 h2 h3 h4 h5 h6 i ins kbd mark ol pre q s samp small span strike strong sub sup table tt u ul var"
    .split(" ")
    .concat([...withoutEnd, ...endOptional]),
);

/**
 * The tags of a text, without their attributes, each once. Something that looks like a tag is one if HTML has it, if it
 * has a namespace, or if it is both opened and closed: `<file>` in "usage: open <file>" is not.
 */
export function tagsOf(text: string): Marks {
  const written = knownTags(text).map(({ name, kind }) => (kind === "close" ? `</${name}>` : `<${name}>`));
  return new Map(written.map((each) => [each, each]));
}

/** What is wrong with the nesting of the tags of a text; null if nothing. */
export function imbalanceOf(text: string): string | null {
  const open: string[] = [];
  for (const { name, kind } of knownTags(text)) {
    if (kind === "empty" || endOptional.has(name)) continue;
    if (kind === "open") open.push(name);
    else if (!open.includes(name)) return `</${name}> has no opening tag`;
    else if (open.at(-1) !== name) return `<${open.at(-1)}> is not closed before </${name}>`;
    else open.pop();
  }
  const last = open.pop();
  return last === undefined ? null : `<${last}> is never closed`;
}

/** A tag with an attribute in quotes that HTML does not know; null if there is none. */
export function misquotedOf(text: string): string | null {
  const misquoted = knownTags(text).find(({ whole }) => /=\s*[\u2018-\u201f\u00ab\u00bb]/.test(whole));
  return misquoted === undefined ? null : `<${misquoted.name}> has an attribute in typographic quotes`;
}

interface KnownTag {
  readonly name: string;
  readonly kind: TagKind;
  /** As written in the text. */
  readonly whole: string;
}

function knownTags(text: string): KnownTag[] {
  if (!text.includes("<")) return [];
  const tags = [...text.matchAll(tag)].map(([whole, slash, written = ""]) => {
    const name = usual.has(written.toLowerCase()) ? written.toLowerCase() : written;
    return { name, kind: kindOf(name, slash === "/", whole.endsWith("/>")), whole };
  });
  const named = (wanted: TagKind) => new Set(tags.filter(({ kind }) => kind === wanted).map(({ name }) => name));
  const [opened, closed] = [named("open"), named("close")];
  const isPair = (name: string) => opened.has(name) && closed.has(name);
  return tags.filter(({ name, kind }) => kind === "empty" || usual.has(name) || name.includes(":") || isPair(name));
}

function kindOf(name: string, isEnd: boolean, isSelfClosing: boolean): TagKind {
  if (isSelfClosing || withoutEnd.has(name)) return "empty";
  return isEnd ? "close" : "open";
}
