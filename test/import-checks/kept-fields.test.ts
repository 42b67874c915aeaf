import { expect, test } from "vitest";
import { lostLetters, splitLabel } from "../../src/import-checks/kept-fields.ts";

const pair = (before: string, after: string) => {
  const record = { uniqId: "1", text: "" };
  return { before: { ...record, identifier: before }, after: { ...record, identifier: after }, job: "" };
};

test.each([
  ["ключ.\u{1F511}", "."],
  ["ключ.key", "key"],
  ["ключ.key", ".KEY"],
  ["déjà.vu", "dj-vu"],
  ["привіт", ""],
])("%s loses its letters in %s", (before, after) => {
  expect(lostLetters(pair(before, after))).toBe(true);
});

test.each([
  ["déjà.vu", "déjà.vu"],
  ["déjà.vu", "deja-vu"],
  ["déjà.vu", "de\u0301ja\u0300.vu"],
  ["привіт", "pryvit"],
  ["привіт", "привіт.1"],
  ["ключ.key", "%D0%BA%D0%BB%D1%8E%D1%87.key"],
  ["ключ.key", "404"],
  ["ключ.key", "6f1ed002ab559585"],
])("%s does not lose its letters in %s", (before, after) => {
  expect(lostLetters(pair(before, after))).toBe(false);
});

test("an identifier of A to Z has no letters to lose", () => {
  expect(lostLetters(pair("greeting.1", ""))).toBeNull();
});

test.each<[sent: string, came: string[], split: string | null]>([
  ["red, green", ["red", "green", "new"], "red, green"],
  ["one;two", ["one", "two"], "one;two"],
  ["red, green", ["red, green", "red"], null],
  ["red, green", ["Red, Green"], null],
  ["red", ["new"], null],
])("the label %s and what came back: %j", (sent, came, split) => {
  const record = { uniqId: "1", identifier: "a", text: "" };
  expect(splitLabel({ before: { ...record, labels: [sent] }, after: { ...record, labels: came } })).toBe(split);
});
