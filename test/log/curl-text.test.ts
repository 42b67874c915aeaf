import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import type { Exchange, HeaderLines } from "../../src/journal/exchange.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { curlText, type ShellSigning } from "../../src/log/curl-text.ts";
import { printCommand } from "../../src/output/shell-text.ts";
import { deliveryMaker } from "../../src/webhook/rules/delivery-request.ts";
import { signatureHeaders, signatureScheme } from "../../src/webhook/rules/signature.ts";
import { type AppCall, type FakeApp, startFakeApp } from "../rig/fake-app.ts";
import { hasTools } from "../rig/has-tools.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";
import { rawControls } from "../rig/output.ts";
import { always } from "../rig/simulation.ts";
import { makeTempDir, type TempDir } from "../rig/temp-dir.ts";

const appSecret = "app-sécret-$(id)'\"";
const token = "eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJhIn0.c2lnbmF0dXJl";
const shells = ["sh", "bash", "zsh"].filter((shell) => hasTools(shell));

let app: FakeApp;
let directory: TempDir;
beforeEach(async () => {
  app = await startFakeApp();
  app.answer(always({ ok: true }));
  directory = makeTempDir();
});
afterEach(async () => {
  await app.close();
  directory[Symbol.dispose]();
});

function signingBy(choices: Choices): ShellSigning {
  return {
    scheme: signatureScheme(readChoices(choices)),
    signsUncompressed: choices["webhook.signature.gzip"] === "uncompressed",
    variable: "PLATFORM_APP_SECRET",
  };
}

/** An exchange of a request that went to the app. */
function sent(
  request: Partial<Exchange["request"]> & { readonly bytes?: Buffer },
  changes: Partial<Exchange> = {},
): Exchange {
  const { bytes = Buffer.alloc(0), ...rest } = request;
  const base = { method: "POST", url: `${app.url}/hook`, headers: [] };
  return exchangeRecord("7h2k", { ...changes, request: { ...base, body: recordBody(bytes), ...rest } });
}

/** What the app got when the shell ran the command. */
async function run(script: string, shell = "sh", env: NodeJS.ProcessEnv = {}): Promise<AppCall> {
  const before = app.calls.length;
  const environment = {
    PATH: process.env.PATH,
    HOME: directory.path,
    PLATFORM_APP_SECRET: appSecret,
    TOKEN: token,
    ...env,
  };
  const file = directory.write("command.sh", script);
  const stderr = await new Promise<string>((resolve) => {
    execFile(shell, [file], { cwd: directory.path, env: environment }, (_error, _stdout, errors) => resolve(errors));
  });
  const call = app.calls[before];
  if (call === undefined || stderr !== "") throw new Error(`${stderr}\n${script}`);
  return call;
}

const ofHttp = ["host", "connection", "content-length"];
const own = (headers: HeaderLines) => headers.filter(([name]) => !ofHttp.includes(name.toLowerCase()));

const bodies: [string, Buffer][] = [
  ["plain JSON", Buffer.from('{"events":[{"event":"project.translated"}]}')],
  ["what a shell reads", Buffer.from(`{"a":"it's \`id\` $(touch pwned) $HOME !! \\\\ \\' %s %d * ~ # \\n"}`)],
  ["é, emoji", Buffer.from('{"a":"é 👩‍👧"}')],
  ["line feeds, tabs, U+2028, ESC", Buffer.from('{ "a" : 1 }\r\n\t\u2028\u001b[2J\n\n')],
  ["NUL and bytes that are no UTF-8", Buffer.from([0x00, 0xff, 0xc3, 0x28, 0x0a, 0x00])],
  ["256 KiB", Buffer.alloc(256 * 1024, "é ' ")],
];

