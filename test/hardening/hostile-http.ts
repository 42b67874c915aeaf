import { gzipSync } from "node:zlib";
import { faults } from "../rig/faults.ts";
import {
  everywhere,
  type HostileAnswer,
  head,
  inAnswer,
  nextTurn,
  pours,
  poursPacked,
  takenEverywhere,
} from "./hostile-answer.ts";

type Play = HostileAnswer["play"];
type Part = string | Buffer;

const joined = (parts: readonly Part[]) => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** Writes the parts to the socket and ends the connection. */
const writes = (parts: (sound: string) => readonly Part[]): Play => {
  return (call, sound) => call.raw(joined(parts(sound)));
};
/** Writes the parts to the socket and says no more. */
const writesOnly = (parts: (sound: string) => readonly Part[]): Play => {
  return (call, sound) => call.raw(joined(parts(sound)), { end: false });
};
const writesThenResets = (parts: (sound: string) => readonly Part[]): Play => {
  return async (call, sound) => {
    await writesOnly(parts)(call, sound);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    call.reset();
  };
};

const CHUNKED = "transfer-encoding: chunked";
const lengthOf = (sound: string, more = 0) => `content-length: ${Buffer.byteLength(sound) + more}`;
const chunk = (content: Part) => joined([`${Buffer.byteLength(content).toString(16)}\r\n`, content, "\r\n"]);
const LAST_CHUNK = "0\r\n\r\n";

const afterHead = /closed the connection in the middle of its answer$/;
const noAnswer = /took longer than 0\.3 s: connected, but no answer came$/;
const noEnd = /took longer than 0\.3 s: its answer began, but did not end$/;
const notHttp = /^(data\.\w+: )?the answer from \S+ is not HTTP: /;
const tooLarge = /is larger than 5 MiB$/;
const OVER_LIMIT = Buffer.alloc(5_242_881, " ");

/** What is said of a file, by the name of a fault that is said otherwise of an answer. */
const fileReasons: Readonly<Record<string, RegExp>> = {
  "R13: redirects": /: it redirects \(302 to \/else.*where\), which app-sim does not follow$/,
  "answers 401": /: it is refused \(401\)$/,
  "answers 404": /: there is nothing \(404\)$/,
  "answers 500": /: it is answered with 500$/,
};

/** Of the rig's table, those that go wrong whatever the answer was to hold, and end by themselves. */
const known = faults.flatMap(({ name, play, outcome, reason, failure }): HostileAnswer[] =>
  reason instanceof RegExp && failure === undefined
    ? [{ name, play, ends: everywhere(outcome, reason, fileReasons[name]) }]
    : [],
);

