import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Exchange } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { Redactor } from "../../src/journal/redact.ts";
import { harText } from "../../src/log/har.ts";
import { harProblems } from "../rig/har.ts";
import { exchangeRecord, loginRecord } from "../rig/journal-lines.ts";

const pieces = (...records: Parameters<typeof harText>[0]) =>
  harText(records, new Redactor(["canary-secret"]), "1.2.3", new AbortController().signal);
const har = async (...records: Parameters<typeof harText>[0]) => JSON.parse((await pieces(...records)).join(""));
const entryOf = async (...[changes]: [Parameters<typeof exchangeRecord>[1]]) => {
  const [entry] = (await har(exchangeRecord("7h2k", changes))).log.entries;
  if (entry === undefined) throw new Error("no entry");
  return entry;
};

test("an exchange as a browser writes it is valid by the schemas of HAR 1.2", async () => {
  const archive = await har(
    loginRecord("9zzz"),
    exchangeRecord("7h2k", {
      request: {
        method: "POST",
        url: "http://127.0.0.1:3000/office?a=1&b=%C3%A4&jwtToken=x.y.z",
        headers: [
          ["Content-Type", "application/json"],
          ["Cookie", "session=canary-cookie"],
        ],
        body: recordBody(Buffer.from('{"key":"canary-secret"}')),
      },
    }),
  );
  expect(harProblems(archive)).toEqual([]);
  expect(archive.log).toMatchObject({ version: "1.2", creator: { name: "app-sim", version: "1.2.3" } });
  expect(archive.log.entries).toHaveLength(1);
  expect(archive.log.entries[0]).toMatchObject({
    startedDateTime: "2026-01-02T03:04:05.000Z",
    time: 4.5,
    timings: { send: 0, wait: 3, receive: 1.5 },
    request: {
      method: "POST",
      httpVersion: "HTTP/1.1",
      queryString: [
        { name: "a", value: "1" },
        { name: "b", value: "ä" },
        { name: "jwtToken", value: "‹redacted›" },
      ],
      postData: { mimeType: "application/json", text: '{"key":"‹redacted›"}' },
    },
    response: { status: 200, statusText: "OK", content: { mimeType: "application/json", text: '{"success":true}' } },
    comment: "guard office exchange 7h2k",
    _resourceType: "fetch",
  });
  expect(JSON.stringify(archive)).not.toContain("canary");
});

test("the time of a connection includes that of TLS, which is also listed separately; -1 if it was not measured", async () => {
  const timingsOf = async (timings: Exchange["timings"]) => (await entryOf({ timings })).timings;
  expect(await timingsOf({ connectMs: 0.4, tlsMs: 2.5, headersMs: 3, totalMs: 4.5 })).toEqual({
    ...{ blocked: -1, dns: -1, connect: 2.5, ssl: 2.1, send: 0, wait: 0.5, receive: 1.5 },
  });
  expect(await timingsOf({ connectMs: 0.4, headersMs: null, totalMs: 4.5 })).toMatchObject({
    ...{ connect: 0.4, ssl: -1, wait: 4.1, receive: 0 },
  });
  expect(await timingsOf({ headersMs: 3, totalMs: 4.5 })).toMatchObject({
    connect: -1,
    ssl: -1,
    wait: 3,
    receive: 1.5,
  });
});

test("a call without an answer has an error like a browser's, and is valid, too", async () => {
  const entry = await entryOf({
    response: null,
    outcome: { kind: "unreachable", code: "ECONNREFUSED", detail: "", elsewhere: null },
  });
  expect(entry).toMatchObject({ response: { status: 0 }, _error: "unreachable (ECONNREFUSED)" });
  expect(harProblems({ log: { ...(await har()).log, entries: [entry] } })).toEqual([]);
});

test("bytes that are not text are in base64, gzip is decompressed, and a truncated body says so", async () => {
  const answer = async (bytes: Buffer, size = bytes.length, headers: [string, string][] = []) =>
    (await entryOf({ response: { status: 200, headers, body: recordBody(bytes, size) } })).response;
  expect(await answer(Buffer.from([0xff, 0xfe, 0]))).toMatchObject({
    content: { text: "//4A", encoding: "base64", mimeType: "x-unknown", size: 3 },
  });
  const packed = gzipSync("in full");
  expect(await answer(packed, packed.length, [["Content-Encoding", "gzip"]])).toMatchObject({
    content: { text: "in full", size: 7 },
    bodySize: packed.length,
  });
  expect(await answer(Buffer.from("ab"), 10)).toMatchObject({ content: { comment: "the first 2 of 10 bytes" } });
  const sent = { ...exchangeRecord("x").request, body: recordBody(Buffer.from([0xff])) };
  expect((await entryOf({ request: sent })).request).toMatchObject({
    postData: { text: "/w==", comment: "in base64" },
  });
});

test("each piece holds one exchange at most: a full journal would exceed the maximum length of a string", async () => {
  const [one, many] = [await pieces(exchangeRecord("1")), await pieces(...Array(100).fill(exchangeRecord("1")))];
  const longest = (texts: readonly string[]) => Math.max(...texts.map(({ length }) => length));
  expect(longest(many)).toBeLessThanOrEqual(longest(one) + 1);
  expect(JSON.parse((await pieces()).join(""))).toMatchObject({ log: { version: "1.2", entries: [] } });
});
