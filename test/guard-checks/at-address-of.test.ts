import { expect, test } from "vitest";
import type { RequestParts } from "../../src/checking/request-parts.ts";
import { atAddressOf } from "../../src/guard-checks/pages/form/form.ts";

const formAt = (path: string): RequestParts => ({
  method: "POST",
  url: `http://127.0.0.1:3000${path}`,
  headers: [],
  body: null,
  token: null,
  tokenIn: { placeholder: "token" },
});

test.each([
  ["another number", "/vow/1001?tab=1", "/vow/1002?tab=2", "/vow/1002?tab=1"],
  ["its number in a field, too", "/vow/1001?vow=1001", "/vow/1002?vow=1002", "/vow/1002?vow=1002"],
  ["the same path", "/vow?tab=1", "/vow?tab=2", null],
  ["a path with more parts", "/vow/1001", "/vow/1002/sign", null],
])("a form goes to the address of another: %s", (_, own, other, expected) => {
  const url = expected === null ? undefined : `http://127.0.0.1:3000${expected}`;
  expect(atAddressOf(formAt(own), formAt(other))?.url).toBe(url);
});
