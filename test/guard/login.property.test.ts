import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  advance,
  type LoginEffect,
  type LoginEvent,
  type LoginPlan,
  type LoginState,
  newLogin,
  type PlainStage,
} from "../../src/guard/rules/login.ts";

const plans: fc.Arbitrary<LoginPlan> = fc.record({
  enabled: fc.record({ mfa: fc.boolean(), deviceTrust: fc.boolean(), rememberMe: fc.boolean() }),
  attempts: fc.integer({ min: 1, max: 3 }),
  guards: fc.array(
    fc.record({
      app: fc.nat(2),
      key: fc.string({ maxLength: 4 }),
      type: fc.constantFrom("direct", "redirect", "frame"),
      exempt: fc.option(fc.constant("exempt"), { freq: 3 }),
    }),
    { maxLength: 5 },
  ),
});

const stages = fc.constantFrom<PlainStage[]>("password", "mfa", "device-trust", "remember-me");
const anyGuard = fc.integer({ min: -1, max: 6 });
/** Any event at all: mostly one for another guard or stage than the one whose turn it is. */
const strayEvents: fc.Arbitrary<LoginEvent> = fc.oneof(
  fc.record({ type: fc.constant("stage-passed" as const), stage: stages }),
  fc.record({ type: fc.constant("stage-passed" as const), stage: stages, note: fc.string() }),
  fc.record({ type: fc.constant("stage-failed" as const), stage: stages, reason: fc.string() }),
  fc.record({
    type: fc.constant("guard-answered" as const),
    guard: anyGuard,
    success: fc.boolean(),
    message: fc.option(fc.string()),
  }),
  fc.record({ type: fc.constant("guard-call-failed" as const), guard: anyGuard, reason: fc.string() }),
  fc.record({ type: fc.constant("user-returned" as const), guard: anyGuard, code: fc.string() }),
  fc.record({ type: fc.constant("user-failed" as const), guard: anyGuard, error: fc.string() }),
);

/** A random event, or the reply yes or no to what the platform did last: only replies get far. */
type Move = "yes" | "no" | LoginEvent;
const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Move>("yes") },
    { weight: 1, arbitrary: fc.constant<Move>("no") },
    { weight: 3, arbitrary: strayEvents },
  ),
  { maxLength: 40 },
);

function replyTo(effect: LoginEffect | undefined, yes: boolean): LoginEvent | null {
  switch (effect?.type) {
    case "ask":
      return yes
        ? { type: "stage-passed", stage: effect.stage }
        : { type: "stage-failed", stage: effect.stage, reason: "no" };
    case "verify":
      return { type: "guard-answered", guard: effect.guard, success: yes, message: null };
    case "send-user":
      return yes
        ? { type: "user-returned", guard: effect.guard, code: "code" }
        : { type: "user-failed", guard: effect.guard, error: "no" };
    default:
      return null;
  }
}

/** One event, what the platform had done last before it, and what came of it. */
interface Moment {
  readonly pending: LoginEffect | undefined;
  readonly event: LoginEvent;
  readonly before: LoginState;
  readonly after: LoginState;
  readonly effects: readonly LoginEffect[];
}

function play(plan: LoginPlan, made: readonly Move[]): { end: LoginState; effects: LoginEffect[]; moments: Moment[] } {
  const begun = newLogin(plan);
  const effects = [...begun.effects];
  const moments: Moment[] = [];
  let state = begun.state;
  for (const move of made) {
    const pending = effects.at(-1);
    const event = typeof move === "string" ? replyTo(pending, move === "yes") : move;
    if (event === null) continue;
    const step = advance(state, event);
    moments.push({ pending, event, before: state, after: step.state, effects: step.effects });
    effects.push(...step.effects);
    state = step.state;
  }
  return { end: state, effects, moments };
}

const places = (plan: LoginPlan): string[] => [
  "password",
  "mfa",
  "device-trust",
  ...plan.guards.map((_, index) => `guard ${index}`),
  "remember-me",
];

/** What must be passed, in this order, before access is granted. */
function checkpoints({ enabled, guards }: LoginPlan): string[] {
  return [
    "password",
    ...(enabled.mfa ? ["mfa"] : []),
    ...(enabled.deviceTrust ? ["device-trust"] : []),
    ...guards.flatMap((guard, index) => (guard.exempt === null ? [`guard ${index}`] : [])),
    ...(enabled.rememberMe ? ["remember-me"] : []),
  ];
}

/** How often the stage that was just asked was failed: the tries at the one that is asked now, so far. */
function failuresIn(moments: readonly Moment[], stage: PlainStage): number {
  return moments.filter(
    ({ pending, event }) =>
      event.type === "stage-failed" && event.stage === stage && pending?.type === "ask" && pending.stage === stage,
  ).length;
}

/** The checkpoints that were passed: a yes from the very one that was asked last, told without the machine's state. */
function passedIn(moments: readonly Moment[]): string[] {
  return moments.flatMap(({ pending, event }) => {
    if (event.type === "stage-passed" && pending?.type === "ask" && pending.stage === event.stage) return [event.stage];
    const answered = event.type === "guard-answered" && event.success;
    return answered && pending?.type === "verify" && pending.guard === event.guard ? [`guard ${event.guard}`] : [];
  });
}