/** Answers that go wrong on their way: they end the same in every place, whatever they were to hold. */
export const hostileHttp: readonly HostileAnswer[] = [
  ...known,
  {
    name: "R5: resets within its headers",
    play: writesThenResets(() => ["HTTP/1.1 200 OK\r\ncontent-ty"]),
    ends: everywhere("disconnected", /closed the connection without an answer$/),
  },
  {
    name: "R5: resets after its headers",
    play: writesThenResets((sound) => [head(lengthOf(sound))]),
    ends: everywhere("disconnected", afterHead),
  },
  {
    name: "R6: hangs",
    play: (call) => call.hang(),
    ends: everywhere("timed-out", noAnswer),
    isEndless: true,
  },
  {
    name: "R6: never ends its headers",
    play: (call) => call.dripHeaders(100),
    ends: everywhere("timed-out", noAnswer),
    isEndless: true,
  },
  {
    name: "R6: stalls in a body of known length",
    play: writesOnly((sound) => [head(lengthOf(sound)), sound.slice(0, 9)]),
    ends: everywhere("timed-out", noEnd),
    isEndless: true,
  },
  {
    name: "R6: stalls before its last chunk",
    play: writesOnly((sound) => [head(CHUNKED), chunk(sound)]),
    ends: everywhere("timed-out", noEnd),
    isEndless: true,
  },
  {
    name: "S19: drips, each byte well within the limit",
    play: (call) => call.drip(" ", 100),
    ends: everywhere("timed-out", noEnd),
    isEndless: true,
  },
  {
    name: "S19: drips gzip",
    play(call, sound) {
      const packed = gzipSync(sound);
      let at = 0;
      call.raw(head("content-encoding: gzip", CHUNKED), { end: false });
      const timer = setInterval(() => call.raw(chunk(packed.subarray(at, ++at)), { end: false }), 100);
      void call.closed.then(() => clearInterval(timer));
    },
    ends: everywhere("timed-out", noEnd),
    isEndless: true,
  },
  {
    name: "R7: speaks HTTP/1.0",
    play: writes((sound) => [head().replace("1.1", "1.0"), sound]),
    ends: takenEverywhere,
  },
  {
    name: "R8: sends bytes of no kind",
    play: writes(() => [Buffer.from([0, 255, 7, 27, 155, 13, 10, 13, 10])]),
    ends: everywhere("not-http", notHttp),
  },
  {
    name: "R8: speaks TLS",
    play: writes(() => [Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])]),
    ends: everywhere("not-http", notHttp),
  },
  {
    name: "R8: sends a chunk whose length is none",
    play: writes((sound) => [head(CHUNKED), `zz\r\n${sound}\r\n`, LAST_CHUNK]),
    ends: everywhere("not-http", notHttp),
  },
  {
    name: "R9: ends before its Content-Length",
    play: writes((sound) => [head(lengthOf(sound, 9)), sound]),
    ends: everywhere("disconnected", afterHead),
  },
  {
    name: "R9: ends before its last chunk",
    play: writes((sound) => [head(CHUNKED), chunk(sound)]),
    ends: everywhere("disconnected", afterHead),
  },
  {
    name: "R10: goes on after its Content-Length",
    play: writes((sound) => [head(lengthOf(sound)), sound, '{"data":{"strings":[]}}']),
    ends: takenEverywhere,
  },
  {
    name: "R11: has a Content-Length, and chunks",
    play: writes((sound) => [head(lengthOf(sound), CHUNKED), chunk(sound), LAST_CHUNK]),
    ends: everywhere("not-http", /its Content-Length is wrong$/),
  },
  {
    name: "R11: has two lengths",
    play: writes((sound) => [head(lengthOf(sound), lengthOf(sound, -1)), sound]),
    ends: everywhere("not-http", /its Content-Length is wrong$/),
  },
  {
    name: "R11: has the status 999",
    play: (call, sound) => call.send(sound, { status: 999 }),
    ends: everywhere("answered", /the app answered 999$/, /: it is answered with 999$/),
  },
  {
    name: "R11: has 5000 headers",
    play: writes((sound) => [head(lengthOf(sound), ...Array.from({ length: 5000 }, (_, n) => `x-${n}: y`)), sound]),
    ends: everywhere("not-http", /its headers are too large$/),
  },
  {
    name: "R13: redirects to itself",
    play: (call) => call.send("", { status: 302, headers: { location: call.path } }),
    ends: everywhere(
      "answered",
      /answered 302, a redirect to \S+, which app-sim never follows$/,
      /: it redirects \(302 to \S+\), which app-sim does not follow$/,
    ),
  },
  {
    name: "R15: has the status 204",
    play: (call) => call.send("", { status: 204 }),
    ends: {
      ...everywhere("answered", /: it is answered with 204$/),
      answer: inAnswer(/the app answered 204 with an empty body, expected \{/),
    },
  },
  {
    name: "S15: is in a coding with control characters",
    play: (call, sound) => call.send(sound, { headers: { "content-encoding": "x\u009b31m" } }),
    ends: everywhere("undecodable", /has Content-Encoding x.+31m and cannot be read: /),
  },
  {
    name: "S17: packs its answer a thousand times",
    play: (call, sound) =>
      call.send(gzipSync(sound), { headers: { "content-encoding": Array(1000).fill("gzip").join(",") } }),
    ends: everywhere("undecodable", /cannot be read: app-sim decodes at most one layer of gzip$/),
  },
  {
    name: "S17: packs 5 GB of zeros",
    play: poursPacked("\0", 5_000_000_000),
    ends: everywhere("too-large", /is larger than 5 MiB after decompression$/),
  },
  {
    name: "S20: sends 5 MB and a byte, with a Content-Length",
    play: (call) => call.send(OVER_LIMIT),
    ends: everywhere("too-large", tooLarge),
  },
  {
    name: "S20: sends 5 MB and a byte, in chunks",
    play: (call) => call.send(OVER_LIMIT, { headers: { "transfer-encoding": "chunked" } }),
    ends: everywhere("too-large", tooLarge),
  },
  {
    name: "S20: sends 5 MB and a byte, of unknown length",
    play: writes(() => [head(), OVER_LIMIT]),
    ends: everywhere("too-large", tooLarge),
  },
  {
    name: "S20: announces 5 GB and sends 1 GB",
    play: pours(" \n", 1_000_000_000, "content-length: 5000000000"),
    ends: everywhere("too-large", tooLarge),
  },
];
