import { expect, test } from "vitest";
import { missingWordIn, readingOf } from "../../src/import-checks/misread-values.ts";
import type { StringRecord } from "../../src/protocol/import-job.ts";

test.each([
  ["007", "7", "was read as a number"],
  ["1.50", "1.5", "was read as a number"],
  ["1e3", "1000.0", "was read as a number"],
  ["0x1F", "31", "was read as a number"],
  ["12345678901234567890", "12345678901234567000", "was read as a number"],
  ["2026-01-31", "2026-01-31T00:00:00.000Z", "was read as a date"],
])("%s came back as %s", (sent, came, how) => {
  expect(readingOf(sent, came)).toBe(`${how}, and came back as "${came}"`);
});

test.each([
  [" 42 ", "42"],
  ["007", "Agent 007"],
  ["1.50", "1,50"],
  ["2026-01-31", "31 January 2026"],
  ["NaN", "nan"],
  ["", "0"],
])("%s is not misread if it came back as %s", (sent, came) => {
  expect(readingOf(sent, came)).toBeNull();
});

const record: StringRecord = { uniqId: "1", identifier: "greeting", text: "Hello" };

test.each<[Partial<StringRecord>, string]>([
  [{ context: "undefined" }, "the context"],
  [{ context: "Page: undefined" }, "the context"],
  [{ context: "None" }, "the context"],
  [{ labels: ["web", "null"] }, "label 2"],
  [{ attributes: { platformType: "nil" } }, "platformType"],
  [{ text: { one: "a file", other: "[object Object]" } }, 'the text for "other"'],
])("a missing value is a word in %j", (changed, place) => {
  expect(missingWordIn(record, { ...record, ...changed })?.place).toBe(place);
});

test.each<[sent: Partial<StringRecord>, came: Partial<StringRecord>]>([
  [{}, { context: "None of these" }],
  [{}, { context: "" }],
  [{ text: "null" }, { text: "null", context: "null" }],
  [{ context: "the undefined behaviour" }, { context: "undefined behaviour" }],
])("of %j, %j is no word for a missing value", (sent, came) => {
  expect(missingWordIn({ ...record, ...sent }, { ...record, ...came })).toBeNull();
});
