import { expect, test } from "vitest";
import type { Evidence } from "../../src/checking/check.ts";
import type { Reply } from "../../src/checking/reply.ts";
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
  ["is asked nothing", {}, { result: "skip", reason: expect.stringContaining("nothing of this kind") }],
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
