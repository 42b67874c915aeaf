import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNdjson } from "../../../examples/sample-app/ndjson.js";

type Entry = { readonly line: number; readonly value: unknown };

const MIB = 1024 * 1024;

async function* arriving(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<Entry[]> {
  const entries = [];
  for await (const entry of readNdjson(arriving(chunks.map((chunk) => Buffer.from(chunk))))) entries.push(entry);
  return entries;
}

const three = [1, 2, 3].map((line) => ({ line, value: { a: line } }));
const blankBefore = (count: number) => three.map(({ line, value }) => ({ line: line + count, value }));

describe("newline-delimited JSON", () => {
  it.each<[how: string, text: string, entries: readonly Entry[]]>([
    ["LF", '{"a":1}\n{"a":2}\n{"a":3}\n', three],
    ["CR LF", '{"a":1}\r\n{"a":2}\r\n{"a":3}\r\n', three],
    ["LF CR", '{"a":1}\n\r{"a":2}\n\r{"a":3}\n\r', three],
    ["no final newline", '{"a":1}\n{"a":2}\n{"a":3}', three],
    ["a byte-order mark", '\ufeff{"a":1}\n{"a":2}\n{"a":3}\n', three],
    ["blank lines", '\n \t\r\n{"a":1}\n{"a":2}\n{"a":3}\n\n\n', blankBefore(2)],
    ["a byte-order mark on a line of its own", '\ufeff\n{"a":1}\n{"a":2}\n{"a":3}\n', blankBefore(1)],
    ["nothing", "", []],
    ["a byte-order mark alone", "\ufeff", []],
    ["U+2028, U+2029 and U+0085 in a text", '"\u2028\u2029\u0085"\n', [{ line: 1, value: "\u2028\u2029\u0085" }]],
    ["half a surrogate pair as escape", '"\\ud800"\n', [{ line: 1, value: "\ud800" }]],
  ])("I3: accepts %s", async (_how, text, entries) => {
    expect(await read(text)).toEqual(entries);
  });

  it.each<[wrong: string, line: string | Buffer]>([
    ["no JSON", "{"],
    ["two values", "1 2"],
    ["a CR in the middle", "1\r2"],
    ["a second byte-order mark", "\ufeff1"],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
    ["a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["a character that is cut", Buffer.from([0x22, 0xc3])],
  ])("I3: names line 500 if it is %s", async (_wrong, line) => {
    const before = "1\n".repeat(499);
    await expect(read(before, line, "\n1\n")).rejects.toThrow("Line 500 is not JSON in UTF-8.");
  });

  it("is refused at 5 MiB of a line, before the line ends", async () => {
    const most = `"${"a".repeat(5 * MIB - 2)}"`;
    expect(await read("1\n", most)).toHaveLength(2);
    await expect(read("1\n", most, "a\n")).rejects.toThrow(`Line 2 is larger than ${5 * MIB} bytes.`);
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(MIB, "a");
    }
    await expect(readNdjson(endless()).next()).rejects.toThrow(`Line 1 is larger than ${5 * MIB} bytes.`);
  });

  it("is the same however it is cut into chunks", async () => {
    const line = fc.oneof(fc.json(), fc.constantFrom("", " ", '"\u2028é語😀"'));
    const end = fc.constantFrom("\n", "\r\n", "\n\r", "\n\n");
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(line, end)), fc.array(fc.nat(20)), async (lines, sizes) => {
        const bytes = Buffer.from(lines.flat().join(""));
        const chunks = [];
        let start = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(start, start + size));
          start += size;
        }
        const whole = await read(bytes);
        expect(await read(...chunks, bytes.subarray(start))).toEqual(whole);
        const values = lines.map(([text]) => text).filter((text) => text.trim() !== "");
        expect(whole.map(({ value }) => value)).toEqual(values.map((text) => JSON.parse(text)));
      }),
    );
  });
});
