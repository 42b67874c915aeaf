import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Via } from "../../src/post-import/import-result.ts";
import { base64Size, chooseTransport, type JobSizes } from "../../src/post-import/rules/import-transport.ts";

const limit = 10_000;

describe("2.3 strings and content travel", () => {
  it.each<[Via | "auto", JobSizes, strings: Via, content: Via]>([
    ["inline", { rest: 1000, strings: 10, content: 10 }, "inline", "inline"],
    ["inline", { rest: 1000, strings: 50_000, content: 50_000 }, "inline", "inline"],
    ["inline", { rest: 1000, strings: 10, content: null }, "inline", "url"],
    ["inline", { rest: 1000, strings: null, content: 10 }, "url", "inline"],
    ["url", { rest: 1000, strings: 0, content: 0 }, "url", "url"],
    ["url", { rest: 1000, strings: 50_000, content: null }, "url", "url"],
    ["auto", { rest: 1000, strings: 0, content: 0 }, "inline", "inline"],
    ["auto", { rest: 1000, strings: 6000, content: 3000 }, "inline", "inline"],
    ["auto", { rest: 1000, strings: 6001, content: 3000 }, "url", "inline"],
    ["auto", { rest: 1000, strings: 3000, content: 6001 }, "inline", "url"],
    ["auto", { rest: 1000, strings: 4501, content: 4501 }, "url", "inline"],
    ["auto", { rest: 1000, strings: 50_000, content: 3000 }, "url", "inline"],
    ["auto", { rest: 1000, strings: 3000, content: 50_000 }, "inline", "url"],
    ["auto", { rest: 1000, strings: 50_000, content: 50_000 }, "url", "url"],
    // Its address needs a place as well.
    ["auto", { rest: 1000, strings: 50_000, content: 8999 }, "url", "url"],
    ["auto", { rest: 1000, strings: null, content: 6000 }, "url", "inline"],
    ["auto", { rest: 1000, strings: null, content: 8999 }, "url", "url"],
    ["auto", { rest: 1000, strings: 6000, content: null }, "inline", "url"],
    ["auto", { rest: 1000, strings: 9001, content: null }, "url", "url"],
    ["auto", { rest: 1000, strings: null, content: null }, "url", "url"],
    ["auto", { rest: 10_001, strings: 0, content: 0 }, "url", "url"],
  ])("%s, of %j: strings %s, content %s", (via, sizes, strings, content) => {
    expect(chooseTransport(via, sizes, limit)).toEqual({ strings, content });
  });

  const size = fc.oneof(fc.nat(15_000), fc.integer({ min: 8500, max: 9500 }));

  it("by auto, inline if they fit, and by URL only as far as necessary", () => {
    fc.assert(
      fc.property(fc.nat(2000), fc.option(size), fc.option(size), (rest, strings, content) => {
        const sizes = { rest, strings, content };
        const transport = chooseTransport("auto", sizes, limit);
        const inline = (["strings", "content"] as const).filter((part) => transport[part] === "inline");
        expect(inline.every((part) => sizes[part] !== null)).toBe(true);
        const bytes = inline.reduce((sum, part) => sum + (sizes[part] ?? 0), rest);
        // An address of the platform: http://255.255.255.255:65535/files/ and 43 characters.
        if (inline.length > 0) expect(bytes + (2 - inline.length) * 100).toBeLessThanOrEqual(limit);
        if (strings !== null && content !== null && rest + strings + content <= limit) expect(inline).toHaveLength(2);
      }),
    );
  });
});

it("base64 has the calculated number of bytes", () => {
  for (let bytes = 0; bytes < 20; bytes++) {
    expect(base64Size(bytes)).toBe(Buffer.alloc(bytes).toString("base64").length);
  }
});
