import { endTag, startTag, type XmlElement } from "./xml-tree.ts";

const named: Readonly<Record<string, string>> = { n: "\n", t: "\t" };

/** White space, a quote, an escape (`\u00e9`, `\n`, `\'`), or anything else. */
const tokens = /([ \t\n\r]+)|(")|\\u([0-9a-fA-F]{4})|\\([\s\S])|([^ \t\n\r"\\]+|\\)/g;

/**
 * The text of an Android string as the app will show it: escapes resolved, white space folded outside of double
 * quotes, the quotes gone; tags are kept.
 * https://developer.android.com/guide/topics/resources/string-resource#FormattingAndStyling
 */
export function resolveAndroidText(element: XmlElement): string {
  const state = { text: "", isQuoted: false, hasSpace: false };
  /** Adds what is no white space to fold, behind the folded white space before it. */
  const add = (text: string) => {
    if (state.hasSpace && state.text !== "") state.text += " ";
    state.hasSpace = false;
    state.text += text;
  };
  const addCharacters = (characters: string) => {
    for (const [, space, quote, code, escaped, plain] of characters.matchAll(tokens)) {
      if (quote !== undefined) state.isQuoted = !state.isQuoted;
      else if (space === undefined) add(plain ?? resolved(code, escaped));
      else if (state.isQuoted) add(space);
      else state.hasSpace = true;
    }
  };
  const addInside = ({ children }: XmlElement) => {
    for (const node of children) {
      if (node.kind === "text") addCharacters(node.text);
      if (node.kind !== "element") continue;
      add(startTag(node));
      addInside(node);
      if (node.children.length > 0) add(endTag(node));
    }
  };
  addInside(element);
  return state.text;
}

function resolved(code: string | undefined, escaped = ""): string {
  return code === undefined ? (named[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16));
}
