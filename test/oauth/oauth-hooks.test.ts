import { expect, it, test } from "vitest";
import type { Changeable } from "../../src/index.ts";
import { callApi, codeFor, exchange, startPlatform, tokens } from "../rig/oauth.ts";

type Name = keyof Changeable;

/** What the platform answers, and what it tells of, where a change of the next token answer goes wrong. */
async function wrongChange(name: Name, change: unknown) {
  const told: string[] = [];
  await using sim = await startPlatform({ onTrouble: (message) => told.push(message) });
  const code = await codeFor(sim);
  sim.oauth.once(name, change as never);
  const answer = await exchange(sim, { code });
  return { status: answer.status, body: answer.body, told };
}

it.each<[string, Name, unknown, RegExp]>([
  ["nothing", "token", () => {}, /returned/],
  ["a promise", "claims", async () => ({}), /returned/],
  ["a part of an answer", "token", () => ({ status: 200 }), /returned/],
  ["a body that is no text", "token", () => ({ status: 200, headers: {}, body: {} }), /returned/],
  ["a header of two lines", "token", () => ({ status: 200, headers: { x: "a\r\nb: c" }, body: "" }), /returned/],
  ["a status that ends nothing", "token", () => ({ status: 100, headers: {}, body: "" }), /returned/],
  [
    "an error that it throws",
    "token",
    () => {
      throw new Error("expected 200");
    },
    /threw Error: expected 200/,
  ],
])("a change that returns %s is not sent, and is reported as the caller's mistake", async (_, name, change, said) => {
  const { status, body, told } = await wrongChange(name, change);
  expect(status).toBe(500);
  expect(body).toMatch(said);
  expect(body).not.toContain("bug");
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(`"${name}"`);
});

test("an unknown name, and an invalid change, are refused immediately", async () => {
  await using sim = await startPlatform();
  expect(() => sim.oauth.once("tokn" as Name, (value) => value)).toThrow("oauth.once()");
  expect(() => sim.oauth.once("token", undefined as never)).toThrow("expected a function");
});

test("pending changes can be dropped", async () => {
  await using sim = await startPlatform();
  sim.oauth.once("api", (answer) => ({ ...answer, status: 418 }));
  sim.oauth.forget();
  const { access_token: token } = await tokens(sim);
  expect((await callApi(sim, token)).status).toBe(200);
});

test("the answer to too many calls can be changed like any other of the API", async () => {
  await using sim = await startPlatform({ choices: { "api.rateLimit": 1 }, faults: ["api=slow:300msx1"] });
  const { access_token: token } = await tokens(sim);
  const slow = callApi(sim, token);
  const other = callApi(sim, token);
  sim.oauth.once("api", (answer) => ({ ...answer, status: answer.status + 1 }));
  expect([await slow, await other].map(({ status }) => status).sort()).toEqual([200, 430]);
});
