import { expect, test } from "vitest";
import { jsonIn } from "../../src/config/json-file.ts";

test.each([
  ["\ufeff{}", "save it as UTF-8 without BOM"],
  ["", "it must be one JSON value in UTF-8"],
  [
    '{\n  "modules": {},\n}',
    'line 2 column 16, in `"modules": {},`: JSON has no comma after the last member, take it out',
  ],
])("%j: %s", (text, hint) => {
  expect(() => jsonIn(Buffer.from(text), "manifest.json", "manifest")).toThrow(
    expect.objectContaining({ code: "not-json", hint }),
  );
});

test("the place is named once, where the slip is", () => {
  expect(() => jsonIn(Buffer.from('{"a":1,}'), "a.json", "manifest")).toThrow(
    expect.objectContaining({
      summary: expect.not.stringMatching(/position|column/),
      hint: expect.stringMatching(/^line 1/),
    }),
  );
});

test("a page is called one", () => {
  expect(() => jsonIn(Buffer.from("\n<!DOCTYPE html><p>Hi"), "manifest.json", "manifest")).toThrow(
    expect.objectContaining({ summary: "manifest manifest.json: the file is a page of HTML, not JSON" }),
  );
});
