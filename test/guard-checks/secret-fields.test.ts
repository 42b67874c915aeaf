import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { isWordOf } from "../../src/guard-checks/pages/form/secret-fields.ts";

const bytes = Buffer.from("Sésame7");
const sha256 = createHash("sha256").update(bytes);

describe("a password is in a script", () => {
  test.each([
    ["as a word", "pin === '2468'", true],
    ["in hex", `const pin = "${Buffer.from("2468").toString("hex").toUpperCase()}";`, true],
    ["in base64", `atob("${Buffer.from("2468").toString("base64")}")`, true],
    ["as a hash", `digest === "${createHash("md5").update("2468").digest("hex")}"`, true],
    ["as a part of a number", "const limit = 124680;", false],
    ["not at all", 'pin.length === 4 && pin !== "0000"', false],
  ])("%s: %s", (_, script, isInside) => {
    expect(isWordOf(script, "2468")).toBe(isInside);
  });

  test("whose letters are not ASCII, as a hash in base64", () => {
    expect(isWordOf(`check("${sha256.digest("base64")}")`, "Sésame7")).toBe(true);
  });
});
