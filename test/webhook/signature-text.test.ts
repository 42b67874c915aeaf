import { execFileSync } from "node:child_process";
import { Chalk } from "chalk";
import { describe, expect, test } from "vitest";
import { appSecretKey } from "../../src/config/app-variables.ts";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import { configure } from "../../src/config/load.ts";
import { recordBody } from "../../src/journal/journal.ts";
import { paintWith } from "../../src/output/paint.ts";
import { variablesFor } from "../../src/settings/variables.ts";
import { deliveryMaker } from "../../src/webhook/rules/delivery-request.ts";
import { refusedSignatureLines, signatureText } from "../../src/webhook/signature-text.ts";
import type { WebhookOptions } from "../../src/webhook/webhook-options.ts";
import { hasTools } from "../rig/has-tools.ts";
import { exchangeRecord } from "../rig/journal-lines.ts";
import { rawControls } from "../rig/output.ts";
import { assemble } from "../rig/simulation.ts";

const app = { url: "http://127.0.0.1:9", appSecret: "app-sécret-$x'\"" };
const paint = paintWith(new Chalk({ level: 0 }), 60);

async function explained(chosen: Partial<Choices> = {}, options: WebhookOptions = {}) {
  const simulator = await assemble({ app, choices: chosen });
  const result = await simulator.explainSignature("project.translated", { seed: 7, ...options });
  return { result, lines: signatureText(result, "python", paint) };
}

test("shows each step: the bytes, the key's name, the signature, the headers, and code in one language", async () => {
  const { result, lines } = await explained({ "webhook.signature.prefix": "sha256=" });
  const text = lines.join("\n");
  expect(lines[0]).toBe(`Signed: the ${result.body.bytes} bytes of the body`);
  const shown = lines.slice(
    1,
    lines.findIndex((line) => line.startsWith("Key: ")),
  );
  expect(shown.map((line) => line.slice(2)).join("")).toBe(result.body.text);
  expect(shown.every((line) => line.length <= 60)).toBe(true);
  expect(text).toContain(
    "Key: apps[0].appSecret (15 characters), which app-sim env\n  prints as PLATFORM_APP_SECRET\n",
  );
  expect(text).toContain("Signature: HMAC-SHA256 of these bytes with this key, in hex,\n  after sha256=\n");
  expect(text).toContain(`\n  X-Platform-Signature: sha256=${result.digest}\n`);
  expect(text).toContain("\n  def verify(raw_body, signature, secret):\n");
  expect(text).not.toContain("timingSafeEqual");
  expect(text).toContain("other languages: --explain node, php, go, ruby, java,\n  csharp");
  expect(text).toContain("--seed 7 makes the same body again");
  expect(text).not.toContain(app.appSecret);
});

describe.skipIf(!hasTools("sh", "node", "openssl"))("the shown command computes the signature:", () => {
  test.each(
    (["hex", "base64", "base64url"] as const).flatMap((encoding) =>
      (["body", "timestamp.body"] as const).map((content) => [encoding, content] as const),
    ),
  )("%s of %s", async (encoding, content) => {
    const { result, lines } = await explained(
      { "webhook.signature.encoding": encoding, "webhook.signature.content": content },
      { set: ["project.id=it's $(id) é\u2028\n"] },
    );
    const command = lines[lines.findIndex((line) => line.startsWith("Signature: ")) + 1] ?? "";
    const rest = lines.slice(lines.findIndex((line) => line.startsWith("Signature: ")) + 1);
    const whole = rest.slice(0, rest.indexOf("Sent as:")).join("\n");
    const env = { PATH: process.env.PATH, PLATFORM_APP_SECRET: app.appSecret };
    expect(execFileSync("sh", ["-c", whole], { env, encoding: "utf8" }).trim()).toBe(result.header.value);
    expect(rawControls(command)).toEqual([]);
  });
});

