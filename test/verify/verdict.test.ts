import { describe, expect, test } from "vitest";
import type { CheckFacts, Evidence, ObservationCheck, TrialCheck, TwinCheck } from "../../src/checking/check.ts";
import { resultOf } from "../../src/checking/check-result.ts";
import { evidenceOf, exchangesOf } from "../../src/checking/evidence.ts";
import {
  answerOf,
  type Reply,
  readAskedReply,
  readGuardReply,
  readWebhookReply,
  replyTo,
} from "../../src/checking/reply.ts";
import { judgeCheck, skipVerdict } from "../../src/checking/verdict.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";

const facts = { id: "guard.token.expired", severity: "must" } as CheckFacts;
const twinCheck = (changes: Partial<TwinCheck> = {}): TwinCheck => ({
  ...facts,
  changes: "token",
  right: "refused",
  twin: () => null,
  ...changes,
});
const trial = (changes: Partial<TrialCheck> = {}): TrialCheck => ({
  ...facts,
  run: async () => undefined,
  judge: () => ({ result: "warn", reason: "as it judges" }),
  ...changes,
});

/** An exchange whose answer means this: its id. */
const meaning = (kind: Reply["kind"] | "timed-out", changes: Partial<Exchange> = {}): Exchange =>
  exchangeRecord(kind, {
    ...(kind === "timed-out" ? { outcome: { kind, phase: "headers" } as never } : {}),
    ...changes,
  });
const status = (kind: Reply["kind"], code: number) =>
  meaning(kind, { response: { status: code, headers: [], body: recordBody(Buffer.from("")) } });
const read = ({ id }: Exchange): Reply => ({ kind: id as Reply["kind"], says: `was ${id}` });
const steps = (exchange: Exchange, role = "twin") => [{ role, exchange }];

const right = meaning("accepted");
const evidence = (changes: Partial<Evidence>): Evidence => ({
  app: {} as Evidence["app"],
  before: right,
  after: right,
  isAfterNext: true,
  control: "accepted",
  steps: steps(meaning("refused")),
  landing: (exchange) => exchange,
  read,
  ...changes,
});

describe("a check of a wrong request", () => {
  test.each<[string, Partial<TwinCheck>, Partial<Evidence>, object]>([
    ["passes if it is refused", {}, {}, { result: "pass", reason: null }],
    ["fails if it is accepted", {}, { steps: steps(right) }, { result: "fail", reason: "the app was accepted" }],
    ["warns if it should be refused", { severity: "should" }, { steps: steps(right) }, { result: "warn" }],
    [
      "fails if the app breaks",
      {},
      { steps: steps(meaning("broken")) },
      { result: "fail", reason: "the app was broken, which is not a decision" },
    ],
    [
      "has a fix for an app that breaks",
      { fixIfBroken: "catch it" },
      { steps: steps(meaning("broken")) },
      { result: "fail", hint: "catch it" },
    ],
    [
      "warns of an answer that is neither",
      {},
      { steps: steps(meaning("unclear")) },
      { result: "warn", reason: "the app was unclear, which is neither yes nor no" },
    ],
    [
      "is skipped if the answer is the one to a correct request",
      {},
      { control: "asked", before: meaning("asked"), after: meaning("asked"), steps: steps(meaning("asked")) },
      { result: "skip", reason: "the app was asked, as to the correct request: a refusal would look the same" },
    ],
    ["is skipped without a request", {}, { steps: [] }, { result: "skip" }],
    [
      "is judged by the last of several",
      {},
      { steps: [...steps(right), ...steps(meaning("refused"))] },
      { result: "pass" },
    ],
    [
      "is judged without the requests of other roles",
      {},
      { steps: [...steps(meaning("refused")), ...steps(right, "x")] },
      { result: "pass" },
    ],
    [
      "fails if the address in it is requested",
      {},
      { steps: [...steps(meaning("refused")), ...steps(right, "twin/read")] },
      { result: "fail", reason: "the app requested the address in the token" },
    ],
    ["may want it accepted", { right: "accepted" }, { steps: steps(right) }, { result: "pass" }],
    ["may want it accepted, not refused", { right: "accepted" }, {}, { result: "fail", reason: "the app was refused" }],
    [
      "may want it answered as the right one",
      { right: "accepted" },
      { control: "asked", before: meaning("asked"), after: meaning("asked"), steps: steps(meaning("asked")) },
      { result: "pass" },
    ],
    ["may leave it to the app to accept it", { right: "decided" }, { steps: steps(right) }, { result: "pass" }],
    ["may leave it to the app to refuse it", { right: "decided" }, {}, { result: "pass" }],
    [
      "does not leave it to the app to break",
      { right: "decided" },
      { steps: steps(meaning("broken")) },
      { result: "fail" },
    ],
    [
      "does not leave it to the app to say neither",
      { right: "decided" },
      { steps: steps(meaning("unclear")) },
      { result: "warn" },
    ],
  ])("%s", (_, changes, seen, expected) => {
    expect(judgeCheck(twinCheck(changes), evidence(seen))).toMatchObject(expected);
  });
});

