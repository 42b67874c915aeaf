import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { guardResultSchema, importResultSchema, webhookResultSchema } from "../../src/index.ts";
import { startCli } from "../rig/cli.ts";
import { guardEntry, importEntry, manifestOf, startFakeApp, unusedPort, webhookEntry } from "../rig/fake-app.ts";
import { exchangeRecord, journalText } from "../rig/journal-lines.ts";
import { startLine } from "../rig/line.ts";
import { exchangesIn, fixturePath, isListening, journalIn, onlyObject } from "../rig/output.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const manifest = manifestOf({
  guards: [guardEntry("office")],
  imports: [importEntry("tidy")],
  webhooks: [webhookEntry("events"), webhookEntry("more")],
});

/** Runs a command against an app that never answers, and sends the signals once the app has been called. */
async function interrupt(directory: TempDir, args: readonly string[], signals: readonly NodeJS.Signals[]) {
  await using app = await startFakeApp({ manifest });
  await using cli = startCli([...args, "--app", app.url], { cwd: directory.path });
  await app.nextCall();
  for (const signal of signals) cli.child.kill(signal);
  const result = await cli.done;
  return { ...result, calls: app.calls.length };
}

describe("R21: Ctrl-C while a guard does not answer", () => {
  test("as JSON: 130, nobody is let in, and the journal has the outcome", async () => {
    using directory = makeTempDir();
    const args = ["guard", "--format", "json"];
    const { code, signal, stdout, stderr } = await interrupt(directory, args, ["SIGINT"]);
    expect([code, signal, stderr]).toEqual([130, null, ""]);
    const result = guardResultSchema.parse(onlyObject(stdout));
    expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", failure: "interrupted" });
    const { records, ...damage } = journalIn(directory.path);
    expect(damage).toEqual({ unreadable: 0, torn: false });
    expect(records.map((record) => record.type)).toEqual(["exchange", "exchange", "login"]);
    expect(exchangesIn(directory.path).at(-1)).toMatchObject({
      id: result.stages.at(-1)?.exchanges[0],
      purpose: "guard",
      outcome: { kind: "interrupted" },
      response: null,
    });
    expect(readFileSync(`${directory.path}/.app-sim/journal.ndjson`, "utf8")).toMatch(/\n$/);
  });

  test("as text: the same in words", async () => {
    await using app = await startFakeApp({ manifest });
    await using line = startLine(["guard", "--app", app.url]);
    await app.nextCall();
    line.signal("SIGINT");
    expect((await line.done).stdout).toMatch(/^Interrupted: access was not granted$/m);
  });

  test("the platform no longer serves its files", async () => {
    await using app = await startFakeApp({ manifest });
    const port = await unusedPort();
    // With a key pair the app may fetch the public key, so the platform listens.
    const args = ["guard", "--choose", "guard.jwt.algorithm=ES256", "--port", String(port), "--app", app.url];
    await using line = startLine(args);
    await app.nextCall();
    expect(await isListening(port)).toBe(true);
    line.signal("SIGINT");
    await line.done;
    expect(await isListening(port)).toBe(false);
  });
});

describe("R21: other commands", () => {
  test("post-import: the current job and those after it fail as interrupted, and no more are sent", async () => {
    using directory = makeTempDir();
    const file = fixturePath("jobs/greetings.json");
    const args = ["post-import", file, file, "--format", "json"];
    const { code, stdout, calls } = await interrupt(directory, args, ["SIGINT"]);
    expect([code, calls]).toEqual([130, 1]);
    const { jobs } = importResultSchema.parse(onlyObject(stdout));
    expect(jobs).toMatchObject(
      Array(2).fill({ outcome: "failed", error: expect.stringMatching(/^interrupted/), failure: "interrupted" }),
    );
  });

  test("webhook: SIGTERM is 143, and the next module is not called", async () => {
    using directory = makeTempDir();
    const args = ["webhook", "project.approved", "--format", "json"];
    const { code, signal, stdout, calls } = await interrupt(directory, args, ["SIGTERM"]);
    expect([code, signal, calls]).toEqual([143, null, 1]);
    expect(webhookResultSchema.parse(onlyObject(stdout))).toMatchObject({ outcome: "failed", failure: "interrupted" });
  });
});

describe("R21: a second signal ends the process at once", () => {
  test.each([[["SIGINT", "SIGINT"]], [["SIGINT", "SIGTERM"]], [["SIGTERM", "SIGTERM"]]] as const)(
    "%j: whichever comes first, it ends and the journal is whole",
    async (signals) => {
      using directory = makeTempDir();
      const { code, signal } = await interrupt(directory, ["guard", "--format", "json"], signals);
      const codes: Record<string, number> = { SIGINT: 130, SIGTERM: 143 };
      expect(signals.map((name) => codes[name])).toContain(code ?? codes[signal ?? ""]);
      expect(journalIn(directory.path)).toMatchObject({ unreadable: 0, torn: false });
    },
  );
});

test("R21: SIGTERM ends serve although nobody reads its output any more", async () => {
  using directory = makeTempDir();
  await using cli = startCli(["serve", "--format", "json", "--port", "0"], { cwd: directory.path });
  const [, url = ""] = await cli.printed(/"url":"([^"]+)"/);
  cli.child.stdout.pause();
  // More than a pipe holds: what is written from now on waits in the program.
  const asked = Array.from({ length: 150 }, () => fetch(`${url}/api/v2/projects`));
  for (const answer of await Promise.all(asked)) expect(answer.status).toBe(401);
  const ended = once(cli.child, "exit");
  cli.child.kill("SIGTERM");
  expect(await ended).toEqual([143, null]);
});

test.each([
  ["log --follow", /^ID /m],
  ["inspect", /Ctrl-C ends it/],
])("Ctrl-C is the normal end of %s: exit 0; SIGTERM is 143", async (command, shown) => {
  using directory = makeTempDir();
  directory.write(".app-sim/journal.ndjson", journalText([exchangeRecord("abc")]));
  for (const [signal, code] of [
    ["SIGINT", 0],
    ["SIGTERM", 143],
  ] as const) {
    await using cli = startCli(command.split(" "), { cwd: directory.path });
    await cli.printed(shown);
    cli.child.kill(signal);
    expect(await cli.done).toMatchObject({ code, signal: null, stderr: "" });
  }
});
