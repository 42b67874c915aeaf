import { expect, test } from "vitest";
import { jsonIn } from "../../src/config/json-file.ts";

test.each([
  ["\ufeff{}", "save it as UTF-8 without a byte order mark (BOM)"],
  ["", "it must be one JSON value in UTF-8"],
  [
    '{\n  "modules": {},\n}',
    'line 2 column 16, in `"modules": {},`: JSON allows no comma after the last member: remove it',
  ],
])("%j: %s", (text, hint) => {
  expect(() => jsonIn(Buffer.from(text), "manifest.json", "manifest")).toThrow(
    expect.objectContaining({ code: "not-json", hint }),
  );
});

test("the error names the place once, where the mistake is", () => {
  expect(() => jsonIn(Buffer.from('{"a":1,}'), "a.json", "manifest")).toThrow(
    expect.objectContaining({
      summary: expect.not.stringMatching(/position|column/),
      hint: expect.stringMatching(/^line 1/),
    }),
  );
});

test("an HTML page is called a page", () => {
  expect(() => jsonIn(Buffer.from("\n<!DOCTYPE html><p>Hi"), "manifest.json", "manifest")).toThrow(
    expect.objectContaining({ summary: "manifest manifest.json: the file is an HTML page, not JSON" }),
  );
});

test.each([
  ["a.yaml", "modules:\n  webhook: []", "YAML"],
  ["A.YML", "modules: {}", "YAML"],
  ["server.js", "module.exports = {}", "JavaScript"],
])("a file of another language is recognized by its name: %s", (file, text, language) => {
  const hint = expect.stringMatching(`^its name says ${language}, but app-sim reads JSON here; line 1 column 1, `);
  expect(() => jsonIn(Buffer.from(text), file, "manifest")).toThrow(expect.objectContaining({ hint }));
  expect(jsonIn(Buffer.from("{}"), file, "manifest").value).toEqual({});
});
