import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/index.ts";
import { type CallHandler, startFakeApp } from "../rig/fake-app.ts";
import { addressIn, byUrl, firstJob, importing, linesOf, oneImport, returning } from "../rig/imports.ts";
import { always, exchangesOf, jobWith, onlyCall, record, startSimulation } from "../rig/simulation.ts";

const strings = [record("1", "Save"), record("2", "Ö\u2028ffnen"), record("3", "Close")];
const job = jobWith(strings);
const lines = strings.map((string) => JSON.stringify(string));
const failed = { outcome: "failed", changes: { changed: 0, added: 0, removed: 0, unchanged: 0, strings: [] } };

describe("2.4 data.stringsUrl", () => {
  it("is fetched exactly once, without credentials, and is an exchange of the job", async () => {
    await using run = await startSimulation({ serves: oneImport, answer: byUrl(linesOf(strings)) });
    const imported = firstJob(await run.sim.postImport({ name: "job", job }));
    const fetched = run.app.calls.filter(({ method }) => method === "GET");
    const call = onlyCall({ calls: fetched });
    expect([call.path, call.header("authorization"), call.header("cookie")]).toEqual([
      "/answer-file",
      undefined,
      undefined,
    ]);
    expect(call.header("accept-encoding")).toBe("identity");
    const purposes = imported.exchanges.map((id) => (run.sim.journal.find(id) as Exchange).purpose);
    expect(purposes).toEqual(["post-import", "import-file"]);
    expect(imported).toMatchObject({
      outcome: "imported",
      received: { strings: 3, via: "url", bytes: Buffer.byteLength(linesOf(strings)) },
      changes: { unchanged: 3 },
      findings: [],
    });
  });

  it.each<[string, string]>([
    ["LF", lines.join("\n").concat("\n")],
    ["CRLF", lines.join("\r\n").concat("\r\n")],
    ["LF CR", lines.join("\n\r").concat("\n\r")],
    ["no final newline", lines.join("\n")],
    ["a byte order mark", `\ufeff${lines.join("\n")}\n`],
    ["blank lines", `\n\r\n${lines.join("\n\n  \n")}\n\n\t\n`],
    ["white space around", lines.map((line) => ` ${line}\t `).join("\n")],
  ])("may have %s", async (_, file) => {
    const { imported } = await importing(job, byUrl(file));
    expect(imported).toMatchObject({ outcome: "imported", received: { strings: 3 }, changes: { unchanged: 3 } });
    expect(imported.findings).toEqual([]);
  });

  it("may be formatted differently, out of order, with strings changed, added and omitted", async () => {
    const [first, , third] = strings;
    const received = [
      { text: "Neu", identifier: "n", uniqId: "9" },
      { ...third, text: "Zu" },
      { hasPlurals: false, ...first },
    ];
    const { imported } = await importing(
      job,
      byUrl(received.map((string) => JSON.stringify(string, undefined, 1).replaceAll("\n", "")).join("\n")),
    );
    expect(imported).toMatchObject({
      outcome: "imported",
      changes: {
        changed: 1,
        added: 1,
        removed: 1,
        unchanged: 1,
        strings: [{ uniqId: "2" }, { uniqId: "3" }, { uniqId: "9" }],
      },
    });
  });

  it("may be empty: every string is omitted", async () => {
    const { imported } = await importing(job, byUrl(""));
    expect(imported).toMatchObject({
      outcome: "imported",
      received: { strings: 0, bytes: 0 },
      changes: { removed: 3 },
    });
  });

  it.each<[string, string | Buffer, RegExp]>([
    ["no JSON", `${lines[0]}\r\n\r\n{"uniqId":\r\n`, /^line 3 is not valid JSON: .*; it starts: \{"uniqId":$/],
    [
      "a JSON array over several lines",
      JSON.stringify(strings, undefined, 2),
      /^line 1 starts a JSON array: write one record per line/,
    ],
    ["a JSON array in one line", JSON.stringify(strings), /^line 1 starts a JSON array: write one record per line/],
    [
      "records over several lines",
      strings.map((record) => JSON.stringify(record, undefined, 2)).join("\n"),
      /^line 1 is only \{: does the record span several lines\?/,
    ],
    [
      "a cut off file",
      lines.join("\n").slice(0, -9),
      /^line \d is not valid JSON: .*without a line feed: was it truncated\?$/,
    ],
    ["an HTML page", "\n<!doctype html><p>Log in", /^line 2 starts an HTML page: <!doctype html><p>Log in$/],
    ["a key twice (R17)", `${lines[0]}\n{"uniqId":"2","uniqId":"3"}`, /^line 2 has the key "uniqId" twice/],
    ["__proto__ (S24)", `{"__proto__":{"uniqId":"1"}}`, /^line 1 is not valid JSON/],
    [
      "bad UTF-8 (R16)",
      Buffer.concat([Buffer.from(`${lines[0]}\n"`), Buffer.from([0xff, 0x22])]),
      /^line 2 is not UTF-8/,
    ],
    ["no end (R9)", '{"uniqId":"1"', /^line 1 is not valid JSON/],
  ])("with a line of %s fails the import, and the line is named", async (_, file, message) => {
    const { imported } = await importing(job, byUrl(file));
    expect(imported).toMatchObject(failed);
    expect(imported.findings).toEqual([
      expect.objectContaining({
        ...{ check: "import.file.lines", section: "2.4", result: "fail", path: "data.stringsUrl" },
        message: expect.stringMatching(message),
      }),
    ]);
    expect(imported.error).toMatch(/breaks the contract: data\.stringsUrl: line \d/);
  });

  it("with lines that are not records names each by its number", async () => {
    const { imported } = await importing(
      job,
      byUrl(`${lines[0]}\n\n5\n[]\n{"uniqId":"2","identifier":"i","text":{}}\n`),
    );
    expect(imported).toMatchObject(failed);
    expect(imported.findings.map(({ check, path, message }) => [check, path, message])).toEqual([
      ["import.string.shape", "data.stringsUrl line 3", "is 5: expected an object"],
      ["import.string.shape", "data.stringsUrl line 4", "is []: expected an object"],
      ["import.string.shape", "data.stringsUrl line 5.text", expect.stringContaining("hasPlurals")],
    ]);
  });

  it("R18 with numbers and lone surrogates that JSON parsers read differently gets a warning, by line", async () => {
    const odd = '{"uniqId":"9","identifier":"\\ud800","text":"a","more":9007199254740993}';
    const { imported } = await importing(job, byUrl(`${lines.join("\n")}\n${odd}`));
    expect(imported.outcome).toBe("imported");
    expect(imported.findings.map(({ check, path }) => [check, path])).toEqual([
      ["import.json.lossy", "data.stringsUrl line 4.identifier"],
      ["import.json.lossy", "data.stringsUrl line 4.more"],
    ]);
  });
});

describe("a file that cannot be fetched fails the import", () => {
  it.each<[string, CallHandler, RegExp]>([
    ["404", (call) => call.send("", { status: 404 }), /^data\.stringsUrl: there is nothing \(404\)$/],
    ["500 with lines", (call) => call.send(linesOf(strings), { status: 500 }), /: it is answered with 500$/],
    ["206", (call) => call.send(linesOf(strings), { status: 206 }), /: it is answered with 206$/],
    [
      "S18 a redirect",
      (call) => call.send("", { status: 302, headers: { location: "/elsewhere" } }),
      /: it redirects \(302 to \/elsewhere\), which app-sim does not follow$/,
    ],
    ["R5 a reset in the middle", (call) => call.sendThenReset(`${lines[0]}\n`, 5000), /in the middle of its answer/],
    ["R5 a reset before it", (call) => call.reset(), /without an answer/],
    ["R8 garbage", (call) => call.raw("garbage\r\n\r\n"), /is not HTTP/],
  ])("%s", async (_, file, reason) => {
    const { imported, calls } = await importing(job, byUrl(file));
    expect(imported).toMatchObject({ ...failed, failure: "other", received: { via: "url" } });
    expect(imported.error).toMatch(reason);
    expect(imported.findings).toMatchObject([
      { check: "import.file.fetched", result: "fail", path: "data.stringsUrl", value: expect.stringMatching(/^http:/) },
    ]);
    expect(calls).toHaveLength(2);
  });

  it("S19 R6 one that arrives byte by byte ends at its time limit", async () => {
    const { imported } = await importing(
      job,
      byUrl((call) => call.drip(" ", 20)),
      {},
      { choices: { "postImport.fetch.timeout": 300 } },
    );
    expect(imported).toMatchObject({ ...failed, failure: "timed-out" });
    expect(imported.error).toBe("data.stringsUrl: the app took longer than 0.3 s: its answer began, but did not end");
  });

  it.each([
    ["just the limit", 1024, "imported"],
    ["a byte more", 1025, "failed"],
  ])("S20 of %s in bytes, with and without Content-Length", async (_, size, outcome) => {
    const file = `${JSON.stringify(record("1", "a".repeat(size - JSON.stringify(record("1", "")).length - 1)))}\n`;
    expect(file).toHaveLength(size);
    const choices = { "postImport.fetch.size": 1024 };
    const chunked: CallHandler = (call) =>
      call.raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n${file}\r\n0\r\n\r\n`);
    for (const handler of [byUrl(file), byUrl(chunked)]) {
      const { imported } = await importing(job, handler, {}, { choices });
      expect(imported.outcome).toBe(outcome);
      if (outcome === "failed")
        expect(imported.error).toBe("data.stringsUrl: the app's answer is larger than 1,024 bytes");
    }
  });
});

describe("S21 an address of a file", () => {
  it.each([
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:169.254.169.254]/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "/lines.ndjson",
    "",
    "http://user:secret@127.0.0.1/",
    "https://files.example/lines",
  ])("that is not the app's own is never fetched: %j", async (url) => {
    const { imported, calls, journal } = await importing(job, always({ data: { stringsUrl: url } }));
    expect(imported).toMatchObject({
      ...failed,
      findings: [{ check: "import.file.address", section: "2.4", result: "fail", path: "data.stringsUrl", value: url }],
    });
    expect(calls).toHaveLength(1);
    expect(exchangesOf({ journal }, "import-file")).toEqual([]);
  });

  it("may be at another origin only if that is allowed", async () => {
    await using files = await startFakeApp();
    files.answer((call) => call.send(linesOf(strings)));
    const answer = always({ data: { stringsUrl: `${files.url}/lines` } });
    const refused = await importing(job, answer);
    expect(refused.imported).toMatchObject({ ...failed, hint: expect.stringContaining(`--allow-origin ${files.url}`) });
    expect(files.calls).toEqual([]);
    await using app = await startFakeApp({ manifest: oneImport });
    app.answer(answer);
    const allowed = await importing(job, answer, {}, { app: { url: app.url, fileOrigins: [files.url] } });
    expect(allowed.imported.outcome).toBe("imported");
    expect(files.calls).toHaveLength(1);
  });
});

it("an answer with strings in both ways is never fetched", async () => {
  const { imported, calls } = await importing(job, (call) =>
    call.reply({ data: { ...returning(strings).data, stringsUrl: addressIn(call, "/lines") } }),
  );
  expect(imported).toMatchObject({ ...failed, findings: [{ check: "import.answer.pairs", path: "data.stringsUrl" }] });
  expect(calls).toHaveLength(1);
});
