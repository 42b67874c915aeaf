import { getEventListeners } from "node:events";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Clock, LONGEST_TIMER_MS, systemClock } from "../../src/app-client/ports.ts";
import { createPlatformClock, type TurnableClock } from "../../src/platform/platform-clock.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";
import { type SteeredClock, steeredClock } from "../rig/clock.ts";

const START = Date.UTC(2031, 4, 6, 7, 8, 9);
const LAST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function turnable(): { readonly real: SteeredClock; readonly clock: TurnableClock } {
  const real = steeredClock(START);
  return { real, clock: createPlatformClock(real) };
}

/** Whatever was about to happen by itself has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** How often the wait for this time has ended. */
function watch(clock: Clock, time: number, signal?: AbortSignal): { ends: number } {
  const wait = { ends: 0 };
  void clock.until(time, signal).then(() => {
    wait.ends += 1;
  });
  return wait;
}

describe("a platform's clock", () => {
  it("shows real time until it is set", () => {
    const { real, clock } = turnable();
    real.advance(1500);
    expect(clock.now()).toBe(START + 1500);
    expect(clock.face.now()).toEqual(new Date(START + 1500));
    expect(clock.face.state()).toEqual({ now: "2031-05-06T07:08:10.500Z", frozen: false, offsetMs: 0 });
  });

  it("shows real time while somebody needs that, and afterwards its own time, including the time in between", async () => {
    const { real, clock } = turnable();
    clock.face.advance("2h");
    const [first, second] = [clock.face.showRealTime(), clock.face.showRealTime()];
    const wait = watch(clock, START + 1000);
    expect(clock.now()).toBe(START);
    expect(clock.face.state().offsetMs).toBe(7_200_000);
    clock.face.advance("1h");
    first();
    first();
    await settled();
    expect([clock.now(), wait.ends]).toEqual([START, 0]);
    second();
    await settled();
    expect([clock.now(), wait.ends]).toEqual([START + 10_800_000, 1]);
    clock.face.freeze();
    const third = clock.face.showRealTime();
    real.advance(1000);
    expect(clock.now()).toBe(START + 1000);
    third();
    expect(clock.now()).toBe(START + 10_800_000);
  });

  it("does not affect deadlines", async () => {
    const { real, clock } = turnable();
    clock.face.freeze();
    clock.face.advance("3650d");
    let isOver = false;
    const pause = clock.pause(1000, undefined).then(() => {
      isOver = true;
    });
    clock.face.advance("3650d");
    await settled();
    expect([clock.monotonic(), isOver]).toEqual([0, false]);
    real.advance(1000);
    await pause;
    expect(clock.monotonic()).toBe(1000);
  });

  it.each<[string, (clock: TurnableClock["face"], real: SteeredClock) => void, string, boolean, number]>([
    ["freeze()", (face) => face.freeze(), "2031-05-06T07:08:09.000Z", true, -60_000],
    ["freeze(at)", (face) => face.freeze("2040-01-02"), "2040-01-02T00:00:00.000Z", true, 273_257_451_000],
    ["set(at)", (face) => face.set("2031-05-06T09:08:09+02:00"), "2031-05-06T07:09:09.000Z", false, 0],
    [
      "set(at) while frozen",
      (face) => {
        face.freeze();
        face.set(new Date(START + 500));
      },
      "2031-05-06T07:08:09.500Z",
      true,
      -59_500,
    ],
    ["set(at) back in time", (face) => face.set(START - 1000), "2031-05-06T07:09:08.000Z", false, -1000],
    ["advance(by)", (face) => face.advance("1h30m"), "2031-05-06T08:39:09.000Z", false, 5_400_000],
    [
      "advance(by) while frozen",
      (face) => {
        face.freeze();
        face.advance(250);
      },
      "2031-05-06T07:08:09.250Z",
      true,
      -59_750,
    ],
    [
      "resume() after it stood still",
      (face, real) => {
        face.freeze();
        real.advance(10_000);
        face.resume();
      },
      "2031-05-06T07:09:09.000Z",
      false,
      -10_000,
    ],
    [
      "resume() while it runs",
      (face) => {
        face.advance("1s");
        face.resume();
      },
      "2031-05-06T07:09:10.000Z",
      false,
      1000,
    ],
    [
      "reset()",
      (face) => {
        face.freeze("2040-01-02");
        face.advance("1d");
        face.reset();
      },
      "2031-05-06T07:09:09.000Z",
      false,
      0,
    ],
  ])("%s, and one minute of real time later", (_, turn, now, frozen, offsetMs) => {
    const { real, clock } = turnable();
    turn(clock.face, real);
    real.advance(60_000);
    const shown = { now, frozen, offsetMs: frozen ? offsetMs : expect.any(Number) };
    expect(clock.face.state()).toEqual(shown);
    expect(clock.face.state().offsetMs).toBe(clock.now() - real.now());
    if (!frozen) expect(clock.face.state().offsetMs).toBe(offsetMs);
    expect(clock.now()).toBe(Date.parse(now));
  });

  it("does not lose the milliseconds that pass while it is set", () => {
    let real = START;
    // Each look at it takes a millisecond.
    const clock = createPlatformClock({ ...steeredClock(), now: () => real++ });
    clock.face.advance(0);
    clock.face.advance(0);
    clock.face.resume();
    expect(clock.now()).toBe(real - 1);
    clock.face.freeze();
    clock.face.reset();
    expect(clock.now()).toBe(real - 1);
  });

  describe("refuses", () => {
    type Turn = (face: TurnableClock["face"]) => void;
    const untyped = (value: unknown) => value as never;
    const noTime = ["", "tomorrow", "1", "2031-05-06T07:08:09", "2031-02-30", "2031-02-30T00:00:00Z", "06.05.2031"];
    const noTimes = [...noTime, new Date(Number.NaN), Number.NaN, Number.POSITIVE_INFINITY, 0.5, null, {}, true];
    const outside = [-1, LAST + 1, new Date(-1), "9999-12-31T23:59:59-01:00"];
    const noDurations = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "5", "-2h", "", null, undefined, {}];
    it.each<[string, string, Turn]>([
      ...noTimes.flatMap((at): [string, string, Turn][] => [
        [`freeze(${String(at)})`, "time-invalid", (face) => face.freeze(untyped(at))],
        [`set(${String(at)})`, "time-invalid", (face) => face.set(untyped(at))],
      ]),
      ["set()", "time-invalid", (face) => face.set(untyped(undefined))],
      ...outside.flatMap((at): [string, string, Turn][] => [
        [`freeze(${String(at)})`, "time-out-of-range", (face) => face.freeze(at)],
        [`set(${String(at)})`, "time-out-of-range", (face) => face.set(at)],
      ]),
      ...noDurations.map((by): [string, string, Turn] => [
        `advance(${String(by)})`,
        "duration-invalid",
        (face) => face.advance(untyped(by)),
      ]),
      ["advance() beyond the year 9999", "time-out-of-range", (face) => face.advance("3000000d")],
      ["advance() by what nobody can count", "time-out-of-range", (face) => face.advance(Number.MAX_SAFE_INTEGER)],
    ])("%s: %s, and stays unchanged", (_, code, turn) => {
      for (const isFrozen of [false, true]) {
        const { clock } = turnable();
        clock.face.set("2035-01-01");
        if (isFrozen) clock.face.freeze();
        const before = clock.face.state();
        let thrown: unknown = null;
        try {
          turn(clock.face);
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toBeInstanceOf(UsageError);
        expect(thrown).toMatchObject({ code, message: expect.stringMatching(/\S/), hint: expect.stringMatching(/\S/) });
        expect(clock.face.state()).toEqual(before);
      }
    });
  });

  it.each([0, LAST, new Date(LAST), "1970-01-01", "9999-12-31T23:59:59.999Z", "2032-02-29T23:59:00Z"])(
    "can be set to %s, which tokens and texts can represent",
    (at) => {
      const { clock } = turnable();
      clock.face.freeze(at);
      expect(clock.now()).toBe(new Date(at).getTime());
      expect(Date.parse(clock.face.state().now)).toBe(clock.now());
      expect(clock.face.state().now).toHaveLength(24);
    },
  );
});

