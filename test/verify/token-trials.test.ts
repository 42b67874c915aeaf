import { expect, test } from "vitest";
import type { Evidence, Trial } from "../../src/checking/check.ts";
import type { RequestParts } from "../../src/checking/request-parts.ts";
import { looseClaimTrials } from "../../src/checking/token-loose-claims.ts";
import { tokenPartsTrial } from "../../src/checking/token-parts-trial.ts";
import { tokenTrials } from "../../src/checking/token-trials.ts";
import type { Exchange } from "../../src/journal/exchange.ts";

const place = { prefix: "guard.token", area: "guard", what: "The guard" } as const;

/** The evidence of answers with these statuses; 200 lets the user in. */
function answered(...statuses: readonly number[]): Evidence {
  const steps = statuses.map((status) => ({ role: `of ${status}`, exchange: { response: { status } } as Exchange }));
  const kindOf = (status: number) => (status === 200 ? "accepted" : status < 500 ? "refused" : "broken");
  const read: Evidence["read"] = ({ response }) => {
    const status = response?.status ?? 0;
    return { kind: kindOf(status), says: `answered ${status}` } as ReturnType<Evidence["read"]>;
  };
  return { steps, read } as unknown as Evidence;
}

test.each<[statuses: number[], result: string, reason: string | null]>([
  [[401, 401], "pass", null],
  [[401, 500], "warn", "the app answered 500 to a token of 500"],
  [[500, 200], "fail", "the app answered 200 to a token of 200"],
  [[], "skip", "the correct request does not have what this check changes"],
])("a token whose parts are no objects, answered with %j: %s", (statuses, result, reason) => {
  expect(tokenPartsTrial(place).judge(answered(...statuses))).toMatchObject({ result, reason });
});

test.each<[steps: [role: string, status: number][], result: string, reason: string | null]>([
  [
    [
      ["first", 200],
      ["unseen", 401],
      ["again", 401],
    ],
    "pass",
    null,
  ],
  [
    [
      ["first", 200],
      ["unseen", 200],
      ["unseen", 401],
      ["again", 200],
    ],
    "fail",
    "the app answered 200",
  ],
  // The clock of the app stands still.
  [
    [
      ["first", 200],
      ["unseen", 200],
      ["unseen", 200],
    ],
    "fail",
    "the app answered 200",
  ],
  [
    [
      ["first", 401],
      ["unseen", 401],
    ],
    "skip",
    "it refuses tokens that expire soon",
  ],
  [[["first", 200]], "skip", "it was not sent"],
])("a token that expires between the requests %j: %s", (given, result, reason) => {
  const { read } = answered();
  const steps = given.map(([role, status]) => ({ role, exchange: { response: { status } } as Exchange }));
  const [check] = tokenTrials(place).filter(({ id }) => id === "guard.token.expired-again");
  const evidence = { steps, read, control: "accepted" } as unknown as Evidence;
  expect(check?.judge(evidence)).toMatchObject({ result, reason });
});

test.each([
  [
    "g",
    [
      "is missing",
      "is the right one in another letter case",
      "is the right one on a second line",
      "only starts with the right one",
    ],
  ],
  [
    "gg",
    [
      "is missing",
      "is the right one in another letter case",
      "is the first half of the right one",
      "is the right one on a second line",
      "only starts with the right one",
    ],
  ],
])("no value of a loose comparison equals the correct one: module %j", async (module, roles) => {
  const sent: string[] = [];
  const request = { token: { claims: { module } } } as unknown as RequestParts;
  const tools = {
    prepare: async () => request,
    send: async (role: string) => {
      sent.push(role);
      return {} as Exchange;
    },
  } as unknown as Trial;
  await looseClaimTrials(place)
    .find(({ id }) => id.endsWith("module-loose"))
    ?.run(tools);
  expect(sent).toEqual(roles);
});
