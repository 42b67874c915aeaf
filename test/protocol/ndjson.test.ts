import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineSplitter, type Line, type LineLimits, parseLine } from "../../src/protocol/ndjson.ts";

const wide: LineLimits = { lineLimit: 1_000_000, lineCount: 1_000_000 };

/** Number and text of every line, and the fault, of a file that comes in these chunks. */
function split(chunks: Iterable<string | Uint8Array>, limits = wide) {
  const splitter = createLineSplitter(limits);
  const lines: [number, string][] = [];
  let fault: string | null = null;
  const add = (read: ReturnType<typeof splitter.push>) => {
    lines.push(...read.lines.map(({ number, bytes }): [number, string] => [number, Buffer.from(bytes).toString()]));
    fault = read.fault;
  };
  for (const chunk of chunks) add(splitter.push(Buffer.from(chunk)));
  add(splitter.end());
  return { lines, fault };
}

function* repeated(chunk: Uint8Array, times: number) {
  for (let time = 0; time < times; time += 1) yield chunk;
}

const line = (text: string, number = 1): Line => ({ number, bytes: Buffer.from(text) });

describe("createLineSplitter", () => {
  it.each([
    ["LF", '{"a":1}\n{"b":2}\n', [1, 2]],
    ["CR LF", '{"a":1}\r\n{"b":2}\r\n', [1, 2]],
    ["LF CR", '{"a":1}\n\r{"b":2}\n\r', [1, 2]],
    ["no final newline", '{"a":1}\n{"b":2}', [1, 2]],
    ["a byte order mark", '\ufeff{"a":1}\n{"b":2}\n', [1, 2]],
    ["blank lines", '\n\r\n{"a":1}\n \t\r\n\n{"b":2}\n\n', [3, 6]],
    ["a byte order mark on a line of its own", '\ufeff\n{"a":1}\n{"b":2}', [2, 3]],
    ["white space around", '  {"a":1}\t\r\n\t{"b":2} ', [1, 2]],
  ])("I3: %s", (_name, text, numbers) => {
    const [first, second] = numbers;
    const expected = {
      fault: null,
      lines: [
        [first, '{"a":1}'],
        [second, '{"b":2}'],
      ],
    };
    expect(split([text])).toEqual(expected);
    expect(split([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it.each(["", "\n", "\ufeff", " \r\n\t", "\n\r\n\r"])("I3: nothing in %j", (text) => {
    expect(split([text])).toEqual({ lines: [], fault: null });
  });

  it("I3: only LF ends a line: U+2028, U+0085, form feed and a lone CR do not", () => {
    const text = '"\u2028\u2029\u0085\f\r"';
    expect(split([`${text}\n`]).lines).toEqual([[1, text]]);
  });

  it("a byte order mark is skipped only at the very start", () => {
    expect(split(["1\n\ufeff2\n"]).lines).toEqual([
      [1, "1"],
      [2, "\ufeff2"],
    ]);
  });

  it("whatever the chunks, the lines are the same", () => {
    const part = fc.constantFrom("\n", "\r\n", "\n\r", "\r", " ", "\ufeff", '{"é":"😀\u2028"}', "x".repeat(30), "[1]");
    const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 20 });
    const limits = fc.record({
      lineLimit: fc.constantFrom(10, 29, 30, 1000),
      lineCount: fc.constantFrom(1, 3, 1000),
    });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), cuts, limits, (parts, places, limit) => {
        const bytes = Buffer.from(parts.join(""));
        const at = [0, ...places.filter((place) => place < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const whole = split([bytes], limit);
        expect(split(chunks, limit)).toEqual(whole);
        const plain = bytes
          .toString()
          .replace(/^\ufeff/, "")
          .split("\n");
        const expected = plain.flatMap((text, index) => {
          const content = text.replace(/^[ \t\r]+|[ \t\r]+$/g, "");
          return content === "" ? [] : [[index + 1, content]];
        });
        expect(whole.lines).toEqual(whole.fault === null ? expected : expected.slice(0, whole.lines.length));
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ["12345\n1234\n", null],
    ["1\n123456\n", "line 2 is longer than 5 bytes"],
    ["1\n123456", "line 2 is longer than 5 bytes"],
    ["1\n      \n", "line 2 is longer than 5 bytes"],
    ["1\n2\n\n3", "line 4 is beyond the limit of 3 lines"],
    ["\n\n\n", null],
    ["\n\n\n\n", "line 4 is beyond the limit of 3 lines"],
  ])("S25: limits of 5 bytes a line and 3 lines: %j", (text, fault) => {
    expect(split([text], { lineLimit: 5, lineCount: 3 }).fault).toBe(fault);
  });

  it("S25: the lines before the fault are returned, and nothing after it", () => {
    const splitter = createLineSplitter({ lineLimit: 5, lineCount: 10 });
    expect(splitter.push(Buffer.from("1\n2\n123456\n3\n")).lines).toHaveLength(2);
    expect(splitter.push(Buffer.from("\n4\n"))).toEqual({ lines: [], fault: "line 3 is longer than 5 bytes" });
    expect(splitter.end()).toEqual({ lines: [], fault: "line 3 is longer than 5 bytes" });
  });

  it("S25: a line of 1 GB is refused at the limit, whatever the chunks, and is held in memory only once", () => {
    const limits = { lineLimit: 8 * 1_048_576, lineCount: 10 };
    for (const size of [65_536, 100]) {
      const before = process.memoryUsage().arrayBuffers;
      let pushed = 0;
      const splitter = createLineSplitter(limits);
      let fault: string | null = null;
      while (fault === null && pushed < 1e9) {
        fault = splitter.push(Buffer.alloc(size, "x")).fault;
        pushed += size;
      }
      expect(fault).toBe("line 1 is longer than 8,388,608 bytes");
      expect(pushed).toBeLessThanOrEqual(limits.lineLimit + size);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1_048_576);
    }
  });

  it("S25: blank lines are refused at the limit of lines", () => {
    const limits = { lineLimit: 100, lineCount: 10_000_000 };
    expect(split(repeated(Buffer.alloc(65_536, "\n"), 1526), limits)).toEqual({
      lines: [],
      fault: "line 10000001 is beyond the limit of 10,000,000 lines",
    });
  });
});

describe("parseLine", () => {
  it("gives the value, and notes", () => {
    expect(parseLine(line('{"a":1e400}'))).toEqual({
      ok: true,
      value: { a: Number.POSITIVE_INFINITY },
      notes: [{ kind: "number", path: "a", message: expect.stringMatching(/^is 1e400, /) }],
    });
  });

  it.each([
    ['{"a":1', /^line 500 is not valid JSON: .+ \(column 7\)$/],
    ["\ufeff{}", /^line 500 begins with a byte order mark/],
    ['{"s":[{"a":1,"a":2}]}', /^line 500 has the key "a" twice in one object \(s\[0\]\)$/],
    ["[".repeat(65), /^line 500 is nested deeper than 64 levels$/],
    ['{"__proto__":1}', /^line 500 is not valid JSON: .*forbidden prototype/],
  ])("I3: names the line of what is not JSON: %j", (text, reason) => {
    expect(parseLine(line(text, 500))).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  });

  it("I3: names the offset of a byte that is not UTF-8", () => {
    const reason = "line 7 is not UTF-8: invalid byte at offset 1";
    expect(parseLine({ number: 7, bytes: Uint8Array.of(0x22, 0xff, 0x22) })).toEqual({ ok: false, reason });
  });
});
