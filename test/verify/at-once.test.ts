import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { atOnce } from "../../src/checking/at-once.ts";
import type { RequestParts } from "../../src/checking/request-parts.ts";

const requests = Array.from(
  { length: 3 },
  (): RequestParts => ({
    method: "POST",
    url: "http://127.0.0.1/webhooks",
    headers: [],
    body: { json: {} },
    token: null,
    tokenIn: { scheme: "Bearer" },
  }),
);

/** Goes through the pauses of all requests, some of which cannot connect, and says what happened, in order. */
async function seenAtOnce(unconnected: readonly number[]): Promise<string[]> {
  const seen: string[] = [];
  await Promise.all(
    atOnce(requests).map(async ({ pauses }, index) => {
      await pauses?.beforeConnect();
      seen.push(`${index} connects`);
      await setImmediate();
      seen.push(`${index} ended`);
      pauses?.connectEnded();
      if (unconnected.includes(index)) return;
      await pauses?.beforeHead();
      seen.push("head");
      await pauses?.beforeLastByte();
      seen.push("last byte");
    }),
  );
  return seen;
}

const connecting = ["0 connects", "0 ended", "1 connects", "1 ended", "2 connects", "2 ended"];

test("simultaneous requests connect one after another, then send their heads together, then their last bytes", async () => {
  expect(await seenAtOnce([])).toEqual([...connecting, ...Array(3).fill("head"), ...Array(3).fill("last byte")]);
});

test("a request that cannot connect does not keep the others from being sent", async () => {
  expect(await seenAtOnce([0])).toEqual([...connecting, ...Array(2).fill("head"), ...Array(2).fill("last byte")]);
});
