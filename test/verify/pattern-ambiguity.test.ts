import { expect, test } from "vitest";
import { isExplosive } from "../../src/manifest-checks/pattern-ambiguity.ts";

test.each([
  "^(a+)+$",
  "(\\w+\\s?)*$",
  "^(.*,)*x$",
  "^(a|a)*b",
  "^(a|ab|b)*c$",
  "(x+x+)+y",
  "^([a-z0-9]+-?)+\\.json$",
  "^(?:[\\w.]+)*\\.xml$",
])("%s explodes", (pattern) => {
  expect(isExplosive(pattern)).toBe(true);
});

test.each([
  "\\.json$",
  "^.*\\.(json|xml)$",
  "^([\\w-]+\\.)+json$",
  "^(\\d+,)*\\d+$",
  "(\\w+\\s?)+",
  '^\\s*\\{[\\s\\S]*"strings"',
  "^(?:en|de|fr)(?:-[A-Z]{2})?\\.json$",
  "^(a|b)*c$",
  "^(?:/[^/]+)+\\.json$",
  "(?i)(a+)+$",
  "(a+)\\1+$",
  "(",
  "",
])("%s does not", (pattern) => {
  expect(isExplosive(pattern)).toBe(false);
});
