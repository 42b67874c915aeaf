import { expect, test } from "vitest";
import type { Evidence } from "../../src/checking/check.ts";
import { codeChecks } from "../../src/guard-checks/codes.ts";
import type { Exchange } from "../../src/journal/exchange.ts";

/** A final call to this guard, and what it said. */
function called(role: string, moduleKey: string, kind: string) {
  const bytes = Buffer.from(JSON.stringify({ userId: 1, moduleKey }));
  const body = { size: bytes.length, base64: bytes.toString("base64") };
  return { role, exchange: { request: { body }, kind } as unknown as Exchange };
}

test("of a code that another guard accepts, the verdict names that guard", () => {
  const check = codeChecks.find(({ id }) => id === "guard.final.code.other-module");
  const steps = [
    called("unknown code 0", "network", "refused"),
    called("borrowed code 0", "network", "refused"),
    called("unknown code 1", "presence", "refused"),
    called("borrowed code 1", "presence", "accepted"),
  ];
  const read = (exchange: Exchange) => ({ ...exchange, says: "answered 200" });
  const evidence = { steps, read } as unknown as Evidence;
  expect(check !== undefined && "judge" in check && check.judge(evidence)).toMatchObject({
    result: "fail",
    reason: "the guard presence let the user in with a code of this guard's page",
    hint: expect.stringContaining("In the guard presence, "),
  });
});