describe("until()", () => {
  const noted = () => {
    const asked: number[] = [];
    const real = steeredClock(START);
    const clock = createPlatformClock({
      ...real,
      pause: (milliseconds, signal) => {
        asked.push(milliseconds);
        return real.pause(milliseconds, signal);
      },
    });
    return { asked, real, clock };
  };

  it.each<[string, Clock]>([
    ["of the machine", systemClock],
    ["of a test", steeredClock()],
    ["of the platform", createPlatformClock(systemClock)],
    ["of the platform, frozen", frozen(systemClock)],
  ])("by the clock %s ends immediately for a past time, and for an aborted signal", async (_, clock) => {
    await clock.until(clock.now(), undefined);
    await clock.until(clock.now() - 1, new AbortController().signal);
    await clock.until(Number.NEGATIVE_INFINITY, undefined);
    await clock.until(clock.now() + 3_600_000, AbortSignal.abort());
    const stop = new AbortController();
    const wait = watch(clock, clock.now() + 3_600_000, stop.signal);
    await settled();
    expect(wait.ends).toBe(0);
    stop.abort();
    await settled();
    expect(wait.ends).toBe(1);
  });

  it.each<[string, Clock]>([
    ["of the machine", systemClock],
    ["of the platform", createPlatformClock(systemClock)],
  ])("by the clock %s never ends early", async (_, clock) => {
    for (const milliseconds of [1, 2, 5, 10]) {
      const time = clock.now() + milliseconds;
      await clock.until(time, undefined);
      expect(clock.now()).toBeGreaterThanOrEqual(time);
    }
  });

  describe("for longer than Node's maximum timer", () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    afterEach(() => void process.removeListener("warning", note));

    it.each<[string, Clock]>([
      ["of the machine", systemClock],
      ["of the platform", createPlatformClock(systemClock)],
      ["of the platform, frozen", frozen(systemClock)],
    ])("by the clock %s starts a timer within Node's maximum", async (_, clock) => {
      process.on("warning", note);
      const stop = new AbortController();
      const wait = watch(clock, clock.now() + 3 * LONGEST_TIMER_MS, stop.signal);
      await settled();
      expect([warnings, wait.ends]).toEqual([[], 0]);
      stop.abort();
      await settled();
      expect(wait.ends).toBe(1);
    });

    it("continues with another timer", async () => {
      const { asked, real, clock } = noted();
      const wait = watch(clock, START + 2 * LONGEST_TIMER_MS + 5);
      for (const milliseconds of [LONGEST_TIMER_MS, LONGEST_TIMER_MS, 4]) {
        real.advance(milliseconds);
        await settled();
        expect(wait.ends).toBe(0);
      }
      real.advance(1);
      await settled();
      expect(wait.ends).toBe(1);
      expect(Math.max(...asked)).toBe(LONGEST_TIMER_MS);
    });
  });

  it("ends when the clock is advanced far enough, and not before", async () => {
    const { clock } = turnable();
    const wait = watch(clock, START + 3_600_000);
    clock.face.advance("59m59s999ms");
    await settled();
    expect(wait.ends).toBe(0);
    clock.face.advance(1);
    await settled();
    expect(wait.ends).toBe(1);
  });

  it("does not end while the clock is frozen, however long", async () => {
    const { asked, real, clock } = noted();
    clock.face.freeze();
    const wait = watch(clock, START + 1);
    for (let count = 0; count < 3; count += 1) {
      real.advance(LONGEST_TIMER_MS);
      await settled();
    }
    expect(wait.ends).toBe(0);
    // Nor is it looked at every millisecond.
    expect(asked).toEqual([1, 2, 3, 4].map(() => LONGEST_TIMER_MS));
    clock.face.resume();
    real.advance(1);
    await settled();
    expect(wait.ends).toBe(1);
  });

  it("ends at a time that was reached, even if the clock is set back immediately", async () => {
    const { clock } = turnable();
    const wait = watch(clock, START + 1000);
    clock.face.advance("1s");
    clock.face.reset();
    await settled();
    expect(wait.ends).toBe(1);
  });

  it("starts only one timer, and clears it", async () => {
    const { asked, real, clock } = noted();
    const stop = new AbortController();
    const wait = watch(clock, START + 60_000, stop.signal);
    clock.face.advance("10s");
    await settled();
    stop.abort();
    await settled();
    expect(wait.ends).toBe(1);
    real.advance(3_600_000);
    clock.face.advance("1h");
    await settled();
    expect([asked, wait.ends]).toEqual([[60_000, 50_000], 1]);
  });
});