describe("the correct request next to a check", () => {
  const gone = { result: "fail", reason: "the app was gone after it" };
  const silent = { result: "fail", reason: "the app answered neither it nor the correct request after it" };

  test.each<[string, Partial<Evidence>, object]>([
    ["may be missing", { before: null, after: null }, { result: "pass" }],
    [
      "must be accepted before",
      { before: meaning("refused"), after: meaning("gone") },
      { result: "inconclusive", reason: "on the correct request before it, the app was refused" },
    ],
    [
      "must be accepted after",
      { after: meaning("refused") },
      { result: "inconclusive", reason: "on the correct request after it, the app was refused" },
    ],
    ["must find an app after it", { after: meaning("gone") }, gone],
    [
      "says nothing of an app that another check brought down",
      { after: meaning("gone"), isAfterNext: false },
      { result: "inconclusive" },
    ],
    [
      "is of no use if the check found no app",
      { steps: steps(meaning("broken", { outcome: { kind: "unreachable" } as never })) },
      gone,
    ],
    [
      "must not be silent after one of several requests without an answer",
      { after: meaning("timed-out"), steps: [...steps(meaning("timed-out")), ...steps(meaning("refused"))] },
      silent,
    ],
    [
      "must not be as silent as the check's",
      { after: meaning("timed-out"), steps: steps(meaning("timed-out")) },
      silent,
    ],
    [
      "must not be silent after a connection that was closed",
      { after: meaning("timed-out"), steps: steps(meaning("broken", { outcome: { kind: "disconnected" } as never })) },
      silent,
    ],
    [
      "must not be closed, as the check's connection was",
      {
        after: meaning("broken", { outcome: { kind: "disconnected" } as never }),
        steps: steps(meaning("broken", { outcome: { kind: "disconnected" } as never })),
      },
      silent,
    ],
    [
      "is silent for itself after an answer",
      { after: meaning("timed-out") },
      { result: "inconclusive", hint: expect.stringContaining("while the machine is less busy") },
    ],
    [
      "is silent for itself after another check",
      { after: meaning("timed-out"), isAfterNext: false, steps: steps(meaning("timed-out")) },
      { result: "inconclusive" },
    ],
    [
      "does not excuse a silent check",
      { steps: steps(meaning("timed-out", { id: "broken" })) },
      { result: "fail", reason: "the app was broken, which is not a decision" },
    ],
  ])("%s", (_, seen, expected) => {
    expect(judgeCheck(twinCheck(), evidence(seen))).toMatchObject(expected);
  });

  test.each<[string, TrialCheck, Exchange, object]>([
    ["leaves the rest to the check", trial(), right, { result: "warn", reason: "as it judges" }],
    ["proves nothing", trial(), status("refused", 401), { result: "inconclusive" }],
    [
      "is what some checks are about",
      trial({ isAboutAfter: true }),
      status("refused", 401),
      { result: "fail", reason: "on the correct request after it, the app was refused" },
    ],
    ["is not, if it is not so", trial({ isAboutAfter: false }), status("refused", 401), { result: "inconclusive" }],
    ["proves nothing of a busy app", trial({ isAboutAfter: true }), status("refused", 429), { result: "inconclusive" }],
    [
      "proves nothing of an app at its limit",
      trial({ isAboutAfter: true }),
      status("broken", 503),
      { result: "inconclusive" },
    ],
    [
      "proves a fault without an answer",
      trial({ isAboutAfter: true }),
      meaning("broken", { response: null }),
      { result: "fail" },
    ],
  ])("%s", (_, check, after, expected) => {
    expect(judgeCheck(check, evidence({ after }))).toMatchObject(expected);
  });
});

