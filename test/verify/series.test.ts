import { expect, test } from "vitest";
import type { Evidence, Trial } from "../../src/checking/check.ts";
import type { Reply } from "../../src/checking/reply.ts";
import type { RequestParts } from "../../src/checking/request-parts.ts";
import { seriesCheck } from "../../src/checking/series.ts";
import { webhookChecks } from "../../src/webhook-checks/checks.ts";

const [facts] = webhookChecks;

test.each<[what: string, answers: Readonly<Record<string, Reply["kind"]>>, expected: object]>([
  ["refuses all", { one: "refused", other: "refused" }, { result: "pass" }],
  ["takes one", { one: "refused", other: "accepted" }, { result: "fail", reason: "other: the app accepted" }],
  ["breaks on one as it may", { one: "refused", pardoned: "broken" }, { result: "pass" }],
  ["breaks on one as it may, and takes another", { one: "accepted", pardoned: "broken" }, { result: "fail" }],
  ["breaks on all as it may", { pardoned: "broken" }, { result: "skip", reason: "it may" }],
  [
    "breaks on one as it may not",
    { one: "refused", other: "broken" },
    { reason: expect.stringContaining("not a decision") },
  ],
  [
    "is asked nothing",
    {},
    { result: "skip", reason: expect.stringContaining("does not have what this check changes") },
  ],
])("an app that %s", (_, answers, expected) => {
  const check = seriesCheck({
    ...(facts ?? expect.fail("there are checks of webhooks")),
    severity: "must",
    right: "refused",
    requests: async () => ({}),
    pardon: (exchange) => (answers[exchange.id] === "broken" && exchange.id === "pardoned" ? "it may" : null),
  });
  const steps = Object.keys(answers).map((role) => ({ role, exchange: { id: role } }));
  const read = ({ id }: { readonly id: string }) => ({ kind: answers[id], says: answers[id] });
  expect(check.judge({ steps, read } as unknown as Evidence)).toMatchObject(expected);
});

test.each<
  [what: string, right: "accepted" | "decided" | "refused", answers: readonly Reply["kind"][], expected: object]
>([
  ["has to accept all and breaks", "accepted", ["broken"], { result: "fail", reason: "0: the app broken" }],
  ["has to accept all and does", "accepted", ["accepted"], { result: "pass" }],
  ["may decide", "decided", ["accepted", "refused"], { result: "pass" }],
  ["may decide and breaks", "decided", ["accepted", "broken"], { result: "fail", reason: "1: the app broken" }],
  [
    "has to refuse all, takes one and breaks on another",
    "refused",
    ["accepted", "broken"],
    { result: "fail", reason: "0: the app accepted; 1: the app broken" },
  ],
])("an app that %s", (_, right, answers, expected) => {
  const check = seriesCheck({
    ...(facts ?? expect.fail("there are checks of webhooks")),
    severity: "must",
    right,
    requests: async () => ({}),
  });
  const steps = answers.map((kind, index) => ({ role: `${index}`, exchange: { id: kind } }));
  const read = ({ id }: { readonly id: string }) => ({ kind: id, says: id });
  expect(check.judge({ steps, read } as unknown as Evidence)).toMatchObject(expected);
});

test("a series sends its requests in order, without those that this call cannot have", async () => {
  const sent: string[] = [];
  const request = { method: "POST" } as RequestParts;
  const check = seriesCheck({
    ...(facts ?? expect.fail("there are checks of webhooks")),
    right: "refused",
    requests: async (prepare) => ({ b: await prepare(), none: null, a: request }),
  });
  const send = async (name: string, parts: RequestParts) => sent.push(`${name} ${parts.method}`);
  await check.run({ prepare: async () => request, send } as unknown as Trial);
  expect(sent).toEqual(["b POST", "a POST"]);
});
