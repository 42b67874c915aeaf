import { expect, test } from "vitest";
import { tornParts } from "../../src/import-checks/tools.ts";

test("every part but the last ends inside a character, and together they are the whole", () => {
  const bytes = Buffer.from("a їжа 🦔 b".repeat(50));
  const parts = tornParts(bytes, 5);
  expect(parts).toHaveLength(5);
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  for (const part of parts.slice(0, -1)) expect(part.toString()).toMatch(/\ufffd$/);
});

test("text in ASCII has no character to tear: the first part is the whole", () => {
  expect(tornParts(Buffer.from("only ASCII"), 3).map(String)).toEqual(["only ASCII", "", ""]);
});
