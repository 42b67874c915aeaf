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

function newPage(): PassThrough {
  const page = new PassThrough({ highWaterMark: 1000 }).setEncoding("utf8");
  return Object.assign(page, { writeHead: () => page });
}

/** What comes until the list is whole; the connection is then lost. */
async function received(page: PassThrough): Promise<string> {
  let text = "";
  page.on("data", (chunk) => {
    text += chunk;
    if (text.includes("event: complete")) page.destroy();
  });
  await once(page, "close");
  return text;
}

function idsIn(text: string): (string | null)[] {
  const entries = [...text.matchAll(/^event: entries\ndata: (.*)$/gm)].flatMap(([, json = ""]): FeedEntry[] =>
    JSON.parse(json),
  );
  return entries.map((entry) => ("row" in entry ? entry.row.id : null));
}

it("a long list waits for a page that reads slowly, and arrives complete and in order", async () => {
  const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
  const ids = Array.from({ length: ROWS }, (_, index) => `id-${index}`);
  for (const id of ids) feed.add(exchangeRecord(id));
  const page = newPage();
  new EventStream(feed).send(page as unknown as ServerResponse, undefined);
  // One batch of 1,000 rows, and not the five of them.
  expect(page.writableLength + page.readableLength).toBeLessThan(1_000_000);
  feed.add(exchangeRecord("meanwhile"));
  expect(idsIn(await received(page))).toEqual([...ids, "meanwhile"]);
});

it("a page that lost its connection continues where it was, without loss or repetition", async () => {
  const feed = new Feed({ config: defaultConfig, choices: defaultChoices });
  const stream = new EventStream(feed);
  const connect = async (lastEventId?: string) => {
    const page = newPage();
    stream.send(page as unknown as ServerResponse, lastEventId);
    const text = await received(page);
    return {
      ids: idsIn(text),
      last: [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1],
      isReset: text.includes("event: reset"),
    };
  };
  for (const id of ["a", "b"]) feed.add(exchangeRecord(id));
  const first = await connect();
  expect(first).toMatchObject({ ids: ["a", "b"], isReset: true });
  for (const id of ["c", "d"]) feed.add(exchangeRecord(id));
  expect(await connect(first.last)).toMatchObject({ ids: ["c", "d"], isReset: false });
  // Of another platform, or of rows that are no longer kept.
  for (const unknown of ["x.2", "", "2"]) {
    expect(await connect(unknown)).toMatchObject({ ids: ["a", "b", "c", "d"], isReset: true });
  }
});
