import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CallbackQuery,
  type CallbackRefusal,
  type CallbackVerdict,
  callbackWarnings,
  type IssuedState,
  judgeCallback,
} from "../../src/guard/rules/callback.ts";

const open: IssuedState = { domain: "acme", type: "redirect", status: "open" };
const query = (parts: Partial<CallbackQuery>): CallbackQuery => ({
  state: ["st4te"],
  code: [],
  error: [],
  others: [],
  ...parts,
});
const good = query({ code: ["c0de"] });

interface Refused {
  readonly what: string;
  readonly domain?: string;
  readonly query?: CallbackQuery;
  readonly issued?: IssuedState | null;
  readonly status: CallbackRefusal["status"];
  readonly reason: CallbackRefusal["reason"];
}

/** What languages write where a value is missing: a refusal quotes it. */
const noValueWords = ["undefined", "null", "None", "nil", "[object Object]"];

const refused: readonly Refused[] = [
  { what: "without a state", query: query({ state: [], code: ["c"] }), status: 400, reason: "state-missing" },
  { what: "with an empty state", query: query({ state: [""], code: ["c"] }), status: 400, reason: "state-missing" },
  {
    what: "with two states, though they are the same",
    query: query({ state: ["st4te", "st4te"], code: ["c"] }),
    status: 400,
    reason: "state-repeated",
  },
  { what: "with a state that nobody issued", issued: null, status: 400, reason: "state-unknown" },
  { what: "with the state of a frame guard", issued: { ...open, type: "frame" }, status: 400, reason: "state-unknown" },
  {
    what: "with the used state of a frame guard, about which nothing is told",
    issued: { ...open, type: "frame", status: "used" },
    status: 400,
    reason: "state-unknown",
  },
  { what: "in another domain", domain: "umbrella", status: 404, reason: "domain-foreign" },
  { what: "in a domain in other letters", domain: "ACME", status: 404, reason: "domain-foreign" },
  {
    what: "in another domain with a used state, about which nothing is told",
    domain: "umbrella",
    issued: { ...open, status: "used" },
    status: 404,
    reason: "domain-foreign",
  },
  { what: "with a used state", issued: { ...open, status: "used" }, status: 409, reason: "state-used" },
  { what: "with an expired state", issued: { ...open, status: "expired" }, status: 410, reason: "state-expired" },
  { what: "with neither code nor error", query: query({}), status: 400, reason: "return-missing" },
  { what: "with an empty code", query: query({ code: [""] }), status: 400, reason: "return-missing" },
  { what: "with an empty error", query: query({ error: [""] }), status: 400, reason: "return-missing" },
  {
    what: "with both, empty",
    query: query({ code: [""], error: [""] }),
    status: 400,
    reason: "return-missing",
  },
  {
    what: "with both",
    query: query({ code: ["c"], error: ["e"] }),
    status: 400,
    reason: "return-ambiguous",
  },
  { what: "with two codes", query: query({ code: ["c", "d"] }), status: 400, reason: "return-repeated" },
  { what: "with one code twice", query: query({ code: ["c", "c"] }), status: 400, reason: "return-repeated" },
  { what: "with two errors", query: query({ error: ["e", "f"] }), status: 400, reason: "return-repeated" },
  ...noValueWords.flatMap((word): Refused[] => [
    {
      what: `with the state ${word}`,
      query: query({ state: [word] }),
      issued: null,
      status: 400,
      reason: "state-unknown",
    },
    { what: `in the domain ${word}`, domain: word, status: 404, reason: "domain-foreign" },
  ]),
];

const refusals = refused.flatMap(({ domain = "acme", query = good, issued = open }) => {
  const verdict = judgeCallback(domain, query, issued);
  return verdict.ok ? [] : [verdict];
});

describe("4.1 a callback is refused", () => {
  test.each(refused)("$what: $reason, $status", ({ domain = "acme", query = good, issued = open, status, reason }) => {
    expect(judgeCallback(domain, query, issued)).toMatchObject({ ok: false, status, reason });
  });

  test("for every reason, each with its own message and hint", () => {
    const reasons: Record<CallbackRefusal["reason"], true> = {
      "state-missing": true,
      "state-repeated": true,
      "state-unknown": true,
      "state-used": true,
      "state-expired": true,
      "domain-foreign": true,
      "return-missing": true,
      "return-ambiguous": true,
      "return-repeated": true,
    };
    const messages = new Map(refusals.map(({ reason, message }) => [reason, message]));
    expect([...messages.keys()].sort()).toEqual(Object.keys(reasons).sort());
    expect(new Set(messages.values()).size).toBe(messages.size);
    for (const { hint } of refusals) expect(hint).toMatch(/^.{20,200}$/);
  });
});