it("keeps nothing of finished waits", async () => {
  const { clock } = turnable();
  const stop = new AbortController();
  const waits = [START + 1000, START + 2000, START + 9000].map((due) => watch(clock, due, stop.signal));
  clock.face.advance("2s");
  await settled();
  expect(getEventListeners(stop.signal, "abort")).toHaveLength(1);
  stop.abort();
  await settled();
  expect(waits).toEqual([{ ends: 1 }, { ends: 1 }, { ends: 1 }]);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  // Whoever waits is woken by a turn: nobody is left.
  const wakes = vi.spyOn(AbortController.prototype, "abort");
  clock.face.advance("1h");
  expect(wakes).not.toHaveBeenCalled();
  wakes.mockRestore();
});

function frozen(real: Clock): Clock {
  const clock = createPlatformClock(real);
  clock.face.freeze();
  return clock;
}

/** One thing that is done to the clock, and what that means for a model of it: the time, and whether it runs. */
interface Turn {
  readonly name: string;
  readonly apply: (clock: TurnableClock["face"], real: SteeredClock) => void;
  readonly model: (model: Model) => Model;
}
interface Model {
  readonly time: number;
  readonly frozen: boolean;
  readonly real: number;
}

const step = fc.integer({ min: 0, max: 10_000 });
const time = fc.integer({ min: START - 50_000, max: START + 50_000 });
const forward = [
  step.map(
    (ms): Turn => ({
      name: `${ms} ms go by`,
      apply: (_, real) => real.advance(ms),
      model: (model) => ({ ...model, time: model.time + (model.frozen ? 0 : ms), real: model.real + ms }),
    }),
  ),
  step.map(
    (ms): Turn => ({
      name: `advance(${ms})`,
      apply: (face) => face.advance(ms % 2 === 0 ? ms : `${ms}ms`),
      model: (model) => ({ ...model, time: model.time + ms }),
    }),
  ),
  fc.constant<Turn>({
    name: "freeze()",
    apply: (face) => face.freeze(),
    model: (model) => ({ ...model, frozen: true }),
  }),
  fc.constant<Turn>({
    name: "resume()",
    apply: (face) => face.resume(),
    model: (model) => ({ ...model, frozen: false }),
  }),
];
const anywhere = [
  time.map(
    (at): Turn => ({
      name: `set(${at})`,
      apply: (face) => face.set(at),
      model: (model) => ({ ...model, time: at }),
    }),
  ),
  time.map(
    (at): Turn => ({
      name: `freeze(${at})`,
      apply: (face) => face.freeze(new Date(at).toISOString()),
      model: (model) => ({ ...model, time: at, frozen: true }),
    }),
  ),
  fc.constant<Turn>({
    name: "reset()",
    apply: (face) => face.reset(),
    model: (model) => ({ ...model, time: model.real, frozen: false }),
  }),
];

