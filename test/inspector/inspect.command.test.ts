import { afterEach, beforeEach, expect, it } from "vitest";
import type { Invocation } from "../../src/action/invocation.ts";
import type { InspectFlags } from "../../src/inspector/action.ts";
import { inspectCommand } from "../../src/inspector/command.ts";
import { serveCommand } from "../../src/serve/command.ts";
import { startCommand, withCall } from "../rig/command.ts";
import { unusedPort } from "../rig/fake-app.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { postJson, send } from "../rig/oauth.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

let directory: TempDir;
beforeEach(() => {
  directory = makeTempDir();
});
afterEach(() => directory[Symbol.dispose]());

const inspect = (args: readonly string[], invocation: Partial<Invocation> = {}, flags: InspectFlags = {}) =>
  startCommand(withCall(inspectCommand, { args, flags }), { cwd: directory.path, ...invocation });

/** Opens a link as a browser does, and returns what asks with its key. */
async function opened(text: string) {
  const [, url = "", code = ""] = /(http:\/\/127\.0\.0\.1:\d+)\/#open=([\w-]+)/.exec(text) ?? [];
  const { key } = JSON.parse((await postJson(`${url}/-/inspector/key`, { code })).body);
  return async (path: string) => (await send(url + path, { headers: { authorization: `Bearer ${key}` } })).body;
}

it.each(["saved", "saved/journal.ndjson"])("shows a saved journal, by its directory or file: %s", async (path) => {
  const records = [exchangeRecord("abc"), loginRecord("login", { exchanges: ["abc"] })];
  directory.write("saved/journal.ndjson", journalText(records));
  await using command = inspect([path]);
  await command.printed(/#open=\S+\n/);
  expect(command.stdout()).toMatch(/^2 records of .*saved/);
  const ask = await opened(command.stdout());
  const platform = JSON.parse(await ask("/-/inspector/platform"));
  expect(platform).toMatchObject({ url: null, journal: expect.stringContaining("saved") });
  const view = JSON.parse(await ask("/-/inspector/exchanges/abc"));
  expect(view).toMatchObject({ status: 200, group: { kind: "login" } });
  command.signal("SIGINT");
  expect(await command.done).toBe(0);
});

it("makes another link to the running platform, and exits", async () => {
  const settings = { port: String(await unusedPort()) };
  await using platform = startCommand(withCall(serveCommand), { cwd: directory.path, settings });
  await platform.printed(/inspector +\S+\n/);
  await using command = inspect([], { settings, format: "json" });
  expect(await command.done).toBe(0);
  expect(JSON.parse(command.stdout())).toMatchObject({ command: "inspect", journal: null });
  const [first, second] = await Promise.all([opened(platform.stdout()), opened(command.stdout())]);
  for (const ask of [first, second]) expect(JSON.parse(await ask("/-/inspector/platform")).domain).toBe("acme");
});

it.each(["nothing-here", "."])("says what cannot be read: %s", async (path) => {
  directory.write("journal.ndjson", journalText([], 99));
  const error = await usageErrorOf(inspect([path]).done);
  expect(["journal-unreadable", "journal-version"]).toContain(error.code);
});