describe("a parameter for which the app had no value is named", () => {
  const nobody = refusals.find(({ reason }) => reason === "state-unknown")?.hint;
  test.each<[string, Parameters<typeof judgeCallback>, string | undefined]>([
    [
      "a state",
      ["acme", query({ state: ["undefined"], code: ["c"] }), null],
      'the app sent "undefined" instead of the `state` of',
    ],
    [
      "a domain",
      ["None", good, open],
      'the app sent "None" instead of the organization\'s domain, the claim `domain` of',
    ],
    ["an empty code", ["acme", query({ code: [""] }), open], "its `code` is empty; the app redirects"],
    ["both empty", ["acme", query({ code: [""], error: [""] }), open], "its `code` and `error` are empty; the app"],
    ["no word for it", ["acme", query({ state: ["undefined1"], code: ["c"] }), null], nobody],
  ])("%s", (_, parts, hint) => {
    expect(judgeCallback(...parts)).toMatchObject({ ok: false, hint: expect.stringContaining(hint ?? "?") });
  });
});

describe("4.1 an empty outcome next to the other", () => {
  test.each<[string, Partial<CallbackQuery>, string[]]>([
    ["an empty error", { code: ["c"], error: [""] }, ["the callback has an empty `error` as well as `code`"]],
    ["an empty code", { code: [""], error: ["e"] }, ["the callback has an empty `code` as well as `error`"]],
    ["a code alone", { code: ["c"] }, []],
    ["an error alone", { error: ["e"] }, []],
    ["both, which is refused", { code: ["c"], error: ["e"] }, []],
    ["neither, which is refused", { code: [""], error: [""] }, []],
    ["two codes, which is refused", { code: ["c", "d"], error: [""] }, []],
    ["other parameters", { code: ["c"], others: [""] }, []],
  ])("%s", (_, parts, warnings) => {
    expect(callbackWarnings(query(parts), []).map((warning) => warning.split(":")[0])).toEqual(warnings);
  });
});

describe("4.1 a callback is accepted", () => {
  test.each<[string, Partial<CallbackQuery>, object]>([
    ["with a code", { code: ["c0de"] }, { code: "c0de" }],
    ["with an error", { error: ["no token at hand"] }, { error: "no token at hand" }],
    ["with a code and an empty error", { code: ["c"], error: [""] }, { code: "c" }],
    ["with an error and an empty code", { code: [""], error: ["e"] }, { error: "e" }],
    ["byte for byte", { code: [" %2B+\r\n<é>👋\u0000"] }, { code: " %2B+\r\n<é>👋\u0000" }],
  ])("%s", (_, parts, outcome) => {
    expect(judgeCallback("acme", query(parts), open)).toEqual({ ok: true, outcome });
  });
});

describe("any callback", () => {
  const text = fc.oneof(
    fc.constantFrom("", "acme", "umbrella", "__proto__", ...noValueWords),
    fc.string({ unit: "binary" }),
  );
  const values = fc.array(text, { maxLength: 3 });
  const others = fc.constant([]);
  const queries = fc.record({ state: values, code: values, error: values, others });
  const states: fc.Arbitrary<IssuedState | null> = fc.option(
    fc.record({
      domain: text,
      type: fc.constantFrom("redirect", "frame"),
      status: fc.constantFrom("open", "used", "expired"),
    }),
    { freq: 8 },
  );
  const emptyOrNot = fc.oneof(fc.constant(""), fc.string());
  /** Mostly well-formed, so that what is accepted is seen as well. */
  const likely = fc.oneof(
    queries,
    fc.record({
      state: fc.tuple(fc.oneof(fc.constantFrom(...noValueWords), fc.string({ minLength: 1 }))),
      code: fc.array(emptyOrNot, { maxLength: 1 }),
      error: fc.array(emptyOrNot, { maxLength: 1 }),
      others,
    }),
  );
  const domains = fc.oneof(fc.constant(null), text);

  /** Which callbacks the interface knows: one state, open, of a redirect, in its domain, with one code or one error. */
  function isGood(domain: string, { state, code, error }: CallbackQuery, issued: IssuedState | null): boolean {
    const given = [...code, ...error].filter((value) => value !== "");
    const isOpenHere = issued?.domain === domain && issued.type === "redirect" && issued.status === "open";
    const isWellFormed = state.length === 1 && state[0] !== "" && code.length < 2 && error.length < 2;
    return isOpenHere && isWellFormed && given.length === 1;
  }

  function assertAlways(check: (verdict: CallbackVerdict, good: boolean, query: CallbackQuery) => void): void {
    fc.assert(
      fc.property(domains, likely, states, (domain, callback, issued) => {
        const path = domain ?? issued?.domain ?? "acme";
        check(judgeCallback(path, callback, issued), isGood(path, callback, issued), callback);
      }),
      { numRuns: 2_000 },
    );
  }

  test("is judged, and accepted if and only if the interface shows it", () => {
    assertAlways((verdict, good) => expect(verdict.ok).toBe(good));
  });

  test("its values are passed on unchanged", () => {
    assertAlways((verdict, _, { code, error }) => {
      if (!verdict.ok) return;
      const { outcome } = verdict;
      const [passedOn, given] = "code" in outcome ? [outcome.code, code] : [outcome.error, error];
      expect(given).toEqual([passedOn]);
      expect(passedOn).not.toBe("");
    });
  });

  test("its values are not repeated in a refusal, except words for a missing value", () => {
    const texts = new Set(refusals.map(({ message }) => message));
    const hints = new Set(refusals.map(({ hint }) => hint));
    assertAlways((verdict) => {
      if (verdict.ok) return;
      expect(texts).toContain(verdict.message);
      expect(hints).toContain(verdict.hint);
    });
  });
});
