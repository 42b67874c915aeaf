import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Exchange } from "../../src/index.ts";
import type { AppCall } from "../rig/fake-app.ts";
import { jobWith, record } from "../rig/simulation.ts";

/** Where an app may go wrong: in its answer to the call, and in each file that the answer names (interface 2.4). */
export type Place = "answer" | "stringsUrl" | "previewUrl";

/** What comes of a hostile answer in one place. */
export interface End {
  /** Outcome of the exchange. */
  readonly outcome: Exchange["outcome"]["kind"];
  /** What the reason says; null: the answer is taken all the same. */
  readonly reason: RegExp | null;
  /** The check whose finding fails the import or, where the answer is taken, is a warning; null: there is none. */
  readonly check: string | null;
}

/** A way to answer. */
export interface HostileAnswer {
  readonly name: string;
  /** @param sound what an app in order would send there */
  readonly play: (call: AppCall, sound: string) => void | Promise<void>;
  /** By each place where it can be played. */
  readonly ends: Readonly<Partial<Record<Place, End>>>;
  /** It never ends by itself. */
  readonly isEndless?: boolean;
  /** Largest file that is fetched, in bytes, where that is not as large as an answer. */
  readonly fileLimit?: number;
}

const strings = [record("1", "Save"), record("2", "Open")];
const changed = [record("1", "Save…"), record("2", "Open")];

/** The job that hostile answers are answers to. */
export const job = jobWith(strings);

/** What an app in order sends in each place: the first string changed, and a preview of it. */
export const sound: Readonly<Record<Place, string>> = {
  answer: JSON.stringify({ data: { strings: changed } }),
  stringsUrl: changed.map((string) => `${JSON.stringify(string)}\n`).join(""),
  previewUrl: "<!doctype html><p>Save…</p>",
};

/** The answer is taken as it is. */
export const taken: End = { outcome: "answered", reason: null, check: null };
export const takenEverywhere: HostileAnswer["ends"] = { answer: taken, stringsUrl: taken, previewUrl: taken };

/** The same end in every place: that of a file is a finding, and may have words of its own. */
export function everywhere(outcome: End["outcome"], reason: RegExp, fileReason = reason): HostileAnswer["ends"] {
  const inFile = { outcome, reason: fileReason, check: "import.file.fetched" };
  return { answer: { outcome, reason, check: null }, stringsUrl: inFile, previewUrl: inFile };
}

/** An answer to the call that cannot be read. */
export function inAnswer(reason: RegExp): End {
  return { outcome: "answered", reason, check: null };
}

/** A file whose line stops the reading. */
export function inLine(reason: RegExp, outcome: End["outcome"] = "cut-off"): End {
  return { outcome, reason, check: "import.file.lines" };
}

/** The head of a response, of JSON and with these headers too. */
export function head(...lines: readonly string[]): string {
  return ["HTTP/1.1 200 OK", "content-type: application/json", ...lines, "", ""].join("\r\n");
}

/** Sends so many bytes of a repeated text, block by block, for as long as somebody reads them. */
export function pours(text: string, bytes: number, ...headers: readonly string[]): HostileAnswer["play"] {
  return (call) => pour(call, head(...headers), repeated(text, bytes));
}

/** Sends these blocks, one after another. */
export function sendsBlocks(blocks: () => Iterable<Buffer>): HostileAnswer["play"] {
  return (call) => pour(call, head(), blocks());
}

/** Sends so many bytes of a repeated text in one layer of gzip, packed while it is sent. */
export function poursPacked(text: string, bytes: number): HostileAnswer["play"] {
  return (call) => {
    const packed = Readable.from(repeated(text, bytes)).pipe(createGzip({ level: 1 }));
    return pour(call, head("content-encoding: gzip"), packed);
  };
}

async function pour(call: AppCall, start: string, blocks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
  let isOver = false;
  void call.closed.then(() => {
    isOver = true;
  });
  call.raw(start, { end: false });
  for await (const block of blocks) {
    if (isOver) return;
    call.raw(block, { end: false });
    await nextTurn();
  }
  call.raw("");
}

function* repeated(text: string, bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(65_536, text);
  for (let sent = 0; sent < bytes; sent += block.length) yield block.subarray(0, bytes - sent);
}

/** Lets the peer, which is in this process, read what was sent. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