function assertAlways(check: (plan: LoginPlan, played: ReturnType<typeof play>) => void): void {
  fc.assert(
    fc.property(plans, moves, (plan, made) => check(plan, play(plan, made))),
    { numRuns: 1_000 },
  );
}

describe("whatever happens in a login", () => {
  test("access is granted if and only if every enabled stage and every guard that is not exempt was passed, in turn", () => {
    assertAlways((plan, { end, moments }) => {
      const passed = passedIn(moments);
      const needed = checkpoints(plan);
      expect(passed).toEqual(needed.slice(0, passed.length));
      expect(end.at === "granted").toBe(passed.length === needed.length);
    });
  });

  test("granted and denied are final: nothing follows", () => {
    assertAlways((_, { moments, effects }) => {
      for (const { before, after, effects: then } of moments) {
        if (before.at !== "granted" && before.at !== "denied") continue;
        expect(after).toBe(before);
        expect(then).toEqual([]);
      }
      expect(effects.filter(({ type }) => type === "grant" || type === "deny").length).toBeLessThanOrEqual(1);
    });
  });

  test("the end is reported: grant when granted, deny with the reason when denied", () => {
    assertAlways((_, { end, effects }) => {
      const told = effects.filter(({ type }) => type === "grant" || type === "deny");
      if (end.at === "granted") expect(told).toEqual([{ type: "grant" }]);
      else if (end.at === "denied") expect(told).toEqual([{ type: "deny", reason: end.reason }]);
      else expect(told).toEqual([]);
    });
  });

  test("4.2: a guard is called at most once without a code and once with one; direct never with, exempt never", () => {
    assertAlways((plan, { effects }) => {
      const calls = effects.filter((effect) => effect.type === "verify");
      for (const [index, { type, exempt }] of plan.guards.entries()) {
        const own = calls.filter(({ guard }) => guard === index);
        const withCode = own.filter(({ code }) => code !== null);
        expect(own.length - withCode.length).toBeLessThanOrEqual(exempt === null ? 1 : 0);
        expect(withCode.length).toBeLessThanOrEqual(exempt === null && type !== "direct" ? 1 : 0);
        if (withCode.length === 1) expect(own.indexOf(withCode[0] as (typeof own)[number])).toBe(1);
      }
      expect(calls.every(({ guard }) => plan.guards[guard] !== undefined)).toBe(true);
    });
  });

  test("the results are in order, and each is what happened there", () => {
    assertAlways((plan, { end, moments }) => {
      const named = end.results.map(({ stage, guard }) => (stage === "guard" ? `guard ${guard}` : stage));
      expect(named).toEqual(places(plan).slice(0, named.length));
      const having = (wanted: string) => named.filter((_, index) => end.results[index]?.result === wanted);
      const needed = checkpoints(plan);
      expect(having("passed")).toEqual(passedIn(moments));
      expect(having("skipped")).toEqual(named.filter((place) => !needed.includes(place)));
      expect(having("denied")).toEqual(end.at === "denied" ? named.slice(-1) : []);
      if (end.at === "granted") expect(named).toEqual(places(plan));
    });
  });

  test("a plain stage is asked again after each failure, and no more often than the plan allows", () => {
    assertAlways(({ attempts }, { end, effects, moments }) => {
      for (const stage of ["password", "mfa", "device-trust", "remember-me"] as const) {
        const asked = effects.filter((effect) => effect.type === "ask" && effect.stage === stage).length;
        const failures = failuresIn(moments, stage);
        expect(asked).toBeLessThanOrEqual(attempts);
        expect(asked).toBe(asked === 0 ? 0 : Math.min(failures + 1, attempts));
        const result = end.results.find((each) => each.stage === stage);
        if (asked === 0 || result === undefined) continue;
        const tries = result.result === "passed" ? failures + 1 : failures;
        expect(result.attempts).toBe(tries > 1 ? tries : undefined);
        expect(result.result).toBe(failures === attempts ? "denied" : "passed");
      }
    });
  });

  test("a plain stage that is asked again has the reason for each failed try", () => {
    assertAlways((_, { moments }) => {
      for (const { before, event, after } of moments) {
        if (event.type !== "stage-failed" || before === after || !("failures" in before)) continue;
        if (after.at === "denied") expect(after).toMatchObject({ guard: null, reason: event.reason });
        else expect(after).toEqual({ ...before, failures: [...before.failures, event.reason] });
      }
    });
  });

  test("an event either changes nothing, or has exactly one effect", () => {
    assertAlways((_, { moments }) => {
      for (const { before, after, effects } of moments) expect(effects).toHaveLength(after === before ? 0 : 1);
    });
  });
});

test("every login can be granted: by passing everything, with or without the page", () => {
  fc.assert(
    fc.property(plans, fc.infiniteStream(fc.boolean()), (plan, detours) => {
      const made: Move[] = [];
      for (;;) {
        const { end, effects } = play(plan, made);
        if (end.at === "granted") return;
        const pending = effects.at(-1);
        const canDetour =
          pending?.type === "verify" && pending.code === null && plan.guards[pending.guard]?.type !== "direct";
        made.push(canDetour && detours.next().value === true ? "no" : "yes");
        expect(made.length).toBeLessThanOrEqual(4 + 3 * plan.guards.length);
      }
    }),
  );
});
