import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { systemClock } from "../../src/app-client/ports.ts";
import { appReturn } from "../../src/checking/app-return.ts";
import { portForLater } from "../rig/port-for-later.ts";

/** A clock whose pauses take no real time. @param inPause what happens during each */
function quickClock(inPause: () => Promise<void> = async () => {}) {
  let passed = 0;
  const pause = async (milliseconds: number) => {
    passed += milliseconds;
    await inPause();
  };
  return { ...systemClock, monotonic: () => passed, pause };
}

test("an app that is restarted in time is waited for, by all checks together", async () => {
  const port = await portForLater();
  await using server = createServer();
  let pauses = 0;
  const clock = quickClock(async () => {
    pauses += 1;
    if (pauses === 3) await once(server.listen(port, "127.0.0.1"), "listening");
  });
  const isBack = appReturn(60_000, clock, undefined);
  const url = `http://127.0.0.1:${port}`;
  expect(await Promise.all([isBack(url), isBack(url)])).toEqual([true, true]);
  expect(pauses).toBe(3);
});

test("an app that nobody restarts is waited for once", async () => {
  const clock = quickClock();
  const isBack = appReturn(60_000, clock, undefined);
  const url = `http://127.0.0.1:${await portForLater()}`;
  expect(await isBack(url)).toBe(false);
  const waited = clock.monotonic();
  expect(waited).toBeGreaterThanOrEqual(60_000);
  expect(await isBack(url)).toBe(false);
  expect(clock.monotonic()).toBe(waited);
});
