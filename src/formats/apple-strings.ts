import { dictOf } from "./apple-plist.ts";
import { invalidFile, lineAt, quoted } from "./invalid-file.ts";
import type { LeftOut, ParsedFile, ParsedString, SourceText } from "./parsed-file.ts";

/** White space, a comment, a text in quotes, a word (an unquoted key or value), or a sign. */
const tokenSyntax =
  /(?<space>\s+)|\/\*(?<block>[\s\S]*?)\*\/|\/\/(?<line>[^\n]*)|"(?<text>[^"\\]*(?:\\[\s\S][^"\\]*)*)"|(?<word>[\w.$:/-]+)|(?<sign>[=;])/y;

interface Token {
  readonly kind: "comment" | "text" | "=" | ";";
  readonly text: string;
  readonly offset: number;
  /** Whether nothing but white space stands before it on its line. */
  readonly isFirst: boolean;
}

/** What Xcode writes where the developer said nothing. */
const NO_COMMENT = "No comment provided by engineer.";

/** An iOS .strings file, as text or as the property list that Apple's tools make of it; comments are context. */
export function parseAppleStrings(source: SourceText): ParsedFile {
  const isPlist = /^\s*<(?:\?xml|!DOCTYPE|plist)/.test(source.text);
  return { sourceLanguage: null, translations: [], ...(isPlist ? fromPlist(source) : fromText(source)) };
}

type Found = Pick<ParsedFile, "strings" | "leftOut">;

function fromPlist(source: SourceText): Found {
  const strings: ParsedString[] = [];
  const leftOut: LeftOut[] = [];
  for (const [identifier, value] of dictOf(source)) {
    if (typeof value === "string") strings.push({ identifier, text: value });
    else leftOut.push({ why: "no text, left out", what: identifier });
  }
  return { strings, leftOut };
}

function fromText(source: SourceText): Found {
  const strings: ParsedString[] = [];
  const tokens = tokensOf(source);
  let comments: string[] = [];
  let at = 0;
  const take = (...kinds: readonly Token["kind"][]): Token => {
    while (tokens[at]?.kind === "comment") at++;
    const token = tokens[at];
    at += 1;
    if (token !== undefined && kinds.includes(token.kind)) return token;
    const line = token === undefined ? null : lineAt(source.text, token.offset);
    const found = token === undefined ? "the end of the file" : quoted(token.text);
    throw invalidFile(source, line, `expected ${kinds.join(" or ")}, found ${found}; an entry is "key" = "text";`);
  };
  for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
    if (token.kind === "comment") {
      at += 1;
      const last = strings.at(-1);
      if (token.isFirst || last === undefined) comments.push(token.text);
      else strings[strings.length - 1] = { ...last, ...contextOf([last.context ?? "", token.text]) };
      continue;
    }
    const key = take("text");
    const isPair = take("=", ";").kind === "=";
    const text = isPair ? take("text") : key;
    if (isPair) take(";");
    strings.push({ identifier: resolved(key.text), text: resolved(text.text), ...contextOf(comments) });
    comments = [];
  }
  return { strings, leftOut: [] };
}

function tokensOf(source: SourceText): Token[] {
  const tokens: Token[] = [];
  let isFirst = true;
  for (let offset = 0; offset < source.text.length; ) {
    tokenSyntax.lastIndex = offset;
    const { 0: whole, groups = {} } = tokenSyntax.exec(source.text) ?? {};
    if (whole === undefined) {
      const what = `expected "key" = "text";, found ${quoted(source.text.slice(offset, offset + 20))}`;
      throw invalidFile(source, lineAt(source.text, offset), what);
    }
    const { space, sign } = groups;
    const comment = groups.block ?? groups.line;
    if (space !== undefined) isFirst ||= space.includes("\n");
    else if (comment !== undefined) tokens.push({ kind: "comment", text: comment.trim(), offset, isFirst });
    else if (sign !== undefined) tokens.push({ kind: sign === "=" ? "=" : ";", text: sign, offset, isFirst });
    else tokens.push({ kind: "text", text: groups.text ?? groups.word ?? "", offset, isFirst });
    if (space === undefined) isFirst = false;
    offset += whole.length;
  }
  return tokens;
}

function contextOf(comments: readonly string[]): Pick<ParsedString, "context"> {
  const said = comments.filter((comment) => comment !== "" && comment !== NO_COMMENT);
  return said.length === 0 ? {} : { context: said.join("\n") };
}

const named: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "\n" };

function resolved(text: string): string {
  return text.replaceAll(/\\(?:[uU]([0-9a-fA-F]{4})|([\s\S]))/g, (_, code?: string, escaped = "") =>
    code === undefined ? (named[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
