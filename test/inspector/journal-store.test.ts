// Of the names of a browser, which the page uses, this test has those that it stubs.
/// <reference lib="dom" />
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { Feed } from "../../src/inspector/feed.ts";
import { JournalStore } from "../../src/inspector/page/journal-store.ts";
import { Server } from "../../src/inspector/page/server.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => setTimeout(draw));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What the page asked for last, and an answer that goes on until it is cut. */
interface Connection {
  readonly lastEventId: string | null;
  readonly write: (text: string) => void;
  readonly cut: () => void;
}

it("a page says when its connection is lost and restored, and has every row once, even while paused", async () => {
  const connections: Connection[] = [];
  let isDown = false;
  vi.stubGlobal("fetch", async (_: string, { headers }: { headers: Record<string, string> }) => {
    if (isDown) throw new TypeError("fetch failed");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    connections.push({
      lastEventId: headers["last-event-id"] ?? null,
      write: (text) => void writer.write(new TextEncoder().encode(text)),
      cut: () => void writer.abort(new Error("cut")),
    });
    return new Response(readable);
  });
  const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
  const batch = (...ids: string[]) => {
    const start = feed.end;
    for (const id of ids) feed.add(exchangeRecord(id));
    return `id: run.${feed.end}\nevent: entries\ndata: ${JSON.stringify(feed.from(start, 100))}\n\n`;
  };
  const store = new JournalStore(new Server("key"));
  const stop = new AbortController();
  const following = store.follow(stop.signal);
  const shown = async () => {
    await vi.advanceTimersByTimeAsync(1000);
    const { connection, rows, waiting } = store.state();
    return { connection, rows: rows.map(({ id }) => id), waiting };
  };
  await vi.advanceTimersByTimeAsync(0);
  const [first] = connections;
  first?.write(`event: reset\ndata: {}\n\n${batch("a", "b")}event: complete\ndata: {}\n\n`);
  expect(await shown()).toEqual({ connection: "live", rows: ["a", "b"], waiting: 0 });
  isDown = true;
  // The beginning of a batch, of which the rest never comes.
  const torn = batch("c");
  first?.write(torn.slice(0, -10));
  await vi.advanceTimersByTimeAsync(0);
  first?.cut();
  expect(await shown()).toEqual({ connection: "lost", rows: ["a", "b"], waiting: 0 });
  store.pause(true);
  isDown = false;
  await vi.advanceTimersByTimeAsync(1000);
  const again = connections.at(-1);
  expect([connections.length, again?.lastEventId]).toEqual([2, "run.2"]);
  again?.write(`${torn}${batch("d")}event: complete\ndata: {}\n\n`);
  expect(await shown()).toEqual({ connection: "live", rows: ["a", "b"], waiting: 2 });
  store.pause(false);
  expect(await shown()).toEqual({ connection: "live", rows: ["a", "b", "c", "d"], waiting: 0 });
  stop.abort();
  again?.cut();
  await following;
});
