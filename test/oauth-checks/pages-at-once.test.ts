import { expect, test } from "vitest";
import type { OAuthEvidence } from "../../src/oauth-checks/evidence.ts";
import { LOGGED_IN, mixesTokens } from "../../src/oauth-checks/pages-at-once.ts";

const [ANNA, BEN] = [11, 22];

/** What `mixesTokens` reads of the visits: whose tokens the API got, by browser and visit. */
function evidenceOf(
  calls: Readonly<Record<string, readonly number[]>>,
  otherId = BEN,
  refused: readonly string[] = [],
) {
  const visits = Object.entries(calls).map(([name, ids]) => {
    const [browser, what] = name.split(":");
    const refusedCalls = refused.includes(name)
      ? [{ record: { step: "api", user: { id: BEN }, outcome: "refused" } }]
      : [];
    const accepted = ids.map((id) => ({ record: { step: "api", user: { id }, outcome: "ok" } }));
    return { browser, what, requests: [...refusedCalls, ...accepted] };
  });
  return { user: { id: ANNA }, other: { id: otherId }, visits } as unknown as OAuthEvidence;
}

/** Two users, each of whose pages calls the API once. */
const steady = { "C:use": [ANNA], "D:use": [BEN], "C:use-after": [ANNA], "D:use-after": [BEN] };

test.each([
  ["both calls have the token of one user", { ...steady, "C:both": [], "D:both": [BEN, BEN] }],
  ["only in the second round", { ...steady, "C:both": [ANNA], "D:both": [BEN], "D:both-again": [ANNA, ANNA] }],
  [
    "some of several calls",
    {
      "C:use": [ANNA, ANNA],
      "D:use": [BEN, BEN],
      "C:use-after": [ANNA, ANNA],
      "D:use-after": [BEN, BEN],
      "D:both": [ANNA, ANNA, ANNA, BEN],
    },
  ],
])("mixed tokens: %s", (_what, calls) => {
  expect(mixesTokens(evidenceOf(calls), LOGGED_IN)).toBe(true);
});

test.each([
  ["one call for each, attributed to one page", { ...steady, "C:both": [], "D:both": [BEN, ANNA] }],
  ["one page came from a cache", { ...steady, "C:both": [ANNA], "D:both": [] }],
  ["both pages came from a cache", { ...steady, "C:both": [], "D:both": [] }],
  ["a call was made again", { ...steady, "C:both": [ANNA], "D:both": [ANNA, BEN] }],
  ["pages after another are cached", { ...steady, "D:use-after": [], "D:both": [BEN, BEN] }],
  [
    "pages after another make unequal numbers of calls",
    { ...steady, "C:use-after": [ANNA, ANNA], "D:both": [BEN, BEN] },
  ],
  ["there are no such visits", {}],
])("no mixed tokens: %s", (_what, calls) => {
  expect(mixesTokens(evidenceOf(calls), LOGGED_IN)).toBe(false);
});

test("calls that the API refuses do not count: the app makes them again with a new token", () => {
  const refused = ["D:use-after", "D:both"];
  const own = { ...steady, "C:both": [ANNA], "D:both": [BEN] };
  expect(mixesTokens(evidenceOf(own, BEN, refused), LOGGED_IN)).toBe(false);
  const mixed = { ...steady, "C:both": [ANNA], "D:both": [ANNA] };
  expect(mixesTokens(evidenceOf(mixed, BEN, refused), LOGGED_IN)).toBe(true);
});

test("nothing is known about two sessions of one user", () => {
  const calls = { "C:use": [ANNA], "D:use": [ANNA], "C:use-after": [ANNA], "D:use-after": [ANNA], "D:both": [ANNA] };
  expect(mixesTokens(evidenceOf(calls, ANNA), LOGGED_IN)).toBe(false);
});
