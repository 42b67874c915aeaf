import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { EventStream } from "../../src/inspector/event-stream.ts";
import { Feed } from "../../src/inspector/feed.ts";
import type { FeedEntry } from "../../src/inspector/view.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";

const ROWS = 5000;

it("a long list waits for a page that reads slowly, and all of it arrives in its order", async () => {
  const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
  const ids = Array.from({ length: ROWS }, (_, index) => `id-${index}`);
  for (const id of ids) feed.add(exchangeRecord(id));
  const page = new PassThrough({ highWaterMark: 1000 }).setEncoding("utf8");
  Object.assign(page, { writeHead: () => page });
  new EventStream(feed).send(page as unknown as ServerResponse, undefined);
  // One batch of 1,000 rows, and not the five of them.
  expect(page.writableLength + page.readableLength).toBeLessThan(1_000_000);
  feed.add(exchangeRecord("meanwhile"));
  let text = "";
  page.on("data", (chunk) => {
    text += chunk;
    if (text.includes("event: complete")) page.destroy();
  });
  await once(page, "close");
  const entries = [...text.matchAll(/^event: entries\ndata: (.*)$/gm)].flatMap(([, json = ""]): FeedEntry[] =>
    JSON.parse(json),
  );
  expect(entries.map((entry) => ("row" in entry ? entry.row.id : null))).toEqual([...ids, "meanwhile"]);
});