describe.skipIf(!hasTools("curl", "openssl", "gzip"))("the command, run by a shell, sends the same request", () => {
  describe.each(shells)("%s:", (shell) => {
    test.each(bodies)("a body with %s", async (_, bytes) => {
      const choices = { ...defaultChoices, "webhook.signature.prefix": "it's=" };
      const organization = { id: 1, domain: "acme", edition: "enterprise" as const };
      const maker = deliveryMaker({ organization, appSecret, module: "m" }, readChoices(choices));
      const request = maker.make(bytes, 1_800_000_000, "id");
      const exchange = sent({ bytes, headers: request.headers }, { purpose: "webhook" });
      const script = curlText(exchange, [appSecret], signingBy(choices));
      expect(rawControls(script)).toEqual([]);
      expect(script).not.toContain(appSecret);
      for (const [, value] of signatureHeaders(maker.scheme, appSecret, { body: bytes, now: 1_800_000_000, id: "d1" }))
        expect(script).not.toContain(value);
      const call = await run(script, shell);
      expect(call.body.equals(bytes)).toBe(true);
      expect(own(call.headers)).toEqual(request.headers);
      expect(existsSync(join(directory.path, "pwned"))).toBe(false);
    });
  });

  const chosen = (["hex", "base64", "base64url"] as const).flatMap((encoding) =>
    (["body", "timestamp.body"] as const).flatMap((content) =>
      ([null, "compressed", "uncompressed"] as const).map((gzip) => ({ encoding, content, gzip })),
    ),
  );
  test.each(chosen)("signed in $encoding over $content, gzip: $gzip", async ({ encoding, content, gzip }) => {
    const choices: Choices = {
      ...defaultChoices,
      "webhook.signature.encoding": encoding,
      "webhook.signature.content": content,
      ...(gzip === null ? {} : { "webhook.signature.gzip": gzip }),
    };
    const json = Buffer.from('{"events":[{"event":"é"}]}');
    const organization = { id: 1, domain: "acme", edition: "enterprise" as const };
    const parts = { organization, appSecret, module: "m", gzip: gzip !== null };
    const maker = deliveryMaker(parts, readChoices(choices));
    const request = maker.make(json, 1_800_000_000, "id");
    const exchange = sent({ bytes: Buffer.from(request.body), headers: request.headers }, { purpose: "webhook" });
    const call = await run(curlText(exchange, [], signingBy(choices)));
    const signed = gzip === "uncompressed" ? json : call.body;
    const now = Number(call.header("x-platform-timestamp") ?? 0);
    for (const [name, value] of signatureHeaders(maker.scheme, appSecret, { body: signed, now, id: "d1" }))
      expect(call.header(name)).toBe(value);
    expect(call.body.equals(request.body)).toBe(true);
    if (content === "timestamp.body") expect(Math.abs(Date.now() / 1000 - now)).toBeLessThan(60);
  });

  test("chunked, without headers that curl would add, and with an empty one", async () => {
    const headers: HeaderLines = [
      ["X-Empty", ""],
      ["X-Twice", "1"],
      ["X-Twice", "2"],
      ["transfer-encoding", "chunked"],
    ];
    const call = await run(curlText(sent({ bytes: Buffer.from("{}"), headers }), [], signingBy(defaultChoices)));
    expect(own(call.headers)).toEqual(headers);
    expect(call.body.toString()).toBe("{}");
  });

  test.each(["GET", "DELETE", "HEAD"])("%s without a body, with an address that curl would change", async (method) => {
    const url = `${app.url}/a/../{b}/[1-3]?q='%20$(touch%20pwned)&%5B`;
    const call = await run(curlText(sent({ method, url }), [], signingBy(defaultChoices)));
    expect([call.method, app.url + call.path]).toEqual([method, url]);
    expect(own(call.headers)).toEqual([]);
  });

  test("a bearer token and a jwtToken are taken from a variable, and without it nothing is sent", async () => {
    const headers: HeaderLines = [["Authorization", `Bearer ${token}`]];
    const url = `${app.url}/page?a='&jwtToken=${token}&state=s`;
    for (const exchange of [sent({ headers }), sent({ method: "GET", url })]) {
      const script = curlText(exchange, [], signingBy(defaultChoices));
      expect(script).not.toContain(token.slice(-10));
      const call = await run(script);
      expect(`${call.header("authorization")} ${call.path}`).toContain(token);
      await expect(run(script, "sh", { TOKEN: "" })).rejects.toThrow(/TOKEN: is not set: give it the JWT of this call/);
    }
    expect(app.calls).toHaveLength(2);
  });
});

describe("S27", () => {
  test("all other secrets are redacted, and a line says so", () => {
    const exchange = sent({
      headers: [
        ["Cookie", "session=canary-1"],
        ["Authorization", "Basic canary-2"],
        ["X-Signature", "canary-3"],
      ],
      bytes: Buffer.from('{"client_secret":"canary-4","note":"canary-5"}'),
    });
    const script = curlText(exchange, ["canary-5"], signingBy(defaultChoices));
    expect(script).not.toContain("canary");
    expect(script).toMatch(/^# ‹redacted› stands for a secret$/m);
  });

  test("a webhook without a signature is sent without one", () => {
    const script = curlText(sent({ bytes: Buffer.from("{}") }, { purpose: "webhook" }), [], signingBy(defaultChoices));
    expect(script).not.toMatch(/signature|SECRET/);
  });
});

test("a shell writes any bytes, and does nothing else", () => {
  const hostile = fc.string({ unit: fc.constantFrom(..."'\"\\$`();&|<>{}[]*?~#!%\n\r\t \0é\u2028-=a".split("")) });
  const samples = fc.sample(fc.oneof(hostile, fc.string({ unit: "binary" })), 200).map((text) => Buffer.from(text));
  const script = samples.map((bytes) => `${printCommand(bytes)} | od -An -v -tx1 | tr -d ' \\n'; echo`).join("\n");
  const lines = execFileSync("sh", ["-c", script], { cwd: directory.path, encoding: "utf8" }).split("\n");
  expect(lines.slice(0, -1)).toEqual(samples.map((bytes) => bytes.toString("hex")));
});

test("a hostile request stays data: addresses and headers with quotes and control characters", async () => {
  const hostile = "'; touch pwned; '\n$(touch pwned)\u001b]0;x\u0007\0`touch pwned`";
  const exchange = sent({
    method: hostile,
    url: `${app.url}/${hostile}`,
    headers: [
      [`X-${hostile}`, hostile],
      ["X-A", hostile],
      ["@/etc/hosts", ""],
    ],
    bytes: Buffer.from(hostile),
  });
  const script = curlText(exchange, [], signingBy(defaultChoices));
  expect(rawControls(script)).toEqual([]);
  expect(script).toContain("-H 'X-A: ");
  expect(script).not.toContain("/etc/hosts");
  execFileSync("sh", ["-c", `curl() { :; }\n${script}`], { cwd: directory.path, stdio: "ignore" });
  expect(existsSync(join(directory.path, "pwned"))).toBe(false);
});
