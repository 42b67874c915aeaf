import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { defaultChoices, readChoices } from "../../src/config/choices.ts";
import { pauseBeforeRetry, type RetryPolicy, retryAfterMs, retryPolicy } from "../../src/webhook/rules/retry-policy.ts";

const TEN_MINUTES = 600_000;
const now = Date.UTC(2031, 4, 6, 7, 8, 9);
const policy: RetryPolicy = { retries: 5, backoffMs: 1000, jitter: 0, obeysRetryAfter: true };
const half = () => 0.5;

describe("pauseBeforeRetry", () => {
  test("doubles after each attempt, and is null after the last", () => {
    const pauses = [1, 2, 3, 4, 5, 6].map((made) => pauseBeforeRetry(policy, made, null, half));
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, null]);
  });

  test("without retries there is none", () => {
    expect(pauseBeforeRetry({ ...policy, retries: 0 }, 1, 5, half)).toBeNull();
  });

  test.each([
    [0, 900],
    [0.5, 1000],
    [0.999_999, 1100],
  ])("a jitter of 0.1 with the chance %d: %d ms", (chance, pause) => {
    expect(pauseBeforeRetry({ ...policy, jitter: 0.1 }, 1, null, () => chance)).toBe(pause);
  });

  test("for any policy, a pause differs from the doubled one by the jitter at most, and never exceeds 10 minutes", () => {
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const jitters = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.nat(TEN_MINUTES),
        jitters,
        fc.integer({ min: 1, max: 10 }),
        chance,
        (backoffMs, jitter, made, at) => {
          const pause =
            pauseBeforeRetry({ ...policy, retries: 10, backoffMs, jitter }, made, null, () => at) ?? Number.NaN;
          const doubled = backoffMs * 2 ** (made - 1);
          expect(pause).toBeGreaterThanOrEqual(Math.min(TEN_MINUTES, Math.floor(doubled * (1 - jitter))));
          expect(pause).toBeLessThanOrEqual(Math.min(TEN_MINUTES, Math.ceil(doubled * (1 + jitter))));
        },
      ),
    );
  });

  test.each([
    ["longer than the pause: it is waited for", 7000, 7000],
    ["shorter than the pause: the pause stays", 10, 1000],
    ["longer than 10 minutes: no longer than those", 86_400_000, TEN_MINUTES],
  ])("obeys a Retry-After that is %s", (_, asked, pause) => {
    expect(pauseBeforeRetry(policy, 1, asked, half)).toBe(pause);
    expect(pauseBeforeRetry({ ...policy, obeysRetryAfter: false }, 1, asked, half)).toBe(1000);
  });
});

describe("retryAfterMs", () => {
  // A date of HTTP is in GMT, whatever the clock on the wall says.
  beforeEach(() => void vi.stubEnv("TZ", "America/New_York"));
  afterEach(() => void vi.unstubAllEnvs());

  test.each<[string | undefined, number | null]>([
    [undefined, null],
    ["0", 0],
    ["120", 120_000],
    [" 120\t", 120_000],
    ["on Tue, 06 May 2031 07:08:19 GMT", null],
    ["Tue, 06 May 2031 07:08:19 GMT", 10_000],
    ["Tuesday, 06-May-31 07:08:19 GMT", 10_000],
    ["Tue May  6 07:08:19 2031", 10_000],
    ["Tue, 06 May 2031 07:00:00 GMT", 0],
    ["", null],
    ["-1", null],
    ["1.5", null],
    ["1e3", null],
    ["0x10", null],
    ["soon", null],
    ["2031-05-06T07:08:19Z", null],
    ["Nonsense, 99 May 2031", null],
  ])("%j: %j ms", (value, milliseconds) => {
    expect(retryAfterMs(value, now)).toBe(milliseconds);
  });

  test("any text is read as a time that is not in the past, or as none", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const milliseconds = retryAfterMs(text, now);
        expect(milliseconds === null || milliseconds >= 0).toBe(true);
      }),
    );
  });
});

describe("retryPolicy", () => {
  test("is that of the choices, and names them", () => {
    const choices = readChoices({
      ...defaultChoices,
      "webhook.retries": 3,
      "webhook.backoff": 50,
      "webhook.jitter": 0.5,
      "webhook.retryAfter": "obeyed",
    });
    expect(retryPolicy(choices)).toEqual({ retries: 3, backoffMs: 50, jitter: 0.5, obeysRetryAfter: true });
    expect(choices.used()).toEqual(["webhook.retries", "webhook.backoff", "webhook.jitter", "webhook.retryAfter"]);
  });

  test("without retries names only their number", () => {
    const choices = readChoices(defaultChoices);
    expect(retryPolicy(choices).retries).toBe(0);
    expect(choices.used()).toEqual(["webhook.retries"]);
  });
});
