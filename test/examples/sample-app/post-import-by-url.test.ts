import { once } from "node:events";
import { readdirSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type SampleApp, startSampleApp } from "../../../examples/sample-app/app.js";
import { createHostedFiles } from "../../../examples/sample-app/hosted-files.js";
import type { Refusal } from "../../../examples/sample-app/http.js";
import { type AppCall, type FakeApp, startFakeApp, unusedPort } from "../../rig/fake-app.ts";
import { makeTempDir, type TempDir } from "../../rig/temp-dir.ts";
import { callPostImport, fetchLines, type ImportAnswer, job, label, string } from "./import-jobs.ts";
import { type Fields, issued } from "./platform.ts";

const MIB = 1024 * 1024;

let disk: TempDir;
/** What the platform hosts, by path. */
let hosted: Map<string, string | ((call: AppCall) => void)>;
let platform: FakeApp;
let app: SampleApp;

beforeEach(async () => {
  disk = makeTempDir();
  vi.stubEnv("TMPDIR", disk.path);
  hosted = new Map();
  platform = await startFakeApp();
  platform.answer((call) => {
    const file = hosted.get(call.path);
    if (typeof file === "function") file(call);
    else call.send(file ?? "", { status: file === undefined ? 404 : 200 });
  });
  app = await startSampleApp({ ...issued, authUrl: platform.url });
});

afterEach(async () => {
  vi.useRealTimers();
  await app.close();
  const leftBehind = readdirSync(disk.path);
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await platform.close();
  disk[Symbol.dispose]();
  expect(leftBehind).toEqual([]);
});

const ndjson = (strings: readonly unknown[]) => strings.map((one) => `${JSON.stringify(one)}\n`).join("");

function callByUrl(stringsUrl: unknown, signal?: AbortSignal): Promise<ImportAnswer> {
  return callPostImport(app.url, job(undefined, { stringsUrl }), signal && { signal });
}

/** Has the platform host a file, and the app tidy it. */
function tidy(file: string | ((call: AppCall) => void), path = "/strings"): Promise<ImportAnswer> {
  hosted.set(path, file);
  return callByUrl(platform.url + path);
}

function error(message: string) {
  return { status: 200, json: { error: { message } } };
}

const untidy = string({ text: " a " });
const tidied = string({ text: "a", labels: [label] });

