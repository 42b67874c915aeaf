import { describe, expect, test } from "vitest";
import { tokenExplanationSchema } from "../../src/index.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";

// Nothing listens there: nothing is sent.
const base = ["guard", "--app", "http://127.0.0.1:9", "--module", "network"];
const env = { APP_SIM_CLIENT_SECRET: "canary-secret" };
const explain = (...args: string[]) => runLine([...base, ...args], { env });

describe("app-sim guard --explain", () => {
  test("as text: the token, code for Node.js, what to compare, and the names of the other languages", async () => {
    const { code, stdout, stderr } = await explain("--explain");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain('Header: {"alg":"HS256","typ":"JWT"}\nClaims: {"aud":"app-sim-client","sub":"104"');
    expect(stdout).toContain("PLATFORM_CLIENT_SECRET");
    expect(stdout).toContain("if (claims.aud !== clientId) return null;");
    expect(stdout).toContain(
      "userId is sub as a number, and organizationId is context.organization_id, and moduleKey is module.",
    );
    expect(stdout).toContain("Refuse a token whose module is the key of another module, too.");
    expect(stdout).toContain("other languages: --explain python, php, go, ruby, java, csharp");
    expect(stdout).not.toMatch(/canary|ALGORITHM|_CLAIM|HASH|SECRET,|KEYS_URL/);
  });

  test.each([
    ["python", "def verify("],
    ["PHP", "hash_equals("],
    ["c#", "public static JsonElement? Verify("],
  ])("%s", async (language, code) => {
    const { stdout } = await explain("--explain", language);
    const [, verifier = ""] = stdout.split("Verified in ");
    expect(verifier).toContain(code);
    expect(verifier).not.toContain("createHmac");
  });

  test("as JSON: the claims as they are configured, and code for every language", async () => {
    const claims = 'guard.jwt.claims={"rename":{"aud":"client"},"drop":["exp","module"]}';
    const { code, stdout } = await explain("--explain", "--format", "json", "--choose", claims);
    const result = onlyObject(stdout);
    expect(code).toBe(0);
    expect(tokenExplanationSchema.parse(result)).toEqual(result);
    expect(result.claims).toMatchObject({ client: "app-sim-client", sub: "104" });
    expect(result.names).toEqual({ module: null, user: "sub", organization: "context.organization_id" });
    expect(result.verifiers).toHaveLength(7);
    expect(result.verifiers[0].code).toContain("claims.client !== clientId");
    expect(result.verifiers[0].code).not.toContain("claims.exp");
  });

  test("for the platform's key pair only Node.js has code, and the others learn where the keys are", async () => {
    const port = await unusedPort();
    const keys = ["--choose", "guard.jwt.algorithm=ES256", "--port", `${port}`];
    const { stdout } = await explain("--explain", ...keys);
    expect(stdout).toContain(`new URL("http://127.0.0.1:${port}/.well-known/jwks.json")`);
    const { code, stderr } = await explain("--explain", "python", ...keys, "--format", "json");
    expect(code).toBe(2);
    expect(onlyObject(stderr).error).toMatchObject({
      code: "language-unknown",
      hint: expect.stringContaining("languages: node; any JWT library can verify them with the keys at http"),
    });
  });

  test("a language without code is refused, with the nearest", async () => {
    const { code, stdout, stderr } = await explain("--explain", "pyhton", "--format", "json");
    expect([code, stdout]).toEqual([2, ""]);
    expect(onlyObject(stderr).error).toMatchObject({ message: expect.stringContaining('Did you mean "python"?') });
  });
});
