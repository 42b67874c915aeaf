import { describe, expect, test } from "vitest";
import { demoResultSchema } from "../../src/index.ts";
import { runCli, startCli } from "../rig/cli.ts";
import { startSilentPort, unusedPort } from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { exchangesIn, fixturePath, isListening, journalIn, onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const portsIn = (text: string) => [...text.matchAll(/http:\/\/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));

describe("demo", () => {
  test("as text: the four jobs, what was sent and came back, then the next steps; nothing listens afterwards", async () => {
    using directory = makeTempDir();
    const { code, stdout, stderr } = await runCli(["demo", "--details"], { cwd: directory.path });
    expect([code, stderr]).toEqual([0, ""]);
    const steps = stdout.split(/^(?=\d\. |Now with)/m);
    expect(steps).toHaveLength(6);
    const [intro, login, imported, delivered, oauth, closing] = steps;
    expect(intro).toMatch(/^platform http:\S+, sample app http:\S+$/m);
    expect(login).toMatch(
      /→ POST .*\/guards\/network\n +JWT HS256: .*\n[\s\S]*← 200 \{"success":true\}[\s\S]*Access granted\n/,
    );
    expect(imported).toMatch(
      /✓ imported: 5 strings came back; 2 changed \(1 hidden, 2 relabelled\), 0 added, 0 removed, 3 unchanged\n/,
    );
    expect(delivered).toMatch(/of 2 events to webhook translation-events\n[\s\S]*Acknowledged by 1 webhook module\n/);
    expect(oauth).toMatch(
      /✓ refresh-again passed[\s\S]*The app logs its user in and uses its tokens: \d+ checks passed\n/,
    );
    for (const command of ["init", "doctor", "env", "guard", "verify", "log "]) {
      expect(closing).toContain(`app-sim ${command}`);
    }
    const [platform = 0, app = 0] = portsIn(intro ?? "");
    expect([await isListening(platform), await isListening(app)]).toEqual([false, false]);
  });

  test("on one screen: a login granted, one denied with its reason, a word diff, a forged delivery, a login by OAuth", async () => {
    using directory = makeTempDir();
    const { code, stdout } = await runLine(["demo"], { cwd: directory.path });
    expect(code).toBe(0);
    expect(stdout.split("\n").length).toBeLessThanOrEqual(30);
    for (const says of [
      /✓ member from 203\.0\.113\.10: granted by network, /,
      /✓ member from 198\.51\.100\.7: denied by network: \S/,
      /✓ 5 strings of \S+ came back, 2 changed by tidy-strings:\n +- text: .*\n +\+ text: See you soon\n/,
      /✓ 2 events, correctly signed: acknowledged 204/,
      /✓ 1 event, with a wrong signature: refused 401/,
      /✓ passed: .*refresh-again/,
    ])
      expect(stdout).toMatch(says);
    expect(stdout).not.toContain("→");
    const titles = stdout.split("\n").filter((line) => /^\d\. /.test(line));
    expect(titles.filter((title) => title.length > 80)).toEqual([]);
  });

  test("as JSON: the results in one", async () => {
    using directory = makeTempDir();
    const { code, stdout, stderr } = await runLine(["demo", "--format", "json"], { cwd: directory.path });
    expect([code, stderr]).toEqual([0, ""]);
    const result = demoResultSchema.parse(onlyObject(stdout));
    expect(result).toMatchObject({
      outcome: "ok",
      login: { outcome: "granted", warnings: [] },
      denied: { outcome: "denied", deniedBy: "network" },
      forged: { outcome: "refused" },
      import: { jobs: [{ fixture: "fixtures/jobs/greetings.json", outcome: "imported", findings: [] }], warnings: [] },
      webhook: { outcome: "acknowledged", deliveries: [{ events: 2 }], warnings: [] },
      oauth: { outcome: "ok", warnings: [] },
    });
    const purposes = exchangesIn(directory.path).map(({ purpose }) => purpose);
    expect(purposes).toEqual(expect.arrayContaining(["visit", "authorize", "consent", "token", "api"]));
    expect(purposes.filter((purpose) => ["guard", "post-import", "webhook"].includes(purpose))).toEqual([
      ...Array.from({ length: 5 }, () => "guard"),
      "post-import",
      ...Array.from({ length: 5 }, () => "webhook"),
    ]);
  });

  test("uses the configured secrets and user, but no choices: the sample app knows none", async () => {
    const secrets = { APP_SIM_CLIENT_SECRET: "another secret", APP_SIM_APP_SECRET: "and another" };
    const env = { ...secrets, APP_SIM_USER: "admin", APP_SIM_CHOOSE: "webhook.signature.encoding=base64" };
    const { code, stdout, stderr } = await runLine(
      ["demo", "--format", "json", "--profile", "key-pair", "--port", "7411"],
      { env },
    );
    expect(code).toBe(0);
    expect(stderr).toContain("warning: --port has no effect without --keep: the demo takes free ports\n");
    expect(stderr.match(/^warning: \S+(?= stays at its default: the sample app supports no other$)/gm)).toEqual([
      "warning: guard.jwt.algorithm",
      "warning: webhook.signature.encoding",
    ]);
    expect(demoResultSchema.parse(onlyObject(stdout))).toMatchObject({
      outcome: "ok",
      login: { user: { role: "admin" } },
    });
  });
});

describe("demo --keep", () => {
  test("keeps the sample app running for the other commands until Ctrl-C; then nothing listens", async () => {
    using directory = makeTempDir();
    const port = await unusedPort();
    const app = `http://127.0.0.1:${port}`;
    const options = { cwd: directory.path, env: { APP_SIM_PORT: String(await unusedPort()) } };
    await using cli = startCli(["demo", "--keep", "--app", app], options);
    await cli.printed(/the sample app stays at \S+ until Ctrl-C/);
    const runs = [
      ["guard", "--user", "admin"],
      ["post-import", fixturePath("jobs/greetings.json")],
      ["webhook", "project.approved"],
    ];
    const results = await Promise.all(runs.map((args) => runLine([...args, "--app", app], options)));
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0]);
    cli.child.kill("SIGINT");
    const { code, signal, stderr } = await cli.done;
    expect([code, signal]).toEqual([0, null]);
    // What is copied stands on a line of its own, which no terminal folds in the middle of its words.
    expect(stderr).toBe(
      `the sample app stays at ${app} until Ctrl-C; in another terminal:\n  app-sim guard --app ${app}\n`,
    );
    expect(await isListening(port)).toBe(false);
    expect(journalIn(directory.path)).toMatchObject({ unreadable: 0, torn: false });
  });

  test.each(["https://127.0.0.1:3566", "http://example.com:3501"])("is refused at %s: exit 2", async (url) => {
    const { code, stdout, stderr } = await runLine(["demo", "--keep", "--app", url]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^error: the sample app cannot listen at \S+\nhint: it listens on 127\.0\.0\.1: --app http:\S+\n$/,
    );
  });

  test("says which port is taken and what to do: exit 2", async () => {
    await using taken = await startSilentPort();
    const { code, stdout, stderr } = await runLine(["demo", "--keep", "--app", taken.url]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `error: port ${taken.port} of 127.0.0.1 is taken\nhint: end the other program, or choose another port: ` +
        `--app http://127.0.0.1:${taken.port + 1}\n`,
    );
  });
});