describe("any changes of the clock", () => {
  it("show the set time, and each wait ends once, as soon as its time is reached", async () => {
    const turns = fc.array(fc.oneof(...forward, ...anywhere), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(turns, fc.array(time, { maxLength: 8 }), async (made, times) => {
        const { real, clock } = turnable();
        const waits = times.map((due) => ({ due, wait: watch(clock, due) }));
        let model: Model = { time: START, frozen: false, real: START };
        let latest = START;
        for (const { apply, model: next } of made) {
          apply(clock.face, real);
          model = next(model);
          latest = Math.max(latest, model.time);
          await settled();
          expect(clock.now()).toBe(model.time);
          expect(clock.face.state()).toEqual({
            now: new Date(model.time).toISOString(),
            frozen: model.frozen,
            offsetMs: model.time - model.real,
          });
          expect(waits.map(({ wait }) => wait.ends)).toEqual(waits.map(({ due }) => (due <= latest ? 1 : 0)));
        }
      }),
      { numRuns: 200 },
    );
  });

  it("never go back by actions that only advance it", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(...forward), { maxLength: 50 }), (made) => {
        const { real, clock } = turnable();
        for (const { apply } of made) {
          const before = clock.now();
          apply(clock.face, real);
          expect(clock.now()).toBeGreaterThanOrEqual(before);
        }
      }),
    );
  });
});
