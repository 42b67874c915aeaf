import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hexRows, type JsonNode, readJsonText } from "../../src/inspector/page/json-text.ts";

function writtenOf(node: JsonNode): string {
  if (node.kind === "scalar") return node.raw;
  const members = node.members.map(({ name, value }) => (name === null ? "" : `${name}:`) + writtenOf(value));
  return node.kind === "object" ? `{${members.join(",")}}` : `[${members.join(",")}]`;
}

describe("JSON is shown as it was written", () => {
  it("whatever the value, with any white space", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, "\t"), (json, space) => {
        const text = JSON.stringify(JSON.parse(json), null, space);
        const node = readJsonText(text);
        expect(node && JSON.parse(writtenOf(node))).toEqual(JSON.parse(json));
      }),
    );
  });

  it.each([['{"b":1.0,"a":1e400,"1":9007199254740993,"b":"\\u0041"}'], ["[]"], ["{}"], ['" "'], ["-0"]])(
    "%s: digits, order and repeated names stay",
    (text) => {
      const node = readJsonText(text);
      expect(node && writtenOf(node)).toBe(text);
    },
  );

  it.each(["", "{", '{"a"}', '{"a":1', "[1,]", "[1 2]", "nonsense", '{"a":1}}', "{a:1}", "[".repeat(100_000)])(
    "%.20s is not JSON",
    (text) => expect(readJsonText(text)).toBeNull(),
  );
});

it("bytes are shown in rows of sixteen", () => {
  const base64 = Buffer.from("0123456789abcdef\u0000é").toString("base64");
  expect(hexRows(base64, 100)).toEqual([
    "000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef",
    `000010  00 c3 a9${" ".repeat(41)}···`,
  ]);
});
