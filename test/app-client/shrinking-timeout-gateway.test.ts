import { expect, test } from "vitest";
import type { AppAnswer, AppCall } from "../../src/app-client/ports.ts";
import { shrinkingTimeoutGateway } from "../../src/app-client/shrinking-timeout-gateway.ts";

const call: AppCall = {
  method: "POST",
  url: "http://127.0.0.1:3000/guards/network?now",
  headers: [],
  body: Buffer.from("{}"),
  timeoutMs: 10_000,
  sizeLimit: 1000,
};
const facts = { sentHeaders: [], response: null } as const;

function answeredAfter(totalMs: number): AppAnswer {
  const response = { status: 200, headers: [], raw: Buffer.alloc(0), size: 0 };
  return { ...facts, ok: true, response, body: response.raw, timings: { headersMs: totalMs, totalMs } };
}

const unanswered: AppAnswer = {
  ...facts,
  ok: false,
  outcome: { kind: "timed-out", phase: "headers", limitMs: 10_000 },
  timings: { headersMs: null, totalMs: 10_000 },
};

/** A gateway to an app with these answers, and the time limit that it then gives a call. */
async function limitAfter(answers: readonly AppAnswer[], next: Partial<AppCall> = {}): Promise<number> {
  const given: number[] = [];
  const gateway = shrinkingTimeoutGateway({
    call: async ({ timeoutMs }) => {
      given.push(timeoutMs);
      return answers[given.length - 1] ?? unanswered;
    },
  });
  for (const _ of answers) await gateway.call(call);
  await gateway.call({ ...call, ...next });
  return given.at(-1) ?? 0;
}

test.each([
  ["never ran out of time", [answeredAfter(9)], 10_000],
  ["ran out of time once", [unanswered], 10_000],
  ["ran out of time twice", [unanswered, unanswered], 2_000],
  ["answers now and then", [answeredAfter(9), unanswered, answeredAfter(9), unanswered], 2_000],
  ["is slow where it answers", [unanswered, answeredAfter(1_200), unanswered], 4_000],
  ["is nearly too slow", [unanswered, answeredAfter(9_000), unanswered], 10_000],
])("an address that %s", async (_, answers, limitMs) => {
  expect(await limitAfter(answers)).toBe(limitMs);
});

test("the address counts without its query, and waiting inside a call does not count against the app", async () => {
  const hangs = [unanswered, unanswered];
  const pauses = {
    beforeConnect: async () => {},
    connectEnded: () => {},
    beforeHead: async () => {},
    beforeLastByte: async () => {},
  };
  expect(await limitAfter(hangs, { url: "http://127.0.0.1:3000/guards/network?then" })).toBe(2_000);
  expect(await limitAfter(hangs, { timeoutMs: 1_000 })).toBe(1_000);
  expect(await limitAfter(hangs, { url: "http://127.0.0.1:3000/guards/terms" })).toBe(10_000);
  expect(await limitAfter(hangs, { url: "http://127.0.0.1:3001/guards/network" })).toBe(10_000);
  expect(await limitAfter(hangs, { method: "GET" })).toBe(10_000);
  expect(await limitAfter(hangs, { pauses })).toBe(10_000);
});
