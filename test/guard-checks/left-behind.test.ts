import { expect, test } from "vitest";
import { withoutStackPlaces } from "../../src/guard-checks/pages/walk/left-behind.ts";

const address = "http://127.0.0.1:3000/page?jwtToken=eyJh.eyJz.c2ln";

test.each([
  ["an error with its stack", `Error: no\n    at ${address}:12:9\n    at async send (${address}:14:3)`, false],
  ["the page's address", `loaded ${address}`, true],
  ["an error that names the address", `Error: ${address} failed\n    at ${address}:12:9`, true],
])("the console holds the token after %s: only what the page itself wrote counts", (_, text, isLeft) => {
  expect(withoutStackPlaces(text).includes("eyJh.eyJz.c2ln")).toBe(isLeft);
});
