import { invalidFile } from "./invalid-file.ts";
import type { SourceText } from "./parsed-file.ts";
import { elementsOf, innerText, parseXml, type XmlElement } from "./xml-tree.ts";

/** A value of a property list: a text, a dictionary, or null for what is neither. */
export type PlistValue = string | PlistDict | null;
/** In the order of the file, repeated keys and all. */
export type PlistDict = readonly (readonly [key: string, value: PlistValue])[];

/**
 * The dictionary that a property list in XML is.
 * @throws UsageError with the line
 */
export function dictOf(source: SourceText): PlistDict {
  const root = parseXml(source);
  const [top] = elementsOf(root);
  if (root.name === "plist" && top?.name === "dict") return entriesOf(top, source);
  throw invalidFile(source, root.line, `expected <plist><dict>, found <${root.name}><${top?.name ?? ""}>`);
}

function entriesOf(dict: XmlElement, source: SourceText): PlistDict {
  const elements = elementsOf(dict);
  const keys = elements.filter((_, index) => index % 2 === 0);
  return keys.map((key, index) => {
    const value = elements[2 * index + 1];
    if (key.name !== "key" || value === undefined) {
      throw invalidFile(source, key.line, "expected a <key> and its value, again and again");
    }
    return [innerText(key), plistValue(value, source)];
  });
}

function plistValue(element: XmlElement, source: SourceText): PlistValue {
  if (element.name === "string") return innerText(element);
  return element.name === "dict" ? entriesOf(element, source) : null;
}
