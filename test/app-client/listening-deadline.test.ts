import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { startListeningDeadline } from "../../src/app-client/listening-deadline.ts";

/** Keeps this process from listening. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test("it ends after its time, not before", async () => {
  const began = performance.now();
  await new Promise<void>((resolve) => startListeningDeadline(600, resolve));
  expect(performance.now() - began).toBeGreaterThanOrEqual(599);
});

test("it does not end once it is disposed of, not even while it runs out", async () => {
  let ends = 0;
  using _ = startListeningDeadline(20, () => {
    ends += 1;
  });
  {
    using _short = startListeningDeadline(10, () => {
      ends += 10;
    });
  }
  work(30);
  await pause(100);
  expect(ends).toBe(1);
});

test.each([100, 1_000])("what arrives while the process works is read before %d ms are over", async (limitMs) => {
  const server = createServer((socket) => socket.end("here")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  await once(socket, "connect");
  const first = await new Promise((resolve) => {
    startListeningDeadline(limitMs, () => resolve("too late"));
    socket.once("data", (data) => resolve(String(data)));
    work(limitMs + 500);
  });
  expect(first).toBe("here");
  server.close();
});

test("time in which the process works does not count", async () => {
  const began = performance.now();
  const ended = new Promise<void>((resolve) => startListeningDeadline(500, resolve));
  work(1_000);
  await ended;
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_249);
});