describe("demo --broken", () => {
  test("lists the faults, each with the checks that find it", async () => {
    using directory = makeTempDir();
    const { code, stdout } = await runLine(["demo", "--broken", "list"], { cwd: directory.path });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^guard: \d+ faults\n[\s\S]*^guard-no-expiry\n {2}The app accepts .* Found by: guard\.token\.expired\b/m,
      ),
    ]);
    const unknown = await runLine(["demo", "--broken", "guard-no-expiri"], { cwd: directory.path });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean "guard-no-expiry"?') });
  });

  test("starts the sample app with the fault, which verify finds", async () => {
    using directory = makeTempDir();
    const url = `http://127.0.0.1:${await unusedPort()}`;
    await using broken = startCli(["demo", "--broken", "guard-no-expiry", "--app", url], { cwd: directory.path });
    await broken.printed(/stays until Ctrl-C/);
    const line = ["verify", "--app", url, "--port", "0", "--only", "guard.token.expired", "--module", "network"];
    const found = await runLine(line, { cwd: directory.path });
    expect([found.code, found.stdout]).toEqual([1, expect.stringContaining("✗ FAILED guard.token.expired")]);
  });

  test.each([
    ["oauth-state-constant", "✗ FAILED oauth."],
    ["webhook-time-unchecked", "! warning webhook.time.old"],
    ["webhook-for-another-module", "! warning webhook.recipient.module"],
  ])("names the command that finds a fault, and what it needs to be told: %s", async (fault, said) => {
    using directory = makeTempDir();
    const [url, port] = [`http://127.0.0.1:${await unusedPort()}`, String(await unusedPort())];
    const at = ["--app", url, "--port", port];
    await using broken = startCli(["demo", "--broken", fault, ...at], { cwd: directory.path });
    await broken.printed(/stays until Ctrl-C/);
    const [, command = "", settings] = await broken.printed(
      /app-sim (verify [\s\S]*?)(?:\s+with this in the config file: (\{.*\}))?\s*$/,
    );
    if (settings !== undefined) directory.write("app-sim.config.json", settings);
    const found = await runLine([...command.split(/\s+/), "--port", port], { cwd: directory.path });
    expect([found.code, found.stdout]).toEqual([1, expect.stringContaining(said)]);
  });
});
