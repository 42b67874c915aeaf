import { expect, test } from "vitest";
import type { AppAnswer, AppCall } from "../../src/app-client/ports.ts";
import { reconnectingGateway } from "../../src/app-client/reconnecting-gateway.ts";
import type { CallPhase } from "../../src/journal/exchange.ts";

const call: AppCall = {
  method: "POST",
  url: "http://127.0.0.1:3000/guards/network",
  headers: [],
  body: Buffer.from("{}"),
  timeoutMs: 1000,
  sizeLimit: 1000,
};
const sentHeaders: AppAnswer["sentHeaders"] = [];
const response = { status: 200, headers: [], raw: Buffer.alloc(0), size: 0 };
const answered: AppAnswer = {
  ok: true,
  response,
  body: response.raw,
  sentHeaders,
  timings: { headersMs: 1, totalMs: 1 },
};

function timedOut(phase: CallPhase): AppAnswer {
  const outcome = { kind: "timed-out", phase, limitMs: 1000 } as const;
  return { ok: false, outcome, response: null, sentHeaders, timings: { headersMs: null, totalMs: 1000 } };
}

/** What the last of several calls comes to, if the app answers so, one call after another. */
async function lastOf(calls: number, answers: readonly AppAnswer[]) {
  let sent = 0;
  const gateway = reconnectingGateway({
    call: async () => {
      sent += 1;
      return answers[sent - 1] ?? answered;
    },
  });
  for (let count = 1; count < calls; count += 1) await gateway.call(call);
  return { last: await gateway.call(call), sent };
}

test("a call that never got a connection is made once more, if the app has answered before", async () => {
  const lost = timedOut("connect");
  expect(await lastOf(2, [answered, lost, answered])).toEqual({ last: { ...answered, postponed: [lost] }, sent: 3 });
  expect(await lastOf(2, [answered, lost, lost])).toEqual({ last: { ...lost, postponed: [lost] }, sent: 3 });
});

test.each<[string, number, AppAnswer[]]>([
  ["of an app that has never answered", 1, [timedOut("connect")]],
  ["that waited for the head of the answer", 2, [answered, timedOut("headers")]],
  ["that waited for the rest of the answer", 2, [answered, timedOut("body")]],
])("a call %s is not repeated", async (_, calls, answers) => {
  expect(await lastOf(calls, answers)).toEqual({ last: answers.at(-1), sent: calls });
});
