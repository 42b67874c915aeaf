import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordBody } from "../../src/journal/journal.ts";
import { type FakeApp, guardEntry, manifestOf, startFakeApp, webhookEntry } from "../rig/fake-app.ts";
import { hasTools } from "../rig/has-tools.ts";
import { exchangeRecord, journalText, loginRecord } from "../rig/journal-lines.ts";
import { runLine } from "../rig/line.ts";
import { exchangesIn, onlyObject } from "../rig/output.ts";
import { runShell } from "../rig/shell.ts";
import { always } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const journal = ".app-sim/journal.ndjson";
const appSecret = "canary-$ecret'";

let directory: TempDir;
let app: FakeApp;
beforeEach(async () => {
  directory = makeTempDir();
  const hook = webhookEntry("hook", ["project.translated"]);
  app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")], webhooks: [hook] }) });
  app.answer(always({ success: true }));
});
afterEach(async () => {
  await app.close();
  directory[Symbol.dispose]();
});

const run = (...args: string[]) =>
  runLine([...args, "--app", app.url], { cwd: directory.path, env: { APP_SIM_APP_SECRET: appSecret } });

async function refusal(...args: string[]) {
  const { code, stdout, stderr } = await run("log", ...args, "--curl", "--format", "json");
  expect([code, stdout]).toEqual([2, ""]);
  return onlyObject(stderr).error;
}

/** A delivery to this address, in the journal. */
const sentTo = (url: string) =>
  exchangeRecord("away", { purpose: "webhook", request: { ...exchangeRecord("away").request, url } });

describe.skipIf(!hasTools("curl", "openssl"))("app-sim log ID --curl", () => {
  test("a webhook is resent by the shell: the same bytes, signed with the secret of app-sim env", async () => {
    await run("webhook", "project.translated", "--set", "project.id=it's é");
    const { code, stdout, stderr } = await run("log", "last", "--curl");
    expect([code, stderr]).toEqual([0, ""]);
    const [first] = app.calls;
    expect(stdout).not.toContain("canary");
    expect(stdout).not.toContain(first?.header("x-platform-signature"));
    directory.write("again.sh", stdout);
    const script = 'eval "$(app_sim env --format shell)" && sh again.sh';
    const result = await runShell(script, directory.path, { APP_SIM_APP_SECRET: appSecret });
    expect(result).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^HTTP\/1\.1 200 /) });
    const [, again] = app.calls;
    expect(again?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(again?.header("x-platform-signature")).toBe(
      createHmac("sha256", appSecret)
        .update(again?.body ?? "")
        .digest("hex"),
    );
  });

  test("as JSON: the same command", async () => {
    await run("webhook", "project.translated");
    const text = await run("log", "last", "--curl");
    const { code, stdout } = await run("log", "last", "--curl", "--format", "json");
    expect([code, onlyObject(stdout)]).toEqual([0, { command: "log", curl: text.stdout }]);
  });

  test("last is the last request, even if a login follows it", async () => {
    await run("guard");
    const last = exchangesIn(directory.path).at(-1);
    const { stdout, stderr } = await run("log", "last", "--curl");
    expect(stdout).toBe((await run("log", last?.id ?? "", "--curl")).stdout);
    expect(stderr).toMatch(new RegExp(`^the last exchange is ${last?.id}: POST http://\\S+\n$`));
    expect(stdout).toMatch(/which app-sim does not show; app-sim token --module \S+ prints one like it/);
  });

  test("S28 a webhook that was not sent to a configured app is not signed for its address", async () => {
    const away = sentTo("http://127.0.0.1:9/hook");
    directory.write(journal, journalText([away]));
    expect((await refusal("away")).code).toBe("replay-elsewhere");
  });

  test("S28 an address with a backslash, which curl reads differently, is refused", async () => {
    const tricky = sentTo(`${app.url}\\@localhost:9/hook`);
    directory.write(journal, journalText([tricky]));
    expect((await refusal("away")).code).toBe("curl-no-address");
  });

  test("the token of a guard call is left to the shell", async () => {
    await run("guard");
    const guard = exchangesIn(directory.path).find(({ purpose }) => purpose === "guard");
    const { stdout } = await run("log", guard?.id ?? "", "--curl");
    expect(stdout).toContain("-H 'Authorization: Bearer '\"$TOKEN\"");
    expect(stdout).toContain("TOKEN:?is not set: give it the JWT of this call");
    expect(stdout).not.toContain("eyJ");
  });
});

describe("refused, because it cannot be resent:", () => {
  test("a login, with the exchange to look at", async () => {
    directory.write(journal, journalText([exchangeRecord("7h2k"), loginRecord("9zzz", { exchanges: ["7h2k"] })]));
    expect(await refusal("9zzz")).toMatchObject({
      code: "curl-no-exchange",
      hint: expect.stringContaining("log 7h2k --curl"),
    });
  });

  test("a body of which only the beginning was kept in the journal", async () => {
    const request = { method: "POST", url: app.url, headers: [], body: recordBody(Buffer.from("ab"), 1234) };
    directory.write(journal, journalText([exchangeRecord("7h2k", { request })]));
    expect(await refusal("7h2k")).toMatchObject({
      code: "curl-cut-body",
      message: "of the 1,234 bytes of exchange 7h2k the journal kept 2",
    });
  });

  test("S28 an invalid address", async () => {
    const request = { method: "POST", url: "-K/etc/hosts", headers: [], body: recordBody(Buffer.alloc(0)) };
    directory.write(journal, journalText([exchangeRecord("7h2k", { request })]));
    expect(await refusal("7h2k")).toMatchObject({ code: "curl-no-address" });
  });

  test("no id", async () => {
    expect(await refusal()).toMatchObject({ code: "curl-without-id" });
  });
});
