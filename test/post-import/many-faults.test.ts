import { describe, expect, it } from "vitest";
import type { StringRecord } from "../../src/index.ts";
import type { CallHandler } from "../rig/fake-app.ts";
import { byUrl, importing, linesOf, returning } from "../rig/imports.ts";
import { always, jobWith, record } from "../rig/simulation.ts";
import { allUnchanged } from "../rig/strings.ts";

const broken = { uniqId: "1", identifier: "a", text: 5 };
const failed = { outcome: "failed", changes: allUnchanged(0) };

describe("after ten thousand faults the rest of an answer is not read", () => {
  it("inline", async () => {
    const { imported } = await importing(jobWith([]), always(returning(Array(30_000).fill(broken))));
    expect(imported).toMatchObject({ ...failed, received: { strings: 10_000 } });
    expect(imported.error).toMatch(/data\.strings\[0\]\.text: is 5.*\(and 9,?999 more: see the findings\)/);
    expect(imported.findings.at(-1)).toMatchObject({ message: "9900 more findings of this kind", notKept: 9900 });
  });

  it("by URL: the file may have no end", async () => {
    const lines = linesOf(Array(100).fill(broken));
    let isLeft = false;
    const endless: CallHandler = async (call) => {
      call.raw("HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n", { end: false });
      void call.closed.then(() => {
        isLeft = true;
      });
      while (!isLeft) {
        call.raw(lines, { end: false });
        await new Promise(setImmediate);
      }
    };
    const { imported } = await importing(jobWith([]), byUrl(endless));
    expect(imported).toMatchObject(failed);
    expect(imported.findings).toContainEqual(
      expect.objectContaining({
        check: "import.file.lines",
        message: "reading stopped at line 10001: too many faults",
      }),
    );
    expect(imported.error).toMatch(/\(and 10,000 more: see the findings\)/);
  });
});

describe("the report stays small, whatever names an app uses", () => {
  const huge = (index: number, kilobytes: number) => `${index}${"ä".repeat(kilobytes * 500)}`;
  const twenty = Array.from({ length: 20 }, (_, index) => huge(index, 100));

  it.each<[string, unknown[]]>([
    ["values", twenty.map((text) => ({ uniqId: "1", identifier: "a", text: [text] }))],
    ["identifiers", twenty.map((identifier) => ({ uniqId: "1", identifier, text: 5 }))],
    ["paths", twenty.map((id) => ({ ...record("1", "a"), translations: { [id]: 5 } }))],
    ["ids", twenty.flatMap((uniqId) => [record(uniqId, "a"), record(uniqId, "b")])],
    ["languages", twenty.map((id, index) => ({ ...record(`${index}`, "a"), translations: { [id]: { text: "b" } } }))],
    [
      "categories",
      twenty.map((name, index) => record(`${index}`, { one: "a", other: "b", [name]: "c" }, { hasPlurals: true })),
    ],
  ])("of faults: %s of 100 KB", async (_, received) => {
    const { imported } = await importing(jobWith([]), byUrl(linesOf(received)));
    expect(imported).toMatchObject(failed);
    expect(imported.findings.length).toBeGreaterThanOrEqual(20);
    for (const finding of imported.findings) expect(JSON.stringify(finding).length).toBeLessThan(10_000);
    expect(imported.error?.length).toBeLessThan(5000);
  });

  it.each<[string, (text: string, index: number) => StringRecord]>([
    ["texts", (text, index) => record(`${index}`, text)],
    ["identifiers", (identifier, index) => ({ uniqId: `${index}`, identifier, text: "a" })],
    ["ids", (uniqId) => record(uniqId, "a")],
    ["labels", (label, index) => record(`${index}`, "a", { labels: [label] })],
  ])("of changes: %s of a megabyte", async (_, recordOf) => {
    const received = Array.from({ length: 25 }, (_, index) => recordOf(huge(index, 1000), index));
    const { imported } = await importing(jobWith([]), byUrl(linesOf(received)));
    expect(imported).toMatchObject({ outcome: "imported", changes: { added: 25 } });
    const { strings } = imported.changes;
    expect(strings.length).toBeGreaterThan(5);
    expect(strings.length).toBeLessThan(20);
    expect(Buffer.byteLength(JSON.stringify(strings))).toBeLessThan(18 * 1024 * 1024);
  });
});

describe("changed ids of a large job", () => {
  const strings = Array.from({ length: 12_000 }, (_, index) => record(`${index}`, "Save"));
  const changedOf = (received: readonly StringRecord[]) => importing(jobWith(strings), byUrl(linesOf(received)));

  it("are reported if only the last string has another one", async () => {
    const { imported } = await changedOf([...strings.slice(0, -1), { ...record("11999", "Save"), uniqId: "new" }]);
    expect(imported.findings).toMatchObject([
      { check: "import.uniqId.changed", identifier: "key.11999", message: 'the uniqId "11999" came back as "new"' },
    ]);
  });

  it("are reported if all have others: the first ones, and the number", async () => {
    const { imported } = await changedOf(strings.map((string) => ({ ...string, uniqId: `new ${string.uniqId}` })));
    expect(imported).toMatchObject({ outcome: "imported", changes: { added: 12_000, removed: 12_000 } });
    const told = imported.findings.filter(({ check }) => check === "import.uniqId.changed");
    expect(told).toHaveLength(101);
    expect(told.at(0)?.message).toBe('the uniqId "0" came back as "new 0"');
    expect(told.at(-1)?.message).toMatch(/^\d{4} more findings of this kind$/);
  });
});