test("a gzip body is not shown as text, unless the bytes before compression are signed", async () => {
  const zipped = await explained({}, { gzip: true });
  expect(zipped.lines[0]).toMatch(/^Signed: the \d+ bytes of the compressed body$/);
  expect(zipped.lines[1]).toMatch(/^ {2}not text: --format json has these \d+ bytes in base64$/);
  const plain = await explained({ "webhook.signature.gzip": "uncompressed" }, { gzip: true });
  expect(plain.lines[0]).toBe("Signed: the body as it was before it was compressed");
  expect(plain.lines[1]).toMatch(/^ {2}\{"events":\[/);
});

test("only the beginning of a long body is shown", async () => {
  const { lines } = await explained({}, { count: 1000 });
  expect(lines.join("").length).toBeLessThan(6000);
  expect(lines.join("\n")).toContain("app-sim webhook … --explain --format json | jq");
});

describe("the key has the name that app-sim env prints", () => {
  test.each([1, 3])("of %i apps", async (count) => {
    const apps = Array.from({ length: count }, (_, index) => ({
      url: `http://127.0.0.1:${index + 9}`,
      appSecret: `secret ${index}`,
    }));
    const { config } = await configure({ apps }, process.cwd());
    const variables = variablesFor(config, "PLATFORM_");
    for (const [index, one] of config.apps.entries()) {
      const { setting, variable } = appSecretKey(config.apps, one);
      expect([setting, variables[variable]]).toEqual([`apps[${index}].appSecret`, `secret ${index}`]);
    }
  });
});

describe("S27 of a delivery that was refused", () => {
  const key = { setting: "apps[0].appSecret", variable: "PLATFORM_APP_SECRET" };
  function refused(chosen: Partial<Choices> = {}, gzip = false, says = "no") {
    const choices = { ...defaultChoices, ...chosen };
    const organization = { id: 1, domain: "acme", edition: "enterprise" as const };
    const maker = deliveryMaker({ organization, appSecret: "secret", module: "m", gzip }, readChoices(choices));
    const { headers, body } = maker.make(Buffer.from('{"events":[]}'), 1_800_000_000, "id");
    const exchange = exchangeRecord("7h2k", {
      purpose: "webhook",
      request: { method: "POST", url: "http://127.0.0.1:9/", headers, body: recordBody(body) },
      response: { status: 400, headers: [["content-type", "text/plain"]], body: recordBody(Buffer.from(says)) },
    });
    const signature = headers.find(([name]) => name === maker.scheme.header)?.[1] ?? "";
    return { lines: refusedSignatureLines(exchange, key, choices), signature };
  }

  test("the first 12 characters of the signature are shown, and no more", () => {
    const { lines, signature } = refused({ "webhook.signature.prefix": "sha256=" });
    expect(lines).toEqual([
      "signed: the 13 bytes of the body",
      "key: apps[0].appSecret, which app-sim env prints as PLATFORM_APP_SECRET",
      `X-Platform-Signature: ${signature.slice(0, 19)}… (HMAC-SHA256 in hex)`,
      "usual causes: another secret, such as the client secret; a body that was parsed and serialized again; a signature read from another header; another encoding or prefix, or upper-case hex",
      "app-sim webhook project.translated --explain shows each step, and code that verifies it; --diagnose finds out what the app would accept",
    ]);
    expect(lines.join("\n")).not.toContain(signature.slice(0, 20));
  });

  test("the signature is not mentioned if a CSRF check refused the delivery", () => {
    expect(refused({}, false, "Bad Request: The CSRF token is missing.").lines).toEqual([]);
    expect(refused({}, false, "Bad Request: The signature is missing.").lines).toHaveLength(5);
  });

  test("the signed bytes are named: the timestamp, the compressed body, or the one before compression", () => {
    expect(refused({ "webhook.signature.content": "timestamp.body" }).lines[0]).toBe(
      "signed: 1800000000. and the 13 bytes of the body",
    );
    expect(refused({}, true).lines[0]).toMatch(/^signed: the \d+ bytes of the compressed body$/);
    expect(refused({ "webhook.signature.gzip": "uncompressed" }, true).lines[0]).toBe(
      "signed: the body as it was before it was compressed",
    );
  });

  test("a missing signature is not mentioned", () => {
    expect(refusedSignatureLines(exchangeRecord("7h2k", { purpose: "webhook" }), key, defaultChoices)).toEqual([]);
  });
});
