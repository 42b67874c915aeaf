import { renameSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ManifestNews } from "../../src/index.ts";
import { type RunningPlatform, startPlatform } from "../../src/start-platform.ts";
import {
  type CallHandler,
  type FakeApp,
  guardEntry,
  manifestOf,
  startFakeApp,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { awaitPage, begin, comeBack } from "../rig/logins.ts";
import { always, guardStages, usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const good = manifestOf({ guards: [guardEntry("office")] });
const other = manifestOf({ guards: [guardEntry("entrance")] });
const invalid = manifestOf({ guards: [{ key: "office" }] });

interface Edited extends AsyncDisposable {
  readonly app: FakeApp;
  readonly sim: RunningPlatform;
  readonly news: readonly ManifestNews[];
  readonly directory: TempDir;
  edit(manifest: unknown): void;
}

/** An app whose manifest is a file, and a simulator that remembers the last good one. */
async function startEdited(manifest: unknown, answer: CallHandler = always({ success: true })): Promise<Edited> {
  const directory = makeTempDir();
  const app = await startFakeApp();
  app.answer(answer);
  const news: ManifestNews[] = [];
  const edit = (content: unknown) => void directory.write("manifest.json", content);
  edit(manifest);
  const sim = await startPlatform({
    app: { url: app.url, manifest: `${directory.path}/manifest.json` },
    onManifest: (told) => news.push(told),
  });
  return {
    app,
    sim,
    news,
    directory,
    edit,
    async [Symbol.asyncDispose]() {
      await sim.close();
      await app.close();
      directory[Symbol.dispose]();
    },
  };
}

const guardsAsked = async (sim: RunningPlatform) => guardStages(await sim.guard()).map(({ module }) => module);

describe("R38: a manifest that is edited while the platform runs", () => {
  it.each([
    ["is invalid", invalid, /is not valid: modules\.auth-guard\[0\]\.name is missing/],
    ["is no JSON", "{", /JSON/],
  ])("the last valid one stays in use while it %s, and the error is reported", async (_, wrong, why) => {
    await using run = await startEdited(good);
    expect(await guardsAsked(run.sim)).toEqual(["office"]);
    run.edit(wrong);
    const result = await run.sim.guard();
    expect(result.outcome).toBe("granted");
    expect(result.warnings).toEqual([expect.stringMatching(/; the last good manifest stays in use$/)]);
    expect(result.warnings[0]).toMatch(why);
    expect(await guardsAsked(run.sim)).toEqual(["office"]);
    run.edit(other);
    expect(await guardsAsked(run.sim)).toEqual(["entrance"]);
    // Twice read without a change is no news.
    expect(run.news).toMatchObject([
      { app: run.app.url, before: null, manifest: { guards: [{ key: "office" }] }, problem: null },
      { manifest: { guards: [{ key: "office" }] }, problem: { reason: expect.stringMatching(why) } },
      { before: { guards: [{ key: "office" }] }, manifest: { guards: [{ key: "entrance" }] }, problem: null },
    ]);
  });

  it("that disappears and comes back unchanged is reported both times", async () => {
    await using run = await startEdited(good);
    const file = `${run.directory.path}/manifest.json`;
    await run.sim.manifest();
    renameSync(file, `${file}.away`);
    expect(await run.sim.manifest()).toMatchObject({ outcome: "ok", apps: [{ guards: [{ key: "office" }] }] });
    renameSync(`${file}.away`, file);
    await run.sim.manifest();
    const reasons = run.news.map(({ problem }) => problem?.reason ?? null);
    expect(reasons).toEqual([null, expect.stringContaining("there is no such file"), null]);
  });

  it("the same holds for an app that serves an error page instead, or does not answer", async () => {
    await using app = await startFakeApp({ manifest: good });
    app.answer((call) =>
      call.method === "POST" ? call.reply({ success: true }) : call.send("<html>", { status: 500 }),
    );
    const news: ManifestNews[] = [];
    await using sim = await startPlatform({ app: { url: app.url }, onManifest: (told) => news.push(told) });
    expect(await guardsAsked(sim)).toEqual(["office"]);
    app.manifest = undefined;
    expect(await guardsAsked(sim)).toEqual(["office"]);
    await app.close();
    expect(await sim.guard()).toMatchObject({ outcome: "failed", deniedBy: null, failure: "unreachable" });
    const reasons = news.map(({ problem }) => problem?.reason ?? "");
    expect(reasons).toEqual(["", expect.stringContaining("answered 500"), expect.stringContaining("nothing listens")]);
  });

  it("pending logins keep theirs", async () => {
    const page = (key: string) => manifestOf({ guards: [guardEntry(key, { type: "redirect", url: "/page" })] });
    await using run = await startEdited(page("before"), (call) =>
      call.reply({ success: call.body.includes('"code"') }),
    );
    const login = await begin(run.sim, { page: "wait" });
    await awaitPage(login);
    run.edit(page("after"));
    await run.sim.manifest();
    comeBack(run.sim, login, { code: "c" });
    expect(await login.result).toMatchObject({ outcome: "granted" });
    expect(run.app.calls.map(({ path }) => path)).toEqual(["/before", "/before"]);
  });

  it("nothing replaces an invalid first one: the action fails, and the problem is reported", async () => {
    await using run = await startEdited(invalid);
    expect((await usageErrorOf(run.sim.guard())).code).toBe("manifest-invalid");
    expect(run.news).toMatchObject([{ before: null, manifest: null, problem: { hint: expect.any(String) } }]);
  });

  it("each app has a separate one", async () => {
    await using one = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("a")] }) });
    await using two = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("b")] }) });
    await using sim = await startPlatform({ apps: [{ url: one.url }, { url: two.url }], onManifest: () => {} });
    await sim.manifest();
    two.manifest = invalid;
    const { apps, warnings } = await sim.manifest();
    expect(apps.map(({ url, webhooks }) => [url, webhooks[0]?.key])).toEqual([
      [one.url, "a"],
      [two.url, "b"],
    ]);
    expect(warnings).toHaveLength(1);
  });

  it("R38: one app's invalid manifest does not hide those of the others", async () => {
    await using one = await startFakeApp({ manifest: invalid });
    await using two = await startFakeApp({ manifest: manifestOf({ webhooks: [webhookEntry("b")] }) });
    const news: string[] = [];
    const onManifest = ({ app, manifest }: ManifestNews) => news.push(`${app} ${manifest === null ? "bad" : "good"}`);
    await using sim = await startPlatform({ apps: [{ url: one.url }, { url: two.url }], onManifest });
    expect(await sim.manifest()).toMatchObject({ outcome: "failed", apps: [] });
    expect(news).toEqual([`${one.url} bad`, `${two.url} good`]);
  });
});

it("an interruption is not a problem of the manifest", async () => {
  const interruption = new AbortController();
  await using app = await startFakeApp();
  const news: ManifestNews[] = [];
  await using sim = await startPlatform({
    app: { url: app.url },
    onManifest: (told) => news.push(told),
    signal: interruption.signal,
  });
  const reading = sim.manifest();
  await app.nextCall();
  interruption.abort();
  expect(await reading).toMatchObject({ outcome: "failed", failure: "interrupted" });
  expect(news).toEqual([]);
});

it("without a listener, no manifest is remembered", async () => {
  using directory = makeTempDir();
  const manifest = directory.write("manifest.json", good);
  await using sim = await startPlatform({ app: { url: `http://127.0.0.1:${await unusedPort()}`, manifest } });
  await sim.manifest();
  directory.write("manifest.json", invalid);
  expect(await sim.manifest()).toMatchObject({ outcome: "failed", apps: [] });
});
