import { argumentsOf, isIcu, parseIcu } from "./icu.ts";
import type { Marks } from "./kept-marks.ts";

/**
 * printf and similar: `%s`, `%1$d`, `%.2f`, `%@`, `%(name)s`, `%#@files@`, `%arg`. A space is not a flag here, and a
 * preceding digit excludes it: "100% sure" and "100%ig" have none. Ambiguous repetitions are bounded, or a long run of
 * zeros would take forever.
 */
const printf =
  /%%|%(?:\d{1,3}\$)?#@\w{1,200}@|%\(\w{1,200}\)[-+#0-9.]{0,9}[a-z]|%arg\b|(?<!\d)%(?:(\d{1,3})\$)?[-+#0,]{0,5}(?:\d{1,3}|\*)?(?:\.(?:\d{1,3}|\*)?)?((?:hh?|ll?|[Ljzt])?[diouxXeEfFgGaAcCsSp@])/g;

/**
 * `{{name}}`, `{name}`, `${name}`, `%{name}`, `#{name}`, `{}`. Longer contents are not names, and would overflow the
 * stack.
 */
const braces = /\{\{([^{}]{0,200})\}\}|([$%#]?)\{([^{}]{0,200})\}/g;

/** The start of an argument in braces, and what may follow: a format, a default. */
const argument = /^([\p{L}\p{N}_.$@[\]-]+)(?:\s*[,|!?].*|:\S*)?$/su;

/** `%d`, `%s` and `%@` for a formatted number, `{n}`, `{0}`, `{{fileCount}}`. */
const number = /^%arg$|^%\d+\$\w*[dus@]$|^[$%#]?\{+(?:n|\d+)\}|^[$%#]?\{.*(?:count|num|total)/is;

/** The placeholders of a text. If their order matters they are numbered: `%s … %s` is the same as `%1$s … %2$s`. */
export function placeholdersOf(text: string): Marks {
  const marks = new Map<string, string>();
  if (text.includes("%")) addPrintf(text, marks);
  if (text.includes("{")) addBraces(text, marks);
  return marks;
}

/** Whether a placeholder may be the number of a plural text, which "One file" can omit. */
export function isNumber(mark: string): boolean {
  return number.test(mark);
}

function addPrintf(text: string, marks: Map<string, string>): void {
  const found = [...text.matchAll(printf)].filter(([written]) => written !== "%%");
  const isAlone = found.length === 1;
  let place = 0;
  for (const [written, position, conversion] of found) {
    const mark = conversion && `%${position ?? ++place}$${conversion.replace("i", "d")}`;
    if (mark === undefined) marks.set(written, written);
    // Without its number it would be ambiguous among several.
    else marks.set(mark, isAlone || position !== undefined ? written : mark);
  }
}

function addBraces(text: string, marks: Map<string, string>): void {
  const message = isIcu(text) ? parseIcu(text) : null;
  if (message?.ok) {
    for (const name of argumentsOf(message.elements)) marks.set(`{${name}}`, `{${name}}`);
    return;
  }
  let place = 0;
  for (const [written, double, sign, single] of text.matchAll(braces)) {
    const mark = double === undefined ? singleMark(sign ?? "", single?.trim() ?? "") : `{{${nameIn(double)}}}`;
    if (mark === "{}") marks.set(`{${++place}}`, written);
    else if (mark !== null) marks.set(mark, written);
  }
}

/** null if the braces hold something else, such as JSON. */
function singleMark(sign: string, content: string): string | null {
  if (sign === "$") return `\${${content}}`;
  const [, name] = argument.exec(content) ?? [];
  return name === undefined && content !== "" ? null : `${sign}{${name ?? ""}}`;
}

/** i18next writes `{{- name}}` for unescaped and `{{name, format}}`. */
function nameIn(content: string): string {
  const [name = ""] = content.replace(/^[\s-]+/, "").split(/[,|]/, 1);
  return name.trimEnd();
}
