import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signatureResultSchema } from "../../src/index.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";

// Nothing listens there: nothing is sent.
const base = ["webhook", "project.translated", "--app", "http://127.0.0.1:9", "--seed", "7"];
const env = { APP_SIM_APP_SECRET: "canary-secret" };
const explain = (...args: string[]) => runLine([...base, ...args], { env });

describe("app-sim webhook --explain", () => {
  test("as text: each step, code for Node.js, and the names of the other languages", async () => {
    const { code, stdout, stderr } = await explain("--explain");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Signed: the \d+ bytes of the body\n {2}\{"events":\[/);
    expect(stdout).toContain('import { createHmac, timingSafeEqual } from "node:crypto";');
    expect(stdout).toContain("other languages: --explain python, php, go, ruby, java, csharp");
    expect(stdout).not.toContain("canary");
  });

  test.each([
    ["python", "def verify("],
    ["PHP", "hash_equals("],
    ["c#", "public static bool Verify("],
  ])("%s", async (language, code) => {
    const { stdout } = await explain("--explain", language);
    const [, verifier = ""] = stdout.split("Verified in ");
    expect(verifier).toContain(code);
    expect(verifier).not.toContain("createHmac");
  });

  test("as JSON: every language, and a signature that is right", async () => {
    const { code, stdout, stderr } = await explain("--explain", "--format", "json");
    expect([code, stderr]).toEqual([0, ""]);
    const result = onlyObject(stdout);
    expect(signatureResultSchema.parse(result)).toEqual(result);
    expect(result.verifiers).toHaveLength(7);
    const signed = Buffer.from(result.signed.base64, "base64");
    expect(result.header.value).toBe(createHmac("sha256", "canary-secret").update(signed).digest("hex"));
    expect(stdout).not.toContain("canary");
  });

  test("a language without code is refused, with the nearest", async () => {
    const { code, stdout, stderr } = await explain("--explain", "pyhton", "--format", "json");
    expect([code, stdout]).toEqual([2, ""]);
    expect(onlyObject(stderr).error).toMatchObject({
      code: "language-unknown",
      message: expect.stringContaining('Did you mean "python"?'),
      hint: expect.stringContaining("node, python, php, go, ruby, java, csharp"),
    });
  });
});
