import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Outcome } from "../../src/index.ts";
import type { CallHandler } from "./fake-app.ts";

/** What the platform calls an app for. */
export type Flow = "guard" | "post-import" | "webhook";

/** One way in which an app goes wrong. */
export interface Fault {
  readonly name: string;
  readonly play: CallHandler;
  readonly outcome: Outcome["kind"];
  /** What the reason says; null where the answer is all that the flow asks for. */
  readonly reason: RegExp | Readonly<Record<Flow, RegExp | null>>;
  readonly failure?: "timed-out";
}

const json = (body: string | Buffer, headers = {}): CallHandler => {
  return (call) => call.send(body, { headers: { "content-type": "application/json", ...headers } });
};
const status = (code: number, headers = {}): CallHandler => {
  return (call) => call.reply({ success: true, data: { strings: [] } }, { status: code, headers });
};
/** The answer's body is at fault; of a webhook's answer the platform reads the status only. */
const inBody = (reason: RegExp) => ({ guard: reason, "post-import": reason, webhook: null });
const granting = '{"success":true,"data":{"strings":[]}}';
const page = "<!doctype html>\n<title>It works</title>";

/** Rows of the hardening table, R2 aside: that app does not run at all. */
export const faults: readonly Fault[] = [
  { name: "R5: resets", play: (call) => call.reset(), outcome: "disconnected", reason: /without an answer$/ },
  {
    name: "R5: resets in the middle of its answer",
    play: (call) => call.sendThenReset('{"success":true', 900),
    outcome: "disconnected",
    reason: /in the middle of its answer$/,
  },
  {
    name: "R8: speaks no HTTP",
    play: (call) => call.raw("220 mail ready\r\n"),
    outcome: "not-http",
    reason: /not HTTP/,
  },
  {
    name: "R15: answers an HTML page",
    play: (call) => call.send(page, { headers: { "content-type": "text/html" } }),
    outcome: "answered",
    reason: inBody(/answered 200 with an HTML page, expected \{/),
  },
  {
    name: "R15: answers nothing",
    play: (call) => call.send(""),
    outcome: "answered",
    reason: inBody(/answered 200 with an empty body, expected \{/),
  },
  {
    name: "R15: answers 204",
    play: (call) => call.send("", { status: 204 }),
    outcome: "answered",
    reason: {
      guard: /answered 204; expected 200 with \{"success"/,
      "post-import": /answered 204 with an empty body/,
      webhook: null,
    },
  },
  {
    name: "R15: answers invalid JSON",
    play: json('{"success":true'),
    outcome: "answered",
    reason: inBody(/answered 200, but the body is not valid JSON: /),
  },
  {
    name: "R17: answers no and yes",
    play: json('{"success":false,"success":true,"data":{"strings":[]}}'),
    outcome: "answered",
    reason: inBody(/the body has the key "success" twice in one object; expected \{/),
  },
  {
    name: 'answers {"success":"true"}',
    play: json('{"success":"true"}'),
    outcome: "answered",
    reason: {
      guard: /success is "true": expected true or false/,
      "post-import": /neither data\.strings nor/,
      webhook: null,
    },
  },
  {
    name: 'answers {"success":1}',
    play: json('{"success":1}'),
    outcome: "answered",
    reason: {
      guard: /success is 1: expected true or false/,
      "post-import": /neither data\.strings nor/,
      webhook: null,
    },
  },
  {
    name: "answers true",
    play: json("true"),
    outcome: "answered",
    reason: { guard: /is not \{.*an object$/, "post-import": /expected an object$/, webhook: null },
  },
  {
    name: "R16: answers with a byte order mark",
    play: json(`\uFEFF${granting}`),
    outcome: "answered",
    reason: inBody(/byte order mark/),
  },
  {
    name: "R16: answers what is not UTF-8",
    play: json(Buffer.from([...Buffer.from('{"success":true,"message":"'), 0xff, 0x22, 0x7d])),
    outcome: "answered",
    reason: inBody(/not UTF-8: invalid byte at offset 27/),
  },
  {
    name: "S24: answers with a __proto__ key",
    play: json('{"__proto__":{"success":true},"success":true}'),
    outcome: "answered",
    reason: inBody(/not valid JSON/),
  },
  {
    name: "R13: redirects",
    play: status(302, { location: "/else\u009b31mwhere" }),
    outcome: "answered",
    reason: /answered 302, a redirect to \/else.*where, which app-sim never follows$/,
  },
  { name: "answers 401", play: status(401), outcome: "answered", reason: /answered 401: .*authentic/ },
  { name: "answers 404", play: status(404), outcome: "answered", reason: /answered 404/ },
  { name: "answers 500", play: status(500), outcome: "answered", reason: /the app answered 500$/ },
  {
    name: "answers 403 and says why",
    play: (call) => call.reply({ success: false, message: "Not you." }, { status: 403 }),
    outcome: "answered",
    reason: { guard: /^Not you\.$/, "post-import": /answered 403/, webhook: /answered 403/ },
  },
  {
    name: "S20: answers too much",
    play: json(`{"success":true,"message":"${"a".repeat(5_242_880)}"}`),
    outcome: "too-large",
    reason: { guard: /larger than 1 MiB$/, "post-import": /larger than 5 MiB$/, webhook: /larger than 1 MiB$/ },
  },
  {
    name: "S17: answers a little that becomes much",
    play: json(gzipSync(Buffer.alloc(6_000_000, " ")), { "content-encoding": "gzip" }),
    outcome: "too-large",
    reason: /larger than . MiB after decompression$/,
  },
  {
    name: "S17: packs its answer twice",
    play: json(gzipSync(gzipSync(granting)), { "content-encoding": "gzip, gzip" }),
    outcome: "undecodable",
    reason: /Content-Encoding gzip, gzip and cannot be read/,
  },
  {
    name: "S16: answers br",
    play: json(brotliCompressSync(granting), { "content-encoding": "br" }),
    outcome: "undecodable",
    reason: /Content-Encoding br and cannot be read/,
  },
  {
    name: "R6: hangs",
    play: (call) => call.hang(),
    outcome: "timed-out",
    reason: /took longer than 0\.2 s: connected, but no answer came$/,
    failure: "timed-out",
  },
  {
    name: "R6: never ends its headers",
    play: (call) => call.dripHeaders(5),
    outcome: "timed-out",
    reason: /took longer than 0\.2 s: connected, but no answer came$/,
    failure: "timed-out",
  },
  {
    name: "S19: drips a byte at a time",
    play: (call) => call.drip(" ", 5),
    outcome: "timed-out",
    reason: /took longer than 0\.2 s: its answer began, but did not end$/,
    failure: "timed-out",
  },
];