describe("strings by URL", () => {
  it("2.4: are answered by URL, one record per line", async () => {
    const kept = string({ uniqId: "2", custom: { a: [1, null] }, translations: { fr: { text: " a " } } });
    const answer = await tidy(ndjson([untidy, kept]));
    expect(answer).toMatchObject({ status: 200, json: { data: { stringsUrl: expect.any(String) } } });
    expect(await fetchLines(answer)).toEqual([JSON.stringify(tidied), JSON.stringify(kept)]);
  });

  it("are answered with 304 when nothing would change, and leave no file", async () => {
    expect(await tidy(ndjson([string()]))).toMatchObject({ status: 304, text: "" });
    expect(await tidy("")).toMatchObject({ status: 304 });
    expect(readdirSync(disk.path)).toEqual([]);
  });

  it("I8: come back as they do inline, whatever they hold", async () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(" ", "\n", "\r", "\u2028", "\u0085", "\ud800", "\udc00", "%s", "<b>", '"', "\\", "\u0000"),
        fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
      ),
    });
    const plural = fc.record({ hasPlurals: fc.constant(true), text: fc.record({ one: text, other: text }) });
    const record = fc.record(
      {
        identifier: text,
        context: text,
        maxLength: fc.option(fc.nat()),
        isHidden: fc.option(fc.boolean()),
        labels: fc.array(text),
        attributes: fc.record({ platformType: text }),
        translations: fc.dictionary(text, fc.record({ text, status: fc.constantFrom("untranslated", "approved") })),
        custom: fc.jsonValue(),
      },
      { requiredKeys: ["identifier"] },
    );
    const strings = fc.array(fc.tuple(record, fc.oneof(fc.record({ text }), plural)));
    await fc.assert(
      fc.asyncProperty(strings, async (drawn) => {
        const sent = drawn.map(([fields, own], index) => ({ uniqId: `f::${index}`, ...fields, ...own }));
        const inline = await callPostImport(app.url, job(sent));
        const byUrl = await tidy(ndjson(sent));
        expect(byUrl.status).toBe(inline.status);
        if (inline.status === 304) return;
        const { data } = inline.json as { data: { strings: Fields[] } };
        expect(await fetchLines(byUrl)).toEqual(data.strings.map((one) => JSON.stringify(one)));
      }),
      { numRuns: 30 },
    );
  });

  it("I7: of 20 simultaneous jobs do not mix, and neither do those of one job sent twice", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const name = `/${Math.floor(index / 2)}`;
        const strings = Array.from({ length: 300 }, (__, at) =>
          string({ uniqId: `${name}::${at}`, text: ` ${name}a` }),
        );
        return tidy(ndjson(strings), name);
      }),
    );
    const files = await Promise.all(answers.map(fetchLines));
    for (const [index, lines] of files.entries()) {
      const name = `/${Math.floor(index / 2)}`;
      const expected = { text: `${name}a`, labels: [label] };
      expect(lines).toEqual(lines.map((_, at) => JSON.stringify(string({ uniqId: `${name}::${at}`, ...expected }))));
      expect(lines).toHaveLength(300);
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(20);
  });

  it.each<[how: string, file: (lines: readonly string[]) => string]>([
    ["CR LF", (lines) => lines.join("\r\n")],
    ["LF CR", (lines) => lines.join("\n\r")],
    ["a byte-order mark", (lines) => `\ufeff${lines.join("\n")}`],
    ["blank lines and a final newline", (lines) => `\n \n${lines.join("\n\n")}\n`],
  ])("I3: are read with %s", async (_how, file) => {
    const sent = ["\u2028 a", "b \u2029", "c"].map((text, index) => string({ uniqId: String(index), text }));
    const lines = await fetchLines(await tidy(file(sent.map((one) => JSON.stringify(one)))));
    expect(lines.map((line) => JSON.parse(line).text)).toEqual(["a", "b", "c"]);
  });

  it.each<[wrong: string, line: string, message: string]>([
    ["no JSON", "{", "Line 500 is not JSON in UTF-8."],
    ["no string record", "[]", "Line 500: the string must be an object."],
    ["a record without text", '{"uniqId":"1","identifier":"a"}', "Line 500: text must be a text."],
    [
      "nesting without end",
      `{"uniqId":"1","identifier":"a","text":" a","custom":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      "The strings are nested too deeply.",
    ],
  ])("I3: with %s on line 500 are an error that says so", async (_wrong, line, message) => {
    const file = `${JSON.stringify(untidy)}\n`.repeat(499) + line;
    expect(await tidy(file)).toMatchObject(error(message));
    expect(readdirSync(disk.path)).toEqual([]);
  });
});

describe("a stringsUrl", () => {
  it.each<[where: string, address: (canary: string) => string]>([
    ["another port", (canary) => `${canary}/strings`],
    ["this app", () => `${app.url}/manifest.json`],
    ["another name of the same machine", () => `${platform.url.replace("127.0.0.1", "localhost")}/strings`],
    ["a platform with a user", () => `${platform.url.replace("//", "//user:word@")}/strings`],
    ["a host that has the platform's as user", (canary) => canary.replace("//", `//${new URL(platform.url).host}@`)],
    ["another scheme", () => `${platform.url.replace("http:", "https:")}/strings`],
    ["a file", () => "file:///etc/passwd"],
    ["data", () => `data:application/x-ndjson,${JSON.stringify(untidy)}`],
    ["a link-local address", () => "http://169.254.169.254/latest/meta-data"],
    ["no address at all", () => "/strings"],
  ])("S21: that is %s is refused and not fetched", async (_where, address) => {
    await using canary = await startFakeApp();
    const message = `stringsUrl must be an address of the platform, which is at ${platform.url}.`;
    hosted.set("/strings", ndjson([untidy]));
    expect(await callByUrl(address(canary.url))).toMatchObject(error(message));
    expect([canary.calls.length, platform.calls.length]).toEqual([0, 0]);
  });

  it("may be at the platform's REST API, too", async () => {
    await using other = await startSampleApp({ ...issued, apiUrl: platform.url }).then((started) => ({
      ...started,
      [Symbol.asyncDispose]: started.close,
    }));
    hosted.set("/strings", ndjson([untidy]));
    const answer = await callPostImport(other.url, job(undefined, { stringsUrl: `${platform.url}/strings` }));
    expect(await fetchLines(answer)).toEqual([JSON.stringify(tidied)]);
  });

  it("I4: that redirects is not followed", async () => {
    await using canary = await startFakeApp();
    const answer = await tidy((call) => call.send("", { status: 302, headers: { location: canary.url } }));
    expect(answer).toMatchObject(error("stringsUrl was answered with 302 instead of 200."));
    expect(canary.calls).toEqual([]);
  });

  it("I4: that does not exist is an error", async () => {
    expect(await callByUrl(`${platform.url}/other`)).toMatchObject(
      error("stringsUrl was answered with 404 instead of 200."),
    );
  });

  it.each<[trouble: string, file: (call: AppCall) => void]>([
    ["is reset", (call) => call.reset()],
    ["breaks off", (call) => call.sendThenReset(ndjson([untidy]), 10_000)],
    ["is no HTTP", (call) => call.raw("nonsense\r\n\r\n")],
  ])("I4: that %s is an error", async (_trouble, file) => {
    expect(await tidy(file)).toMatchObject(error("The file at stringsUrl cannot be reached, or broke off."));
  });

  it("I4: where nothing listens is an error", async () => {
    const nowhere = `http://127.0.0.1:${await unusedPort()}`;
    const other = await startSampleApp({ ...issued, authUrl: nowhere });
    const answer = await callPostImport(other.url, job(undefined, { stringsUrl: `${nowhere}/strings` }));
    await other.close();
    expect(answer).toMatchObject(error("The file at stringsUrl cannot be reached, or broke off."));
  });

  it("I4: that hangs in the middle is abandoned before the platform gives up", async () => {
    const deadline = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(deadline.signal);
    const answer = tidy((call) => {
      beginFile(call);
      deadline.abort(new DOMException("The operation timed out.", "TimeoutError"));
    });
    expect(await answer).toMatchObject(error("The file at stringsUrl did not arrive in time."));
    expect(timeout.mock.calls).toEqual([[110_000]]);
    expect(readdirSync(disk.path)).toEqual([]);
  });

  it("is not fetched any longer when the platform hangs up", async () => {
    const leaving = new AbortController();
    let ended: Promise<void> | undefined;
    hosted.set("/strings", (call) => {
      beginFile(call);
      ended = call.closed;
      leaving.abort();
    });
    await expect(callByUrl(`${platform.url}/strings`, leaving.signal)).rejects.toThrow();
    await ended;
    expect(platform.calls).toHaveLength(1);
  });

  it("is not fetched any longer when the app is closed", async () => {
    const begun = new Promise<AppCall>((resolve) => {
      hosted.set("/strings", (call) => {
        beginFile(call);
        resolve(call);
      });
    });
    const answer = expect(callByUrl(`${platform.url}/strings`)).rejects.toThrow();
    const call = await begun;
    await app.close();
    await call.closed;
    await answer;
  });

  /** Sends one record of a file, and never the rest. */
  function beginFile(call: AppCall): void {
    call.raw(`HTTP/1.1 200 OK\r\ncontent-length: 10000\r\n\r\n${ndjson([untidy])}`, { end: false });
  }
});

