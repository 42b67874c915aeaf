import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { showProgress } from "../../src/output/progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const call = { method: "GET", url: "http://127.0.0.1:3107/oauth/callback?code=c", timeoutMs: 30_000 };
const written = (width: number, isInteractive = true) => {
  const texts: string[] = [];
  const progress = showProgress({ err: (text) => texts.push(text), errWidth: () => width, isInteractive });
  return { texts, progress };
};

describe("on a terminal", () => {
  test.each([81, 80, 60, 40])(
    "with %i columns it is one row that never fills the last column, and the seconds are readable",
    (width) => {
      const { texts, progress } = written(width);
      progress.callStarted(call);
      vi.advanceTimersByTime(12_000);
      expect(texts).toHaveLength(12);
      for (const text of texts) {
        expect(text.startsWith("\r\u001b[K")).toBe(true);
        expect(text.slice(4).length).toBeLessThan(width);
      }
      expect(texts.at(-1)?.slice(4)).toMatch(/^wai.*, at most 30 s, 12 s elapsed$/);
    },
  );

  test("it makes room for other lines, and is shown again below them", () => {
    const { texts, progress } = written(80);
    progress.erase();
    progress.working("a batch");
    vi.advanceTimersByTime(1000);
    progress.erase();
    vi.advanceTimersByTime(1000);
    const shown = (seconds: number) => `\r\u001b[Kin progress: a batch, ${seconds} s elapsed`;
    expect(texts).toEqual([shown(1), "\r\u001b[K", shown(2)]);
  });

  test("nothing is truncated if there is room, and it disappears", () => {
    const { texts, progress } = written(200);
    progress.callStarted(call);
    vi.advanceTimersByTime(1000);
    progress.stop();
    const text = "waiting for the app: GET http://127.0.0.1:3107/oauth/callback, at most 30 s, 1 s elapsed";
    expect(texts).toEqual([`\r\u001b[K${text}`, "\r\u001b[K"]);
  });
});

test("elsewhere it is one complete, plain line", () => {
  const { texts, progress } = written(Number.POSITIVE_INFINITY, false);
  progress.callStarted(call);
  vi.advanceTimersByTime(3000);
  progress.stop();
  expect(texts).toEqual(["waiting for the app: GET http://127.0.0.1:3107/oauth/callback, at most 30 s\n"]);
});

test("work of this process has no time limit, and each step replaces the previous one", () => {
  const { texts, progress } = written(200);
  progress.working("reading the journal");
  vi.advanceTimersByTime(1000);
  progress.working("writing report.html");
  vi.advanceTimersByTime(1000);
  progress.stop();
  expect(texts.map((text) => text.slice(4))).toEqual([
    "in progress: reading the journal, 1 s elapsed",
    "",
    "in progress: writing report.html, 1 s elapsed",
    "",
  ]);
});

test("elsewhere progress is printed from time to time", () => {
  const { texts, progress } = written(Number.POSITIVE_INFINITY, false);
  progress.advanced({ what: "deliveries, 5/s", done: 0 });
  for (let seconds = 1; seconds <= 20; seconds++) {
    vi.advanceTimersByTime(1000);
    progress.advanced({ what: "deliveries, 5/s", done: seconds * 5 });
  }
  progress.stop();
  expect(texts).toEqual(["in progress: deliveries, 5/s\n", "45 deliveries, 5/s\n", "95 deliveries, 5/s\n"]);
});
