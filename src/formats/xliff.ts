import { invalidFile } from "./invalid-file.ts";
import { languageNamed } from "./language-names.ts";
import type { LeftOut, ParsedFile, ParsedString, ParsedTranslation, SourceText, TextStatus } from "./parsed-file.ts";
import { elementsOf, innerText, parseXml, type XmlElement } from "./xml-tree.ts";

/** A unit of either version: what it is called, its two texts, and what is said about it. */
interface Unit {
  readonly id: string;
  readonly name: string | undefined;
  readonly source: string;
  /** null where there is none. */
  readonly target: string | null;
  readonly status: TextStatus | undefined;
  readonly notes: readonly string[];
  readonly isHidden: boolean;
  readonly maxLength: string | undefined;
  /** What the maximal length counts; undefined for characters. */
  readonly lengthUnit: string | undefined;
}

/**
 * An XLIFF file of version 1.2 or 2.x. Inline tags stay in the texts; its identifiers are the names of the units
 * (`resname`, `name`) or else their ids.
 * http://docs.oasis-open.org/xliff/v1.2/os/xliff-core.html, https://docs.oasis-open.org/xliff/xliff-core/v2.1/
 */
export function parseXliff(source: SourceText): ParsedFile {
  const root = parseXml(source);
  const files = elementsOf(root, "file");
  const [first] = files;
  if (root.name !== "xliff" || first === undefined) {
    throw invalidFile(source, root.line, `expected <xliff> with a <file>, found <${root.name}>`);
  }
  const isVersion1 = (root.attributes.version ?? "1.2").startsWith("1");
  const sourceName = isVersion1 ? first.attributes["source-language"] : root.attributes.srcLang;
  const targetName = isVersion1
    ? files.map(({ attributes }) => attributes["target-language"]).find((name) => name !== undefined)
    : root.attributes.trgLang;
  const units = files.flatMap((file, index) =>
    unitsIn(file, isVersion1 ? "trans-unit" : "unit").map((element) => {
      const unit = isVersion1 ? unitOfVersion1(element, source) : unitOfVersion2(element, source);
      return { ...unit, key: `${index}\u0004${unit.id}` };
    }),
  );
  const language = targetName === undefined ? source.language : languageNamed(targetName);
  const translated = units.filter(({ target }) => target !== null);
  const leftOut: LeftOut[] = units.flatMap(({ name, id, maxLength, lengthUnit }) =>
    maxLength === undefined || lengthUnit === undefined
      ? []
      : [{ why: `a maximal length in ${lengthUnit} is no number of characters, left out`, what: name ?? id }],
  );
  if (language === null && translated.length > 0) {
    const why = "translations left out: the file does not say a known target language";
    leftOut.push({ why, what: targetName ?? source.file });
  }
  return {
    sourceLanguage: sourceName ?? null,
    strings: units.map(stringOf),
    translations: language === null ? [] : [{ language, strings: translated.map(translationOf) }],
    leftOut,
  };
}

/** The units of a file in their order, those in groups too. */
function unitsIn(element: XmlElement, name: string): XmlElement[] {
  return elementsOf(element).flatMap((each) => (each.name === name ? [each] : unitsIn(each, name)));
}

function unitOfVersion1(element: XmlElement, source: SourceText): Unit {
  const { id, resname, approved, translate, maxwidth, "size-unit": sizeUnit = "char" } = element.attributes;
  const [text] = elementsOf(element, "source");
  if (id === undefined || text === undefined) {
    throw invalidFile(source, element.line, "expected <trans-unit> with an id and a <source>");
  }
  const [target] = elementsOf(element, "target");
  return {
    id,
    name: resname,
    source: innerText(text),
    target: target === undefined ? null : innerText(target),
    status: approved === "yes" ? "approved" : statusOf(target?.attributes.state),
    notes: elementsOf(element, "note").map(innerText),
    isHidden: translate === "no",
    maxLength: maxwidth,
    lengthUnit: sizeUnit === "char" ? undefined : sizeUnit,
  };
}

function unitOfVersion2(element: XmlElement, source: SourceText): Unit {
  const { id, name, translate, "slr:sizeRestriction": size } = element.attributes;
  const parts = elementsOf(element).filter(({ name: part }) => part === "segment" || part === "ignorable");
  const segments = parts.filter(({ name: part }) => part === "segment");
  if (id === undefined || segments.length === 0) {
    throw invalidFile(source, element.line, "expected <unit> with an id and a <segment>");
  }
  const textOf = (part: XmlElement, side: string) => elementsOf(part, side).map(innerText).join("");
  const hasTarget = segments.some((segment) => elementsOf(segment, "target").length > 0);
  const states = segments.map(({ attributes }) => statusOf(attributes.state));
  return {
    id,
    name,
    source: parts.map((part) => textOf(part, "source")).join(""),
    target: hasTarget ? parts.map((part) => targetOf(part, textOf)).join("") : null,
    // A unit is as far as the segment that is least far.
    status: (["untranslated", undefined, "approved"] as const).find((status) => states.includes(status)),
    notes: elementsOf(element, "notes").flatMap((notes) => elementsOf(notes, "note").map(innerText)),
    isHidden: translate === "no",
    maxLength: size,
    lengthUnit: undefined,
  };
}

/** White space between segments is often given for the source only. */
function targetOf(part: XmlElement, textOf: (part: XmlElement, side: string) => string): string {
  const isLeftToSource = part.name === "ignorable" && elementsOf(part, "target").length === 0;
  return textOf(part, isLeftToSource ? "source" : "target");
}

const statuses: Readonly<Record<string, TextStatus>> = {
  new: "untranslated",
  initial: "untranslated",
  "needs-translation": "untranslated",
  reviewed: "approved",
  "signed-off": "approved",
  final: "approved",
};

function statusOf(state: string | undefined): TextStatus | undefined {
  return new Map(Object.entries(statuses)).get(state ?? "");
}

function stringOf(unit: Unit & { readonly key: string }): ParsedString {
  const { key, id, name, source, notes, isHidden, maxLength = "", lengthUnit } = unit;
  const context = notes.filter((note) => note.trim() !== "").join("\n");
  const isLength = lengthUnit === undefined && /^[1-9]\d{0,8}$/.test(maxLength);
  return {
    key,
    identifier: name ?? id,
    text: source,
    ...(context === "" ? {} : { context }),
    ...(isLength ? { maxLength: Number(maxLength) } : {}),
    ...(isHidden ? { isHidden } : {}),
  };
}

function translationOf({ key, id, name, target, status }: Unit & { readonly key: string }): ParsedTranslation {
  return { key, identifier: name ?? id, text: target ?? "", ...(status === undefined ? {} : { status }) };
}
