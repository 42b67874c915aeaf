import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/protocol/usage-error.ts";

describe("UsageError", () => {
  it.each([
    ["no problem", [], "it is wrong"],
    ["one problem", [{ path: "a.b", message: "is 1" }], "it is wrong: a.b is 1"],
    [
      "several problems",
      [
        { path: "a", message: "is 1" },
        { path: "b[0]", message: "is missing" },
      ],
      "it is wrong: a is 1; b[0] is missing",
    ],
    ["a problem of the whole", [{ path: "", message: "is null" }], "it is wrong: is null"],
  ])("has a summary, and a message that also includes %s", (_, problems, message) => {
    const error = new UsageError("config-invalid", "it is wrong", "try this", problems);
    expect(error).toMatchObject({ name: "UsageError", code: "config-invalid", hint: "try this", problems });
    expect(error.summary).toBe("it is wrong");
    expect(error.message).toBe(message);
    expect(String(error)).toBe(`UsageError: ${message}`);
  });
});