test("a check that was not tried is inconclusive if an answer did not come in time", () => {
  const untried = trial({ judge: () => skipVerdict("the page has no form") });
  expect(judgeCheck(untried, evidence({ steps: steps(right, "opened") }))).toMatchObject({ result: "skip" });
  expect(judgeCheck(untried, evidence({ steps: steps(meaning("timed-out"), "opened") }))).toEqual({
    result: "inconclusive",
    reason: "an answer that it needs did not come in time",
    hint: expect.stringMatching(/^run it again while the machine is less busy; /),
  });
});

/** An exchange of a check. */
const of = (id: string, checkId: string | null, role: string, changes: Partial<Exchange> = {}) =>
  exchangeRecord(id, { check: { run: 1, subject: "guard", id: checkId, role }, ...changes });

describe("the evidence of a check", () => {
  const order = [
    of("c1", null, "control"),
    of("c2", null, "control"),
    of("s", "a", "step"),
    of("t", "a", "twin"),
    of("f", "a", ">twin"),
    of("o", "b", "twin"),
    of("u", "a", "other"),
    of("c3", null, "control"),
    of("c4", null, "control"),
  ];
  const ofCheck = (id: string, exchanges = order) =>
    evidenceOf(exchanges, id, {
      app: {} as Evidence["app"],
      read: (exchange, control) => ({ kind: "accepted", says: `${exchange.id} by ${control?.id}` }),
    });

  test("is its own requests between the correct ones next to them", () => {
    const { before, after, control, steps, isAfterNext } = ofCheck("a");
    expect([before?.id, after?.id, control, isAfterNext]).toEqual(["c2", "c3", "accepted", true]);
    expect(steps.map(({ role, exchange }) => `${role} ${exchange.id}`)).toEqual(["twin t", "other u"]);
  });

  test("knows whether another check came first", () => {
    expect(ofCheck("b").isAfterNext).toBe(false);
    expect(ofCheck("b")).toMatchObject({ before: { id: "c2" }, after: { id: "c3" } });
  });

  test("is the first correct request if it sent nothing", () => {
    expect(ofCheck("x")).toMatchObject({ before: { id: "c1" }, after: null, steps: [], isAfterNext: true });
  });

  test.each<[string, readonly Exchange[]]>([
    ["a request of no check", [of("t", "a", "twin"), of("s", null, "search"), of("c", null, "control")]],
    ["its own preparation", [of("t", "a", "twin"), of("s", "a", "step"), of("c", null, "control")]],
    ["another check afterwards", [of("t", "a", "twin"), of("c", null, "control"), of("o", "b", "twin")]],
  ])("is not parted from the correct request after it by %s", (_, exchanges) => {
    expect(ofCheck("a", [...exchanges])).toMatchObject({ before: null, after: { id: "c" }, isAfterNext: true });
  });

  test("is incomplete if no correct request came after it, or none before it", () => {
    expect(ofCheck("a", order.slice(0, -2)).after).toBeNull();
    expect(ofCheck("a", order.slice(2)).before).toBeNull();
  });

  test("is read where a browser ended up, by the correct request", () => {
    const { before, steps, read, landing } = ofCheck("a");
    const [twin, other] = steps.map(({ exchange }) => exchange);
    if (before === null || twin === undefined || other === undefined) throw new Error("there is no evidence");
    expect([twin, other, before].map((exchange) => landing(exchange).id)).toEqual(["f", "u", "c2"]);
    expect([twin, other, before].map((exchange) => read(exchange).says)).toEqual([
      "f by c2",
      "u by c2",
      "c2 by undefined",
    ]);
  });

  test("a browser's way ends where the next request of the same name begins", () => {
    const exchanges = [
      of("t1", "a", "twin"),
      of("f1", "a", ">twin"),
      of("f2", "a", ">twin"),
      of("t2", "a", "twin"),
      of("f3", "a", ">twin"),
    ];
    const { landing, steps } = ofCheck("a", exchanges);
    expect(steps.map(({ exchange }) => landing(exchange).id)).toEqual(["f2", "f3"]);
  });

  test("has no way of a browser that is of another check or request", () => {
    const exchanges = [
      of("t1", "a", "twin"),
      of("x", "b", ">twin"),
      of("t2", "a", "twin"),
      of("t3", "a", "twin"),
      of("f", "a", ">twin"),
    ];
    const { landing, steps } = ofCheck("a", exchanges);
    expect(steps.map(({ exchange }) => landing(exchange).id)).toEqual(["t1", "t2", "f"]);
    expect(ofCheck("a", exchanges.slice(0, 2)).landing(exchanges[0] as Exchange).id).toBe("t1");
  });

  test("is of one subject in one run, without what the app repeated", () => {
    const other = { run: 2, subject: "guard", id: "a", role: "twin" };
    const records = [
      ...order.slice(0, 1),
      loginRecord("login"),
      exchangeRecord("none"),
      of("run", "a", "twin", { check: other }),
      of("subject", "a", "twin", { check: { ...other, run: 1, subject: "import" } }),
      of("repeated", "a", "twin", { postponed: true }),
      of("own", "a", "twin", { postponed: false } as never),
    ];
    expect(exchangesOf(records, 1, "guard").map(({ id }) => id)).toEqual(["c1", "own"]);
  });
});

