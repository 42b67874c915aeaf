import { expect, it } from "vitest";
import { sizeLimit } from "../../src/protocol/limits.ts";

it.each([
  ["5MiB", 5_242_880],
  ["5MB", 5_000_000],
  [2048, 2048],
] as const)("the size limit %s is %i bytes", (value, bytes) => {
  expect(sizeLimit(value)).toBe(bytes);
});
