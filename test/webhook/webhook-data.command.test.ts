import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CliOptions } from "../rig/cli.ts";
import { type FakeApp, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

let app: FakeApp;
beforeAll(async () => {
  app = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("all", ["file.added", "task.done"])] }) });
  app.answer((call) => call.send("", { status: 204 }));
});
afterAll(() => app.close());

/** What the app got of a run. */
async function delivered(args: readonly string[], options: CliOptions & { readonly input?: string | Buffer } = {}) {
  const before = app.calls.length;
  const { code, stderr } = await runLine(["webhook", "--app", app.url, ...args], options);
  expect([code, stderr]).toEqual([0, ""]);
  return app.calls.slice(before).flatMap((call) => (call.json() as { events: unknown[] }).events);
}

/** What the program says of a mistake; nothing reaches the app. */
async function mistake(data: string, options: Parameters<typeof delivered>[1] = {}) {
  const before = app.calls.length;
  const args = ["webhook", "file.added", "--app", app.url, "--data", data, "--format", "json"];
  const { code, stdout, stderr } = await runLine(args, options);
  expect([code, stdout, app.calls.length]).toEqual([2, "", before]);
  return onlyObject(stderr).error as { code: string; message: string; hint: string };
}

const payload = { file: { id: "7", name: "Zażółć" } };
const event = { event: "file.added", ...payload };

describe("--data", () => {
  test("takes JSON", async () => {
    expect(await delivered(["file.added", "--data", JSON.stringify(payload)])).toEqual([event]);
    expect(await delivered(["file.added", "--data", `\n [${JSON.stringify(payload)}]`])).toEqual([event]);
  });

  test("reads a file relative to where the command runs", async () => {
    using directory = makeTempDir();
    directory.write("payload.json", payload);
    expect(await delivered(["file.added", "--data", "payload.json"], { cwd: directory.path })).toEqual([event]);
  });

  test("takes stdin", async () => {
    const input = JSON.stringify(payload);
    expect(await delivered(["file.added", "--data", "-"], { input })).toEqual([event]);
  });

  test("may name the events itself: a complete body from another program", async () => {
    const body = { events: [event, { event: "task.done", task: { id: "1" } }, event] };
    expect(await delivered(["--data", JSON.stringify(body)])).toEqual(body.events);
  });

  test.each<[string, string, Parameters<typeof delivered>[1], string, string]>([
    ["JSON that is none", '{"a":', {}, "not-json", "--data: the text is not valid JSON: "],
    [
      "JSON whose quotes the shell took",
      "{project:{id:1}}",
      {},
      "not-json",
      "--data: the text is not valid JSON: Expected property name or '}' in JSON: line 1 column 2, in `{project:{id:1}}`: the name needs double quotes",
    ],
    ["an empty stdin", "-", { input: "" }, "not-json", "--data: stdin is empty"],
    [
      "a stdin that is no UTF-8",
      "-",
      { input: Buffer.from([0x22, 0xff, 0x22]) },
      "not-json",
      "invalid byte at offset 1",
    ],
    ["no such file", "nowhere.json", {}, "file-unreadable", "nowhere.json cannot be read: there is no such file"],
    ["a value that is no payload", "[7]", {}, "payload-invalid", "data: [0] is 7: expected an object"],
    [
      "R17: a number that would change",
      '{"id":9007199254740993}',
      {},
      "number-inexact",
      "--data: id is 9007199254740993",
    ],
    [
      "another event",
      '{"event":"x"}',
      {},
      "event-other",
      'data: event is "x", which is not one of the named events: file.added',
    ],
    ["a template that nobody knows", '{"id":"{{uuid}}"}', {}, "unknown-template", 'Did you mean "string.uuid"?'],
  ])("%s: exit 2, with what is wrong and where", async (_, data, options, code, message) => {
    const error = await mistake(data, options);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe("fixtures/events", () => {
  test("in the working directory has payloads by the names of events", async () => {
    using directory = makeTempDir();
    directory.write("fixtures/events/file.added.json", { file: { id: "{{string.uuid}}" } });
    const args = ["file.added", "task.done", "--seed", "5"];
    const events = await delivered(args, { cwd: directory.path });
    expect(events).toEqual([
      { event: "file.added", file: { id: expect.stringMatching(/^[\da-f-]{36}$/) } },
      { event: "task.done", project: { id: "501" }, targetLanguage: { id: "uk" } },
    ]);
    expect(await delivered(args, { cwd: directory.path })).toEqual(events);
  });

  test("with a file that is not JSON: exit 2, with file and place", async () => {
    using directory = makeTempDir();
    directory.write("fixtures/events/task.done.json", "{}");
    writeFileSync(join(directory.path, "fixtures/events/file.added.json"), "{\n");
    const { code, stderr } = await runLine(["webhook", "file.added", "--app", app.url], { cwd: directory.path });
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, " ")).toMatch(/file\.added\.json: the file is not valid JSON: .*line 1 column 1/);
  });
});