const answered = (code: number, json?: unknown, method = "POST") => {
  const body = recordBody(Buffer.from(json === undefined ? "no" : JSON.stringify(json)));
  const { request } = exchangeRecord("a");
  return exchangeRecord("a", { request: { ...request, method }, response: { status: code, headers: [], body } });
};

test.each<[string, Exchange, Reply["kind"], Reply["kind"], Reply["kind"]]>([
  ["yes", answered(200, { success: true }), "accepted", "accepted", "accepted"],
  ["no", answered(200, { success: false }), "refused", "asked", "accepted"],
  ["yes with 201", answered(201, { success: true }), "accepted", "accepted", "accepted"],
  ["no with 201", answered(201, { success: false }), "refused", "refused", "accepted"],
  ["neither", answered(200, { success: 1 }), "unclear", "unclear", "accepted"],
  ["null", answered(200, null), "unclear", "unclear", "accepted"],
  ["no JSON", answered(204), "unclear", "unclear", "accepted"],
  ["299", answered(299, { success: true }), "accepted", "accepted", "accepted"],
  ["300", answered(300, { success: true }), "refused", "refused", "refused"],
  ["302", answered(302), "refused", "refused", "refused"],
  ["400", answered(400, { success: true }), "refused", "refused", "refused"],
  ["499", answered(499, { success: false }), "refused", "refused", "refused"],
  ["500", answered(500, { success: false }), "broken", "broken", "broken"],
  ["501 to a POST", answered(501), "broken", "broken", "broken"],
  ["501 to a GET", answered(501, {}, "GET"), "broken", "broken", "broken"],
  ["501 to a method that a server need not know", answered(501, {}, "PATCH"), "refused", "refused", "refused"],
  ["502 to a method that a server need not know", answered(502, {}, "PATCH"), "broken", "broken", "broken"],
  ["nothing", { ...answered(200, { success: true }), response: null }, "broken", "broken", "broken"],
  [
    "half of it",
    { ...answered(200, { success: true }), outcome: { kind: "disconnected" } as never },
    "broken",
    "broken",
    "broken",
  ],
  ["nobody", { ...answered(200), outcome: { kind: "unreachable" } as never, response: null }, "gone", "gone", "gone"],
])("the meaning of an answer: %s", (_, exchange, guard, asked, webhook) => {
  expect([readGuardReply(exchange).kind, readAskedReply(exchange).kind, readWebhookReply(exchange).kind]).toEqual([
    guard,
    asked,
    webhook,
  ]);
});

