import { z } from "zod";
import { isWireJob, shortFixtureSchema } from "../protocol/fixture.ts";
import { parseJson } from "../protocol/json.ts";
import { invalidFile, lineAt } from "./invalid-file.ts";
import { fileOfEntries, type KeyEntry, type KeyNode } from "./key-tree.ts";
import type { ParsedFile, ParsedString, SourceText } from "./parsed-file.ts";

/** A JSON file: flat or nested keys, arrays of texts, plurals as i18next or Rails have them; or Chrome's messages. */
export function parseJsonFile(source: SourceText): ParsedFile {
  const object = jsonObject(source);
  if (isWireJob(object) || shortFixtureSchema.safeParse(object).success) {
    throw invalidFile(source, null, "it is a fixture already: give it to app-sim post-import");
  }
  const messages = chromeMessages.safeParse(object);
  if (messages.success && Object.keys(messages.data).length > 0) return fileOfMessages(messages.data);
  return fileOfEntries(entriesOf(object), source.language);
}

/**
 * The object that a JSON file is.
 * @throws UsageError when it is something else
 */
export function jsonObject(source: SourceText): object {
  const parsed = parseJson(Buffer.from(source.text), "the file");
  if (!parsed.ok) throw forbiddenKey(source) ?? invalidFile(source, null, parsed.reason);
  const { value } = parsed;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalidFile(source, null, "expected an object of keys and texts");
}

/** A key that no reader of ours takes, whatever else is wrong with the file. */
function forbiddenKey(source: SourceText): Error | null {
  const offset = source.text.search(/"__proto__"\s*:/);
  return offset === -1 ? null : invalidFile(source, lineAt(source.text, offset), 'the key "__proto__" is not allowed');
}

/** https://developer.chrome.com/docs/extensions/reference/api/i18n#overview-formats */
const chromeMessages = z.record(
  z.string(),
  z.strictObject({ message: z.string(), description: z.string().optional(), placeholders: z.unknown().optional() }),
);

function fileOfMessages(messages: z.infer<typeof chromeMessages>): ParsedFile {
  const strings = Object.entries(messages).map(
    ([identifier, { message, description = "" }]): ParsedString => ({
      identifier,
      text: message,
      ...(description === "" ? {} : { context: description }),
    }),
  );
  return { sourceLanguage: null, strings, translations: [], leftOut: [] };
}

function entriesOf(object: object): KeyEntry[] {
  return Object.entries(object).map(([key, value]) => [key, nodeOf(value)]);
}

function nodeOf(value: unknown): KeyNode {
  if (typeof value === "string") return { kind: "text", text: value };
  if (Array.isArray(value)) return { kind: "list", items: value.map(nodeOf) };
  if (typeof value === "object" && value !== null) return { kind: "map", entries: entriesOf(value) };
  return { kind: "other", what: value === null ? "null" : `a ${typeof value}` };
}
