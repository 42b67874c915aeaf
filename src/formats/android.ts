import { invalidFile } from "./invalid-file.ts";
import type { LeftOut, ParsedFile, ParsedString, SourceText } from "./parsed-file.ts";
import { elementsOf, endTag, innerText, parseXml, startTag, type XmlElement } from "./xml-tree.ts";

type Resource = Pick<ParsedString, "identifier" | "text">;

/** An Android resource file (strings.xml): string, string-array and plurals. */
export function parseAndroid(source: SourceText): ParsedFile {
  const root = parseXml(source);
  if (root.name !== "resources") {
    throw invalidFile(source, root.line, `expected <resources>, found <${root.name}>`);
  }
  const strings: ParsedString[] = [];
  const leftOut: LeftOut[] = [];
  let comments: string[] = [];
  let section: string | null = null;
  for (const node of root.children) {
    if (node.kind === "text") continue;
    if (node.kind === "comment") {
      const text = node.text.trim();
      const [, heading] = /^=+\s*(.*?)\s*=+$/.exec(text) ?? [];
      if (heading === undefined) comments.push(text);
      else section = heading;
      continue;
    }
    const found = resourcesOf(node, source, leftOut);
    strings.push(...found.map((resource) => ({ ...resource, ...aboutString(node, comments, section) })));
    comments = [];
  }
  return { sourceLanguage: root.attributes["tools:locale"] ?? null, strings, translations: [], leftOut };
}

/** The strings that the element stands for. */
function resourcesOf(element: XmlElement, source: SourceText, leftOut: LeftOut[]): Resource[] {
  const ownText = (identifier: string, within: XmlElement) => {
    if (!isReference(within)) return [{ identifier, text: resolveAndroidText(within) }];
    leftOut.push({ why: "refers to another string, left out", what: identifier });
    return [];
  };
  const { name: kind, attributes, line } = element;
  if (kind === "string" || (kind === "item" && attributes.type === "string")) {
    return ownText(nameOf(element, source), element);
  }
  if (kind === "string-array") {
    const name = nameOf(element, source);
    return elementsOf(element, "item").flatMap((item, index) => ownText(`${name}[${index}]`, item));
  }
  if (kind === "plurals") {
    const name = nameOf(element, source);
    const forms = elementsOf(element, "item").flatMap((item) => {
      const quantity = quantityOf(item, source);
      return ownText(`${name}[${quantity}]`, item).map(({ text }) => [quantity, text] as const);
    });
    return forms.length === 0 ? [] : [{ identifier: name, text: Object.fromEntries(forms) }];
  }
  leftOut.push({ why: `<${kind}> holds no text, left out`, what: attributes.name ?? `line ${line}` });
  return [];
}

function quantityOf({ attributes, line }: XmlElement, source: SourceText): string {
  if (attributes.quantity !== undefined) return attributes.quantity;
  throw invalidFile(source, line, "expected <item> with a quantity");
}

function nameOf({ name, attributes, line }: XmlElement, source: SourceText): string {
  if (attributes.name !== undefined) return attributes.name;
  throw invalidFile(source, line, `expected <${name}> with a name`);
}

function isReference(element: XmlElement): boolean {
  return /^\s*@(?:[\w.]+:)?string\/[\w.]+\s*$/.test(innerText(element));
}

function aboutString(
  { attributes }: XmlElement,
  comments: readonly string[],
  section: string | null,
): Omit<ParsedString, "identifier" | "text"> {
  return {
    ...(comments.length === 0 ? {} : { context: comments.join("\n") }),
    ...(section === null ? {} : { labels: [section] }),
    ...(attributes.translatable === "false" ? { isHidden: true as const } : {}),
  };
}

const named: Readonly<Record<string, string>> = { n: "\n", t: "\t" };

/** White space, a quote, an escape (`\u00e9`, `\n`, `\'`), or anything else. */
const tokens = /([ \t\n\r]+)|(")|\\u([0-9a-fA-F]{4})|\\([\s\S])|([^ \t\n\r"\\]+|\\)/g;

/**
 * The text of an Android string as the app will show it: escapes resolved, white space folded outside of double
 * quotes, the quotes gone; tags are kept.
 * https://developer.android.com/guide/topics/resources/string-resource#FormattingAndStyling
 */
function resolveAndroidText(element: XmlElement): string {
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
