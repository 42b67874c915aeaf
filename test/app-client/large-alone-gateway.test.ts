import { expect, test } from "vitest";
import { largeAloneGateway } from "../../src/app-client/large-alone-gateway.ts";
import type { AppAnswer, AppCall } from "../../src/app-client/ports.ts";

const MIB = 1024 * 1024;
const response = { status: 200, headers: [], raw: Buffer.alloc(0), size: 0 };
const answered: AppAnswer = {
  ok: true,
  response,
  body: response.raw,
  sentHeaders: [],
  timings: { headersMs: 1, totalMs: 1 },
};

const callOf = (bytes: number, url = "http://127.0.0.1:3000/post-import"): AppCall => ({
  method: "POST",
  url,
  headers: [],
  body: Buffer.alloc(bytes),
  timeoutMs: 1000,
  sizeLimit: 1000,
});

/** A gateway in front of an app whose answers the test gives, in the order of the calls. */
function startGateway() {
  const sent: number[] = [];
  const replies: (() => void)[] = [];
  const gateway = largeAloneGateway({
    call: (call) =>
      new Promise((resolve) => {
        sent.push(call.body.length);
        replies.push(() => resolve(answered));
      }),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const send = async (...calls: readonly AppCall[]) => {
    const all = calls.map((call) => gateway.call(call));
    await settle();
    return all;
  };
  const reply = async (index: number) => {
    replies[index]?.();
    await settle();
  };
  return { sent, send, reply };
}

test("a large call waits for the others to the same app, and the next ones wait for it", async () => {
  const { sent, send, reply } = startGateway();
  const all = await send(callOf(1), callOf(MIB), callOf(2));
  expect(sent).toEqual([1]);
  await reply(0);
  expect(sent).toEqual([1, MIB]);
  await reply(1);
  expect(sent).toEqual([1, MIB, 2]);
  await reply(2);
  expect(await Promise.all(all)).toEqual([answered, answered, answered]);
});

test("small calls are made at the same time, and so are large ones", async () => {
  const { sent, send, reply } = startGateway();
  await send(callOf(1), callOf(2), callOf(MIB), callOf(MIB + 1));
  expect(sent).toEqual([1, 2]);
  await reply(0);
  await reply(1);
  expect(sent).toEqual([1, 2, MIB, MIB + 1]);
});

test("another app is not concerned", async () => {
  const { sent, send } = startGateway();
  await send(callOf(MIB), callOf(1, "http://127.0.0.1:3001/post-import"));
  expect(sent).toEqual([1, MIB]);
});
