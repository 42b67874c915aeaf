import { expect, test } from "vitest";
import { otherThan, withOtherEnd } from "../../src/checking/other-value.ts";

test.each([
  ["letters and digits", "Az9-b", "Ba0-c", "Az9-c"],
  ["one character", "5", "6", "6"],
  ["letters beyond ASCII", "пароль", "парольx", "парольx"],
  ["an end of marks", "abc---", "bcd---", "abc---x"],
])("another value than %s is never the same", (_, value, other, withEnd) => {
  expect([otherThan(value), withOtherEnd(value)]).toEqual([other, withEnd]);
});
