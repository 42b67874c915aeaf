import { SaxesParser } from "saxes";
import { invalidFile } from "./invalid-file.ts";
import type { SourceText } from "./parsed-file.ts";

/** Deep enough for every real file, shallow enough that no recursive reader of ours overflows (hardening S24). */
const DEPTH_LIMIT = 64;

export interface XmlElement {
  readonly kind: "element";
  readonly name: string;
  /** Without a prototype. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
  /** Where its start tag ends. */
  readonly line: number;
}
type XmlNode =
  | XmlElement
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "comment"; readonly text: string };

/**
 * The tree of an XML file. Entities other than the five of XML and character references are unknown, wherever they
 * may be declared: nothing is expanded, nothing is fetched.
 * @throws UsageError with the line
 */
export function parseXml(source: SourceText): XmlElement {
  const parser = new SaxesParser<{ xmlns: false }>({ xmlns: false });
  const open: { readonly element: XmlElement; readonly children: XmlNode[] }[] = [];
  let root: XmlElement | null = null;
  const add = (node: XmlNode) => open.at(-1)?.children.push(node);
  parser.on("error", ({ message }) => {
    throw invalidFile(source, parser.line, faultText(message));
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (open.length === DEPTH_LIMIT) {
      throw invalidFile(source, parser.line, `it is nested deeper than ${DEPTH_LIMIT} levels`);
    }
    const children: XmlNode[] = [];
    const element: XmlElement = { kind: "element", name, attributes, children, line: parser.line };
    root ??= element;
    add(element);
    open.push({ element, children });
  });
  parser.on("closetag", () => {
    open.pop();
  });
  parser.on("text", (text) => add({ kind: "text", text }));
  parser.on("cdata", (text) => add({ kind: "text", text }));
  parser.on("comment", (text) => add({ kind: "comment", text }));
  parser.write(source.text).close();
  if (root === null) throw invalidFile(source, null, "it holds no element");
  return root;
}

function faultText(message: string): string {
  const fault = message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
  return fault === "undefined entity" ? "an entity that is none of XML's own five is not resolved" : fault;
}

/** The elements directly below, of one name where one is given. */
export function elementsOf({ children }: XmlElement, name?: string): XmlElement[] {
  return children.filter((node) => node.kind === "element").filter((node) => name === undefined || node.name === name);
}

export function startTag({ name, attributes, children }: XmlElement): string {
  const pairs = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapedValue(value)}"`);
  return `<${name}${pairs.join("")}${children.length === 0 ? "/>" : ">"}`;
}

export function endTag({ name, children }: XmlElement): string {
  return children.length === 0 ? "" : `</${name}>`;
}

/** What stands in an element: texts resolved, tags as they are, comments left out. */
export function innerText({ children }: XmlElement): string {
  return children
    .map((node) => {
      if (node.kind === "element") return startTag(node) + innerText(node) + endTag(node);
      return node.kind === "text" ? node.text : "";
    })
    .join("");
}

function escapedValue(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
