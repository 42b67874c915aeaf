import { hostileAmounts } from "./hostile-amounts.ts";
import {
  type End,
  type HostileAnswer,
  inAnswer,
  inLine,
  job,
  pours,
  poursPacked,
  sound,
  taken,
  takenEverywhere,
} from "./hostile-answer.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** Sends one string record, written by hand, beside one in order: as an answer, or as the second line of a file. */
function sends(record: string | Buffer): HostileAnswer["play"] {
  const [, inOrder] = job.strings ?? [];
  return (call, expected) => {
    const [before, after] =
      expected === sound.answer ? ['{"data":{"strings":[', "]}}"] : [`${JSON.stringify(inOrder)}\n`, "\n"];
    const body = Buffer.concat([before, record, after].map((part) => Buffer.from(part as string)));
    call.send(body, { headers: JSON_TYPE });
  };
}

const one = '"uniqId":"1","identifier":"key.1","text":"Saved"';
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const warned = (check: string): End => ({ outcome: "answered", reason: null, check });
const misshapen = (reason: RegExp): End => ({ outcome: "answered", reason, check: "import.string.shape" });
const lossy = { answer: warned("import.json.lossy"), stringsUrl: warned("import.json.lossy") };
const noJson = {
  answer: inAnswer(/the body is not valid JSON: /),
  stringsUrl: inLine(/line 2 is not valid JSON: /),
};
const tooManyLines = /line 10,?000,?001 is beyond the limit of 10,000,000 lines$/;
const longLine = /line 1 is longer than 16,777,216 bytes$/;

/** A file of strings that is read no further than its lines may go. */
function endless(name: string, play: HostileAnswer["play"], reason: RegExp): HostileAnswer {
  return { name, play, ends: { stringsUrl: inLine(reason) }, fileLimit: 4_294_967_296 };
}

/** Answers that come whole, or would: what they hold is at fault. */
export const hostileContent: readonly HostileAnswer[] = [
  {
    name: "S24: has a __proto__ key",
    play: sends(`{${one},"attributes":{"__proto__":{"polluted":true}}}`),
    ends: noJson,
  },
  {
    name: "S24: has a constructor.prototype key",
    play: sends(`{${one},"attributes":{"constructor":{"prototype":{"polluted":true}}}}`),
    ends: noJson,
  },
  {
    name: "S24: is nested 100,000 levels deep",
    play: sends(`{${one},"extra":${nested(100_000)}}`),
    ends: {
      answer: inAnswer(/the body is nested deeper than 64 levels/),
      stringsUrl: inLine(/line 2 is nested deeper than 64 levels; it starts: \S/),
    },
  },
  endless("S25: is one line of 1 GB", pours("a", 1_000_000_000), longLine),
  endless("S17 S25: packs one line of 5 GB", poursPacked("\0", 5_000_000_000), longLine),
  endless("S25: is 100,000,000 blank lines", pours("\n", 100_000_000), tooManyLines),
  endless("S17 S25: packs 5,000,000,000 blank lines", poursPacked("\n", 5_000_000_000), tooManyLines),
  ...hostileAmounts,
  {
    name: "R15: is an HTML page",
    play: (call) => call.send(sound.previewUrl, { headers: { "content-type": "text/html" } }),
    ends: {
      answer: inAnswer(/the app answered 200 with an HTML page, expected \{/),
      stringsUrl: inLine(/line 1 starts an HTML page: <!doctype html><p>Save…<\/p>$/, "answered"),
      previewUrl: taken,
    },
  },
  {
    name: "R15: is empty",
    play: (call) => call.send(""),
    ends: {
      answer: inAnswer(/the app answered 200 with an empty body, expected \{/),
      stringsUrl: taken,
      previewUrl: {
        outcome: "answered",
        reason: /data\.previewUrl: is the address of an empty file$/,
        check: "import.preview.content",
      },
    },
  },
  {
    name: "R15: is of the wrong content type",
    play: (call, expected) => call.send(expected, { headers: { "content-type": "image/png" } }),
    ends: { ...takenEverywhere, answer: warned("import.content-type") },
  },
  {
    name: "R15: is of no content type",
    play: (call, expected) => call.send(expected),
    ends: { ...takenEverywhere, answer: warned("import.content-type") },
  },
  {
    name: "R16: begins with a byte order mark",
    play: (call, expected) => call.send(`\uFEFF${expected}`, { headers: JSON_TYPE }),
    ends: { ...takenEverywhere, answer: inAnswer(/the body begins with a byte order mark/) },
  },
  {
    name: "R16: is not UTF-8",
    play: sends(Buffer.from(`{${one},"context":"\xff"}`, "latin1")),
    ends: {
      answer: inAnswer(/the body is not UTF-8: invalid byte at offset 81;/),
      stringsUrl: inLine(/line 2 is not UTF-8: invalid byte at offset 61; it starts: \{"uniqId":"1"/),
    },
  },
  {
    name: "R17: has a key twice",
    play: sends(`{${one},"labels":[],"text":"Open"}`),
    ends: {
      answer: inAnswer(/the body has the key "text" twice in one object \(data\.strings\[0\]\);/),
      stringsUrl: inLine(/line 2 has the key "text" twice in one object; it starts: \{"uniqId":"1"/),
    },
  },
  {
    name: "R18: has an integer beyond 2^53",
    play: sends(`{${one},"extra":9007199254740993}`),
    ends: lossy,
  },
  {
    name: "R18: has a lone surrogate",
    play: sends(`{${one},"context":"half \\ud800"}`),
    ends: lossy,
  },
  {
    name: "R18: has 1e400",
    play: sends(`{${one},"extra":1e400}`),
    ends: lossy,
  },
  {
    name: "R18: has 1e400 for an integer",
    play: sends(`{${one},"maxLength":1e400}`),
    ends: {
      answer: misshapen(/data\.strings\[0\]\.maxLength: is Infinity: /),
      stringsUrl: misshapen(/data\.stringsUrl line 2\.maxLength: is Infinity: /),
    },
  },
];
