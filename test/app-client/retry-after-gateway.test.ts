import { expect, test } from "vitest";
import type { AppAnswer, AppCall } from "../../src/app-client/ports.ts";
import { retryAfterGateway } from "../../src/app-client/retry-after-gateway.ts";

const call: AppCall = {
  method: "POST",
  url: "http://127.0.0.1:3000/webhooks",
  headers: [],
  body: Buffer.from("{}"),
  timeoutMs: 1000,
  sizeLimit: 1000,
};

function answerOf(status: number, retryAfter?: string): AppAnswer {
  const headers = retryAfter === undefined ? [] : [["Retry-After", retryAfter] as [string, string]];
  const response = { status, headers, raw: Buffer.alloc(0), size: 0 };
  return { ok: true, response, body: response.raw, sentHeaders: [], timings: { headersMs: 1, totalMs: 1 } };
}

/** A patient gateway in front of an app that answers so, one after another, and with the last again and again. */
function startGateway(answers: readonly AppAnswer[]) {
  const sent: AppCall[] = [];
  const pauses: number[] = [];
  const gateway = retryAfterGateway(
    {
      call: async (given) => {
        sent.push(given);
        return answers[sent.length - 1] ?? (answers.at(-1) as AppAnswer);
      },
    },
    { pause: async (milliseconds) => void pauses.push(milliseconds) },
  );
  return { gateway, sent, pauses };
}

test.each([429, 503])(
  "a request answered with %i and a short Retry-After is sent again after that time",
  async (status) => {
    const [first, second, last] = [answerOf(status, "1"), answerOf(status, "0"), answerOf(204)];
    const { gateway, sent, pauses } = startGateway([first, second, last]);
    expect(await gateway.call(call)).toEqual({ ...last, postponed: [first, second] });
    expect(pauses).toEqual([1000, 0]);
    expect(sent).toEqual([call, call, call]);
  },
);

test.each([
  ["no Retry-After", answerOf(429)],
  ["a long one", answerOf(429, "900")],
  ["a date", answerOf(503, "Wed, 21 Oct 2026 07:28:00 GMT")],
  ["another status", answerOf(401, "1")],
])("an answer with %s counts as it is", async (_, answer) => {
  const { gateway, sent } = startGateway([answer]);
  expect(await gateway.call(call)).toBe(answer);
  expect(sent).toHaveLength(1);
});

test("an app that asks for a later try every time is soon believed", async () => {
  const { gateway, sent } = startGateway([answerOf(503, "1")]);
  for (let count = 0; count < 4; count += 1) expect((await gateway.call(call)).response?.status).toBe(503);
  expect(sent).toHaveLength(3 * 6 + 1);
});

test("nothing is sent again once the run is over", async () => {
  const { gateway, sent } = startGateway([answerOf(503, "1")]);
  expect((await gateway.call({ ...call, signal: AbortSignal.abort() })).response?.status).toBe(503);
  expect(sent).toHaveLength(1);
});

test("while a request waits, others are not sent", async () => {
  const sent: string[] = [];
  let end = () => {};
  const rest = new Promise<void>((resolve) => {
    end = resolve;
  });
  const gateway = retryAfterGateway(
    {
      call: async ({ url }) => {
        sent.push(url);
        return sent.length === 1 ? answerOf(429, "1") : answerOf(204);
      },
    },
    { pause: () => rest },
  );
  const first = gateway.call({ ...call, url: "first" });
  // Until all that can go on has gone on: the first then waits.
  await new Promise(setImmediate);
  const second = gateway.call({ ...call, url: "second" });
  await new Promise(setImmediate);
  expect(sent).toEqual(["first"]);
  end();
  await Promise.all([first, second]);
  expect(sent.toSorted()).toEqual(["first", "first", "second"]);
});
