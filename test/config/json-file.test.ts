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
