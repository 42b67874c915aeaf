import { expect, test } from "vitest";
import { appAt } from "../../src/platform/app-at.ts";

test.each([
  ["http://127.0.0.1:80", "http://127.0.0.1:8000/x", null],
  ["http://127.0.0.1:80", "http://127.0.0.1/x", "http://127.0.0.1:80"],
  ["http://127.0.0.1:3000", "http://127.0.0.1:3000", "http://127.0.0.1:3000"],
  ["http://127.0.0.1:3000", "http://127.0.0.1:3000?a=b", "http://127.0.0.1:3000"],
  ["http://127.0.0.1:3000/", "http://127.0.0.1:30001/", null],
  ["http://127.0.0.1:3000", "https://127.0.0.1:3000/", null],
  ["http://app.example", "http://app.example.evil.example/", null],
  ["http://App.example/a", "http://app.example/a/guard", "http://App.example/a"],
  // The path of a module may lead out of the base path.
  ["http://app.example/a", "http://app.example/up", "http://app.example/a"],
  ["http://app.example/a http://app.example/ab", "http://app.example/ab/guard", "http://app.example/ab"],
  ["http://app.example http://app.example/ab", "http://app.example/ab", "http://app.example/ab"],
  ["http://app.example http://app.example/ab/", "http://app.example/ab?x", "http://app.example/ab/"],
  ["http://app.example/a http://app.example/ab", "http://app.example/abc", "http://app.example/a"],
  ["http://app.example", "not an address", null],
])("of the apps at %s, a request to %s went to %s", (apps, address, at) => {
  const installed = apps.split(" ").map((url) => ({ url }));
  expect(appAt(installed, address)?.url ?? null).toBe(at);
});