test("what an app did is a sentence, whether it answered or not", () => {
  const reply: Reply = { kind: "broken", says: "answered 500" };
  expect(replyTo("a correct delivery", answered(500), reply)).toBe("the app answered 500 to a correct delivery");
  const none: Reply = { kind: "broken", says: "did not answer" };
  expect(replyTo("a correct delivery", { ...answered(500), response: null }, none)).toBe(
    "on a correct delivery, the app did not answer",
  );
});

test.each<[string, Exchange, string]>([
  ["a refusal", answered(400), "answered 400"],
  ["a redirect", answered(302), "answered 302, which the platform does not follow"],
  ["no answer", { ...answered(200), response: null }, "did not answer: no answer"],
])("what an app did with a delivery, in words: %s", (_, exchange, says) => {
  expect(readWebhookReply(exchange).says).toBe(says);
});

test("an answer as an app client reads it has the status 0 if there is none", () => {
  expect(answerOf({ ...answered(200), response: null })).toEqual({ status: 0, headers: [], body: Buffer.alloc(0) });
  expect(answerOf(answered(201))).toEqual({ status: 201, headers: [], body: Buffer.from("no") });
});

test("a check that was not tried may say how to enable it", () => {
  expect(skipVerdict("there is no user")).toStrictEqual({ result: "skip", reason: "there is no user" });
  expect(skipVerdict("there is no user", "add one")).toEqual({
    result: "skip",
    reason: "there is no user",
    hint: "add one",
  });
});

describe("an observation of what was sent beside other requests", () => {
  const tagged = (code: number, changes: Partial<Exchange["check"]> = {}): Exchange =>
    exchangeRecord(`answered ${code}`, {
      ...answered(code),
      check: { run: 1, subject: "guard.first:office", id: null, role: "control", ...changes },
    });
  const subject = { title: "guard office", module: "office", app: {} as Evidence["app"], read };
  const observation = (isFault: (statuses: readonly (number | undefined)[]) => boolean): ObservationCheck => ({
    ...facts,
    observe: (exchanges) => {
      const statuses = exchanges.map(({ response }) => response?.status);
      return isFault(statuses) ? { result: "fail", reason: "as it judges" } : { result: "pass", reason: null };
    },
  });
  const breaks = observation((statuses) => statuses.includes(500));

  test.each<[string, readonly Exchange[], string]>([
    ["does not count what an answer in a lane shows", [tagged(200), tagged(500, { lane: 1 })], "pass"],
    ["does not count an answer to one of several at once", [tagged(200), tagged(500, { role: "together" })], "pass"],
    ["does not count an answer after them", [tagged(200), tagged(500, { role: "recovery" })], "pass"],
    ["counts what was sent alone, too", [tagged(500), tagged(500, { lane: 1 })], "fail"],
  ])("%s", (_, exchanges, result) => {
    expect(resultOf(subject, breaks, exchanges).result).toBe(result);
  });

  test("counts what several answers show only together", () => {
    const repeats = observation((statuses) => new Set(statuses).size < statuses.length);
    expect(resultOf(subject, repeats, [tagged(200), tagged(200, { lane: 1 })]).result).toBe("fail");
  });
});
