import { invalidFile } from "./invalid-file.ts";
import { jsonObject } from "./json.ts";
import type { LeftOut, ParsedFile, ParsedString, SourceText } from "./parsed-file.ts";

/**
 * An Application Resource Bundle (Flutter): ICU messages as they are, `@key` as context.
 * https://github.com/google/app-resource-bundle/wiki/ApplicationResourceBundleSpecification
 */
export function parseArb(source: SourceText): ParsedFile {
  const values = new Map<string, unknown>(Object.entries(jsonObject(source)));
  const locale = values.get("@@locale");
  if (locale !== undefined && typeof locale !== "string")
    throw invalidFile(source, null, "expected a text as @@locale");
  const strings: ParsedString[] = [];
  const leftOut: LeftOut[] = [];
  for (const [key, value] of values) {
    if (key.startsWith("@")) continue;
    if (typeof value === "string") strings.push({ identifier: key, text: value, ...contextOf(values.get(`@${key}`)) });
    else leftOut.push({ why: "no text, left out", what: key });
  }
  return { sourceLanguage: locale ?? null, strings, translations: [], leftOut };
}

function contextOf(about: unknown): Pick<ParsedString, "context"> {
  const { description, context, placeholders } = asObject(about);
  const lines = [description, context].filter((each) => typeof each === "string" && each !== "");
  const names = Object.entries(asObject(placeholders)).map(([name, placeholder]) => placeholderText(name, placeholder));
  if (names.length > 0) lines.push(`placeholders: ${names.join(", ")}`);
  return lines.length === 0 ? {} : { context: lines.join("\n") };
}

function placeholderText(name: string, placeholder: unknown): string {
  const { type, example } = asObject(placeholder);
  const details = [
    ...(typeof type === "string" ? [type] : []),
    ...(typeof example === "string" ? [`such as ${example}`] : []),
  ];
  return `{${name}}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
