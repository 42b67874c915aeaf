import { expect, test } from "vitest";
import { ImportFindings } from "../../src/post-import/checks/import-findings.ts";
import { importFinding } from "../../src/post-import/checks/import-rules.ts";

const warning = (path: string) => importFinding("import.answer.names", path, "is ignored");
const failure = (path: string) => importFinding("import.string.shape", path, "is missing");

test("the first failure is kept, and all are counted, but not warnings", () => {
  const findings = new ImportFindings();
  expect([findings.fault, findings.faults, findings.list()]).toEqual([null, 0, []]);
  findings.add(warning("a"), failure("b"));
  findings.add(failure("c"));
  expect([findings.fault?.path, findings.faults]).toEqual(["b", 2]);
  expect(findings.list().map(({ path }) => path)).toEqual(["a", "b", "c"]);
});

test("of a check with more than a hundred findings, the rest is a number", () => {
  const findings = new ImportFindings();
  const add = (count: number) => findings.add(...Array.from({ length: count }, (_, index) => failure(`f${index}`)));
  findings.add(warning("w"));
  add(100);
  expect(findings.list()).toHaveLength(101);
  add(3);
  expect(findings.faults).toBe(103);
  expect(findings.list()).toHaveLength(102);
  expect(findings.list().at(-1)).toMatchObject({
    check: "import.string.shape",
    path: "data.strings",
    message: "3 more findings of this kind",
    notKept: 3,
  });
});

test.each<[string, unknown, number]>([
  ["a text", "x".repeat(2500), 2000],
  ["a list", ["x".repeat(2500)], 2000],
])("%s that an app sent is kept only in part", (_, value, characters) => {
  const findings = new ImportFindings();
  const finding = importFinding("import.string.shape", "p".repeat(2500), "m".repeat(2500), value);
  findings.add({ ...finding, identifier: "i".repeat(2500) });
  for (const kept of [findings.list()[0], findings.fault]) {
    const texts = [kept?.path, kept?.message, kept?.identifier, kept?.value] as readonly string[];
    expect(texts.map((text) => text.length <= characters + 1 && text.length >= characters)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  }
});

test.each([null, undefined, 5, ["a"], { a: 1 }, "a"])("a short value is kept as it is: %j", (value) => {
  const findings = new ImportFindings();
  findings.add({ ...failure("a"), value });
  expect(findings.list()[0]).toMatchObject({ path: "a", message: "is missing", identifier: null });
  expect(findings.list()[0]?.value).toEqual(value);
});
