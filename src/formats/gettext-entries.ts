import { invalidFile, quoted } from "./invalid-file.ts";
import type { SourceText } from "./parsed-file.ts";

/** An entry of a PO file, texts with their escapes resolved. */
export interface GettextEntry {
  readonly line: number;
  /** Comments for translators, of the developer and of translators, without their signs. */
  readonly comments: readonly string[];
  /** Places in the code. */
  readonly references: readonly string[];
  readonly flags: readonly string[];
  readonly context: string | null;
  readonly id: string;
  readonly plural: string | null;
  /** The translation, or its plural forms by their index. */
  readonly texts: readonly string[];
}

type Draft = { -readonly [Key in keyof GettextEntry]: GettextEntry[Key] } & {
  readonly comments: string[];
  readonly references: string[];
  readonly flags: string[];
  readonly texts: string[];
};

const keywordSyntax = /^(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d{1,2})\])?\s*(".*)$/;
const textSyntax = /^"([^"\\]*(?:\\.[^"\\]*)*)"$/;

/**
 * The entries of a PO file, in its order, repeated ones and all; obsolete ones (`#~`) are left out. The packages
 * at hand let what is repeated, and a text without end, pass in silence.
 * https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
 * @throws UsageError with the line
 */
export function gettextEntries(source: SourceText): readonly GettextEntry[] {
  const entries: Draft[] = [];
  let draft = newDraft(1);
  /** Adds a piece of text to where the last keyword said; null before the first keyword of an entry. */
  let add: ((text: string) => void) | null = null;
  const finish = () => {
    if (add !== null) entries.push(draft);
    add = null;
  };
  for (const [index, raw] of source.text.split("\n").entries()) {
    const line = raw.trim();
    const begin = () => {
      finish();
      draft = newDraft(index + 1);
    };
    if (line === "" || line.startsWith("#~")) continue;
    if (line.startsWith("#")) {
      if (add !== null) begin();
      addComment(draft, line);
      continue;
    }
    const [, keyword, form = "0", text] = keywordSyntax.exec(line) ?? [];
    if (keyword !== undefined) {
      const isNext = keyword === "msgctxt" || (keyword === "msgid" && draft.texts.length > 0);
      if (isNext && add !== null) begin();
      add = adder(draft, keyword, Number(form));
    }
    const [, escaped] = textSyntax.exec(text ?? line) ?? [];
    if (escaped === undefined || add === null) {
      throw invalidFile(
        source,
        index + 1,
        `expected a comment, or a keyword such as msgid with "a text", found ${quoted(line)}`,
      );
    }
    add(resolved(escaped));
  }
  finish();
  return entries;
}

function newDraft(line: number): Draft {
  return { line, comments: [], references: [], flags: [], context: null, id: "", plural: null, texts: [] };
}

function addComment({ comments, references, flags }: Draft, line: string): void {
  const text = line.slice(2).trim();
  const sign = line[1] ?? " ";
  if (sign === ":") references.push(text);
  else if (sign === ",") flags.push(...text.split(/\s*,\s*/));
  else if (sign !== "|" && text !== "") comments.push(/[.\s]/.test(sign) ? text : line.slice(1).trim());
}

function adder(draft: Draft, keyword: string, form: number): (text: string) => void {
  switch (keyword) {
    case "msgctxt":
      return (text) => {
        draft.context = (draft.context ?? "") + text;
      };
    case "msgid":
      return (text) => {
        draft.id += text;
      };
    case "msgid_plural":
      return (text) => {
        draft.plural = (draft.plural ?? "") + text;
      };
    default:
      while (draft.texts.length <= form) draft.texts.push("");
      return (text) => {
        draft.texts[form] += text;
      };
  }
}

const named: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

function resolved(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, escaped: string) => named[escaped] ?? escaped);
}