describe("the file of an answer", () => {
  function fileUrl({ json }: ImportAnswer): string {
    return (json as { data: { stringsUrl: string } }).data.stringsUrl;
  }

  it("has an address that nobody can guess, and is newline-delimited JSON", async () => {
    const url = fileUrl(await tidy(ndjson([untidy])));
    expect(url.slice(app.url.length)).toMatch(/^\/post-import\/files\/[\w-]{43}$/);
    const { status, headers } = await fetch(url);
    expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
      200,
      "application/x-ndjson",
      "no-store",
    ]);
  });

  it("is removed after the fetch", async () => {
    const url = fileUrl(await tidy(ndjson([untidy])));
    expect(await (await fetch(url)).text()).toBe(ndjson([tidied]));
    expect((await fetch(url)).status).toBe(404);
  });

  it("is not removed by a HEAD, or by a request for another address", async () => {
    const url = fileUrl(await tidy(ndjson([untidy])));
    expect((await fetch(url, { method: "HEAD" })).status).toBe(405);
    for (const path of ["", "*", "x".repeat(43), "../files", "..%2f", "%00"]) {
      expect((await fetch(`${app.url}/post-import/files/${path}`)).status).toBe(404);
    }
    expect((await fetch(url)).status).toBe(200);
  });

  it("can be fetched again after an interrupted fetch", async () => {
    const strings = Array.from({ length: 20 }, (_, index) =>
      string({ uniqId: String(index), text: ` ${"a".repeat(MIB)}` }),
    );
    const url = fileUrl(await tidy(ndjson(strings)));
    // The app learns of one that broke off at the latest while it serves the next.
    for (const _ of [1, 2, 3]) {
      const [response] = await once(get(url), "response");
      expect(response.statusCode).toBe(200);
      await once(response, "data");
      response.destroy();
    }
    const text = await (await fetch(url)).text();
    expect(text.split("\n")).toHaveLength(21);
    expect((await fetch(url)).status).toBe(404);
  });

  it("is removed when the app is closed", async () => {
    const url = fileUrl(await tidy(ndjson([untidy])));
    expect(readdirSync(disk.path)).toHaveLength(1);
    await app.close();
    expect(readdirSync(disk.path)).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();
  });

  it.each([
    [599_999, true],
    [600_000, false],
  ])("after %i ms without a fetch, exists: %s", async (age, isThere) => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const files = createHostedFiles("http://app.test", "/files");
    const { url } = await files.host(["{}\n"]);
    vi.advanceTimersByTime(age);
    const fetched = files.answer({ url: new URL(url).pathname } as IncomingMessage);
    const status = await fetched.then(
      ({ body, status }) => {
        body.destroy();
        return status;
      },
      (refusal: Refusal) => refusal.status,
    );
    expect(status).toBe(isThere ? 200 : 404);
    await files.close();
    expect(readdirSync(disk.path)).toEqual([]);
  });

  it("R24: is an error to the user, without a path, when it cannot be stored", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    vi.stubEnv("TMPDIR", join(disk.path, "missing"));
    const message = "The app cannot store the strings now. Try again later.";
    expect(await tidy(ndjson([untidy]))).toMatchObject(error(message));
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "ENOENT" }));
  });
});
