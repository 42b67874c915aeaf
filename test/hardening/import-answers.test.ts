import { describe, expect, it } from "vitest";
import { type ImportResult, importResultSchema, startSimulator } from "../../src/index.ts";
import { startFakeApp } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { exchangesOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";
import { type HostileAnswer, job, type Place, sound } from "./hostile-answer.ts";
import { expectEnd, hostileAnswersIn, hostileApp, manifest } from "./hostile-import.ts";

// R40: each hostile answer to a post-import call ends in one named outcome, and nothing of it is applied.

describe("an answer to the call that", () => {
  it.each(hostileAnswersIn("answer"))("$name", (hostile) => expectEnd(hostile, "answer"));
});

describe("S18: a redirect", () => {
  it.each([301, 302, 303, 307, 308])("of status %d is not followed, and the credentials go nowhere", async (status) => {
    await using canary = await startFakeApp();
    canary.answer((call) => call.send(sound.answer));
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send(sound.answer, { status, headers: { location: `${canary.url}/import` } }));
    await using sim = await startSimulator({ app: { url: app.url, fileOrigins: [canary.url] } });
    const { jobs } = await sim.postImport({ name: "job", job });
    expect(jobs).toMatchObject([
      { outcome: "failed", error: expect.stringContaining(`answered ${status}, a redirect`) },
    ]);
    expect(app.calls).toHaveLength(1);
    expect(canary.calls).toEqual([]);
    expect(exchangesOf(sim, "import-file")).toEqual([]);
  });
});

describe("S20: an answer of exactly 5 MB", () => {
  const padded = `${sound.answer}${" ".repeat(5_242_880 - Buffer.byteLength(sound.answer))}`;

  it.each([
    ["with a Content-Length", { "content-length": "5242880" }],
    ["in chunks", { "transfer-encoding": "chunked" }],
    ["of unknown length", { connection: "close", "transfer-encoding": "identity" }],
  ])("is taken %s", async (_name, headers) => {
    await using app = await startFakeApp({ manifest });
    app.answer((call) => call.send(padded, { headers: { "content-type": "application/json", ...headers } }));
    await using sim = await startSimulator({ app: { url: app.url } });
    const { jobs } = await sim.postImport({ name: "job", job });
    expect(jobs).toMatchObject([{ outcome: "imported", received: { strings: 2, bytes: 5_242_880 } }]);
  });
});

/** Runs `app-sim post-import --format json` into an app with this answer in this place. */
async function runJson(place: Place, { play, isEndless }: Pick<HostileAnswer, "play" | "isEndless">) {
  using directory = makeTempDir();
  await using app = await startFakeApp({ manifest });
  app.answer(hostileApp(app.url, place, play));
  const limitMs = isEndless === true ? 1000 : 20_000;
  const limits = [`postImport.timeout=${limitMs}`, `postImport.fetch.timeout=${limitMs}`];
  const { code, stdout } = await runLine([
    ...["post-import", directory.write("job.json", job), "--app", app.url, "--format", "json"],
    ...limits.flatMap((choice) => ["--choose", choice]),
  ]);
  const result: ImportResult = importResultSchema.parse(JSON.parse(stdout));
  return { code, result };
}

function hostileAnswer(place: Place, name: string): HostileAnswer {
  return hostileAnswersIn(place).find((hostile) => hostile.name === name) ?? expect.fail(`no ${name}`);
}

describe("R33: the command with --format json", () => {
  it.each([
    ["answer", "R5: resets after its headers", 1],
    ["answer", "R6: hangs", 4],
    ["answer", "R8: sends bytes of no kind", 1],
    ["stringsUrl", "S19: drips, each byte well within the limit", 4],
    ["previewUrl", "R13: redirects", 1],
  ] as const)("%s: %s ends as one JSON object and with %d", async (place, name, exitCode) => {
    const { code, result } = await runJson(place, hostileAnswer(place, name));
    expect(code).toBe(exitCode);
    expect(result.jobs).toMatchObject([{ outcome: "failed", error: expect.any(String), changes: { strings: [] } }]);
  });
});
