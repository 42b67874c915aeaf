import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SampleApp, startSampleApp } from "../../../examples/sample-app/app.js";
import { bearer, claims, type Fields, issued, now, sign } from "./platform.ts";

const { clientId, clientSecret, appSecret } = issued;
const MIB = 1024 * 1024;

let app: SampleApp;

beforeEach(async () => {
  app = await startSampleApp(issued);
});

afterEach(() => app.close());

function guardBody(changes: Fields = {}): Fields {
  return { userId: 42, organizationId: 7, ipAddress: "192.0.2.10", moduleKey: "network", ...changes };
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

async function send(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(app.url + path, { method: "POST", ...init });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

function callGuard(body: unknown, authorization = bearer(), path = "/guards/network"): Promise<Answer> {
  const headers = { authorization, "content-type": "application/json" };
  return send(path, { headers, body: typeof body === "string" ? body : JSON.stringify(body) });
}

function signatureOf(body: string | Buffer, key = appSecret): string {
  return createHmac("sha256", key).update(body).digest("hex");
}

function deliver(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const all = {
    "content-type": "application/json",
    "x-module-key": "translation-events",
    "x-platform-signature": signatureOf(body),
    ...headers,
  };
  return send("/webhooks", { headers: all, body: new Uint8Array(Buffer.from(body)) });
}

describe("the server", () => {
  it("serves its manifest", async () => {
    const answer = await send("/manifest.json", { method: "GET" });
    expect([answer.status, answer.headers.get("content-length")]).toEqual([200, String(answer.text.length)]);
    expect(answer.json).toEqual({
      modules: {
        "auth-guard": [
          { key: "network", name: "Network check", url: "/guards/network", options: { type: "direct" } },
          {
            key: "working-account",
            name: "Account check",
            url: "/guards/account",
            options: { type: "direct", applyToAdmins: true },
          },
          {
            key: "terms",
            name: "Confidentiality terms",
            description: expect.any(String),
            url: "/guards/terms",
            options: { type: "redirect", url: "/guards/terms/page" },
          },
          {
            key: "presence",
            name: "Are you there?",
            description: expect.any(String),
            url: "/guards/presence",
            options: { type: "frame", applyToAdmins: true, url: "/guards/presence/page" },
          },
        ],
        "file-post-import": [{ key: "tidy-strings", url: "/post-import" }],
        webhook: [
          {
            key: "translation-events",
            url: "/webhooks",
            events: ["project.translated", "project.approved"],
            environments: ["platform", "platform-enterprise"],
          },
        ],
      },
    });
  });

  it.each(["/", "/manifest.json/", "/__proto__", "//"])("answers 404 at %s", async (path) => {
    expect((await send(path, { method: "GET" })).status).toBe(404);
  });

  it.each([
    ["POST", "/manifest.json", "GET, HEAD"],
    ["GET", "/guards/network", "POST"],
    ["DELETE", "/guards/account", "POST"],
    ["PUT", "/post-import", "POST"],
    ["GET", "/webhooks", "POST"],
    ["GET", "/guards/terms", "POST"],
    ["PUT", "/guards/terms/page", "GET, HEAD, POST"],
    ["POST", "/guards/presence/page", "GET, HEAD"],
    ["POST", "/guards/presence/page.js", "GET, HEAD"],
    ["GET", "/guards/presence/confirm", "POST"],
    ["OPTIONS", "/guards/presence/confirm", "POST"],
    ["POST", "/style.css", "GET, HEAD"],
    ["POST", "/login", "GET"],
    ["POST", "/oauth/callback", "GET"],
    ["POST", "/projects", "GET, HEAD"],
  ])("answers 405 to %s %s and says what is allowed", async (method, path, allow) => {
    const answer = await send(path, { method });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allow]);
  });

  it.each(["clientId", "clientSecret", "appSecret"])("does not start with an empty %s", async (name) => {
    await expect(startSampleApp({ ...issued, [name]: "" })).rejects.toThrow(TypeError);
  });

  it.each([
    "",
    "platform.test",
    "javascript:alert(1)",
    "ftp://platform.test",
    "http://",
    "http://user@platform.test",
    "http://:password@platform.test",
    "http://platform.test/?a",
    "http://platform.test/#a",
    "http://platform.test/a;script-src *",
    "http://platform.test/a,b",
    "http://platform.test/'none'",
  ])("does not start with the platform at %j", async (address) => {
    await expect(startSampleApp({ ...issued, authUrl: address })).rejects.toThrow(/^authUrl must be /);
    await expect(startSampleApp({ ...issued, sdkUrl: address })).rejects.toThrow(/^sdkUrl must be /);
    await expect(startSampleApp({ ...issued, apiUrl: address })).rejects.toThrow(/^apiUrl must be /);
  });

  it("rejects when its port is taken", async () => {
    const port = Number(new URL(app.url).port);
    await expect(startSampleApp({ ...issued, port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  it("closes immediately even if a request is half sent", async () => {
    const socket = connect(Number(new URL(app.url).port), "127.0.0.1");
    const closed = new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
    const headers = ["Host: app", "Content-Type: application/json", "Content-Length: 9", "Expect: 100-continue"];
    socket.write(`POST /webhooks HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    const [continued] = await once(socket, "data");
    expect(String(continued)).toContain("100 Continue");
    await app.close();
    await closed;
    await expect(fetch(`${app.url}/manifest.json`)).rejects.toThrow();
  });
});

describe("the guards", () => {
  it.each([
    ["192.0.2.10", true],
    ["198.51.99.255", true],
    ["198.51.100.0", false],
    ["198.51.100.255", false],
    ["::ffff:198.51.100.7", false],
    ["2001:db8:bae::1", true],
    ["2001:db8:bad:ffff::1", false],
    ["2001:DB8:0BAD::1", false],
  ])("network: %s gets success %s", async (ipAddress, success) => {
    const answer = await callGuard(guardBody({ ipAddress }));
    const message = "Log in from the office network or the VPN.";
    expect([answer.status, answer.json]).toEqual([200, success ? { success } : { success, message }]);
  });

  it.each([
    [42, true],
    [105, false],
    [106, true],
  ])("account: user %i gets success %s", async (userId, success) => {
    const token = bearer({
      module: "working-account",
      sub: String(userId),
      context: { organization_id: 7, user_id: userId },
    });
    const body = guardBody({ userId, moduleKey: "working-account" });
    const answer = await callGuard(body, token, "/guards/account");
    const message = "This account is suspended. Ask your administrator.";
    expect([answer.status, answer.json]).toEqual([200, success ? { success } : { success, message }]);
  });

  const flipBit = (token: string) => {
    const [header, payload, signature = ""] = token.split(".");
    const bytes = Buffer.from(signature, "base64url");
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return [header, payload, bytes.toString("base64url")].join(".");
  };
  const swapPayload = (token: string) => {
    const [header, , signature] = token.split(".");
    return [header, sign({ domain: "other" }).split(".")[1], signature].join(".");
  };
  const withHeader = (header: Fields, signature: string) =>
    [JSON.stringify(header), JSON.stringify(claims())]
      .map((part) => Buffer.from(part).toString("base64url"))
      .concat(signature)
      .join(".");

  const badTokens: [row: string, sent: string, authorization: () => string | undefined][] = [
    ["G1", "no Authorization", () => undefined],
    ["G1", "an empty Authorization", () => ""],
    ["G1", "a Bearer without a token", () => "Bearer "],
    ["G1", "Basic", () => `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`],
    ["G1", "the token under another scheme", () => `Token ${sign()}`],
    ["G2", "alg none", () => `Bearer ${sign({}, "", "none")}`],
    ["G2", "alg noNE", () => `Bearer ${withHeader({ alg: "noNE", typ: "JWT" }, "")}`],
    ["G2", "an empty signature", () => `Bearer ${sign().replace(/[^.]+$/, "")}`],
    ["G2", "another HMAC", () => `Bearer ${sign({}, clientSecret, "HS512")}`],
    ["G3", "another secret", () => `Bearer ${sign({}, "another-secret")}`],
    ["G3", "a flipped bit", () => `Bearer ${flipBit(sign())}`],
    ["G3", "a swapped payload", () => `Bearer ${swapPayload(sign())}`],
    ["G6", "exp 61 s past", () => bearer({ exp: now() - 61 })],
    ["G6", "nbf 61 s ahead", () => bearer({ nbf: now() + 61 })],
    ["G8", "no exp", () => bearer({ exp: undefined })],
    ["G8", "no iat", () => bearer({ iat: undefined })],
    ["G8", "no sub", () => bearer({ sub: undefined })],
    ["G8", "no aud", () => bearer({ aud: undefined })],
    ["G9", "another app's aud", () => bearer({ aud: "other-client" })],
    ["G9", "the webhook secret as key", () => `Bearer ${sign({}, appSecret)}`],
    ["G9", "another module's token", () => bearer({ module: "working-account" })],
    ["G9", "an access token", () => bearer({ module: undefined, context: undefined, scope: "project" })],
  ];

  it.each(badTokens)("%s: refuses %s", async (_row, _sent, authorization) => {
    const value = authorization();
    const headers = { "content-type": "application/json", ...(value !== undefined && { authorization: value }) };
    const refused = await send("/guards/network", { headers, body: JSON.stringify(guardBody()) });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await callGuard(guardBody())).json).toEqual({ success: true });
  });

  it.each<[sent: string, changes: () => Fields]>([
    ["iat 8 s ahead", () => ({ iat: now() + 8, nbf: now() + 8, exp: now() + 908 })],
    ["exp 8 s past", () => ({ exp: now() - 8 })],
  ])("G7: accepts %s", async (_sent, changes) => {
    expect((await callGuard(guardBody(), bearer(changes()))).json).toEqual({ success: true });
  });

  it.each<[sent: string, body: Fields, token: Fields]>([
    ["another userId in the body", { userId: 43 }, {}],
    ["another organizationId in the body", { organizationId: 8 }, {}],
    ["another moduleKey in the body", { moduleKey: "working-account" }, {}],
    ["another sub in the token", {}, { sub: "43" }],
    ["another user in the context", {}, { context: { organization_id: 7, user_id: 43 } }],
    ["another organization in the context", {}, { context: { organization_id: 8, user_id: 42 } }],
    ["no context", {}, { context: undefined }],
  ])("G13: refuses %s", async (_sent, body, token) => {
    expect((await callGuard(guardBody(body), bearer(token))).status).toBe(403);
  });

  it.each(["userId", "organizationId", "ipAddress", "moduleKey"])("G16: refuses a body without %s", async (field) => {
    expect((await callGuard(guardBody({ [field]: undefined }))).status).toBe(400);
  });

  it.each<[field: string, value: unknown]>([
    ["userId", "42"],
    ["userId", 42.5],
    ["userId", null],
    ["organizationId", "7"],
    ["organizationId", [7]],
    ["ipAddress", "office"],
    ["ipAddress", "192.0.2.10/24"],
    ["ipAddress", 3221225994],
    ["moduleKey", ["network"]],
    ["code", 1],
  ])("G16: refuses %s of the wrong type: %j", async (field, value) => {
    expect((await callGuard(guardBody({ [field]: value }))).status).toBe(400);
  });

  it("G16: refuses the id 2^53 + 1, which a parser turns into its neighbour", async () => {
    const token = bearer({ sub: String(2 ** 53), context: { organization_id: 7, user_id: 2 ** 53 } });
    const body = JSON.stringify(guardBody()).replace("42", "9007199254740993");
    expect((await callGuard(body, token)).status).toBe(400);
  });

  it.each<[string, Fields]>([
    ["an extra field", { device: { trusted: true } }],
    ["IPv6", { ipAddress: "2001:db8::1" }],
    ["IPv6 with a zone", { ipAddress: "fe80::1%eth0" }],
  ])("G16: accepts %s", async (_sent, changes) => {
    expect((await callGuard(guardBody(changes))).json).toEqual({ success: true });
  });

  const good = JSON.stringify(guardBody());

  it.each<[sent: string, status: number, body: string | Buffer, contentType: string]>([
    ["bad JSON", 400, good.slice(0, -1), "application/json"],
    ["an empty body", 400, "", "application/json"],
    ["a byte-order mark", 400, `\ufeff${good}`, "application/json"],
    ["invalid UTF-8", 400, Buffer.from(good.replace("{", '{"x":"\xff",'), "latin1"), "application/json"],
    ["null", 400, "null", "application/json"],
    ["an array", 400, `[${good}]`, "application/json"],
    ["a body over the cap", 413, good + " ".repeat(16 * 1024), "application/json"],
    ["text/plain", 415, good, "text/plain"],
    ["a form", 415, good, "application/x-www-form-urlencoded"],
  ])("G17: refuses %s with %i", async (_sent, status, body, contentType) => {
    const headers = { authorization: bearer(), "content-type": contentType };
    const answer = await send("/guards/network", { headers, body: new Uint8Array(Buffer.from(body)) });
    expect(answer.status).toBe(status);
  });

  it("G17: refuses GET", async () => {
    const answer = await send("/guards/network", { method: "GET", headers: { authorization: bearer() } });
    expect(answer.status).toBe(405);
  });

  it("G17: accepts a content type with a charset", async () => {
    const headers = { authorization: bearer(), "content-type": "Application/JSON; charset=utf-8" };
    expect((await send("/guards/network", { headers, body: good })).json).toEqual({ success: true });
  });

  it("G19: an error shows no token, secret or stack, whatever is sent", async () => {
    const token = sign();
    const expired = sign({ exp: now() - 61 });
    const body = fc.oneof(fc.string(), fc.json(), fc.constant(`"${token}"`), fc.constant(`{"userId":"${token}"}`));
    const authorization = fc.constantFrom(`Bearer ${token}`, `Bearer ${expired}`, token, `Bearer ${token}.${token}`);
    await fc.assert(
      fc.asyncProperty(body, authorization, async (sent, value) => {
        const { status, headers, text } = await callGuard(sent, value);
        expect(status).toBeGreaterThanOrEqual(400);
        expect(status).toBeLessThan(500);
        expect(text.length).toBeLessThan(200);
        const shown = JSON.stringify([...headers]) + text;
        for (const secret of [...token.split("."), ...expired.split("."), "canary"]) {
          expect(shown).not.toContain(secret);
        }
        expect(shown).not.toMatch(/\.ts|node:|\s+at /);
      }),
      { numRuns: 50 },
    );
  });
});

describe("the webhook", () => {
  const event = { event: "project.translated", project: { id: "1" }, targetLanguage: { id: "fr" } };
  const body = JSON.stringify({ events: [event, { ...event, event: "project.approved" }, event] });

  it("counts the events of signed deliveries", async () => {
    for (const _ of [1, 2]) expect((await deliver(body)).status).toBe(204);
    expect([...app.received]).toEqual([
      ["project.translated", 4],
      ["project.approved", 2],
    ]);
  });

  it.each<[row: string, sent: string, signature: string | null]>([
    ["W1", "no signature", null],
    ["W1", "an empty signature", ""],
    ["W1", "a wrong signature", "0".repeat(64)],
    ["W1", "a truncated signature", signatureOf(body).slice(0, -2)],
    ["W1", "the signature of another secret", signatureOf(body, clientSecret)],
    ["W3", "a signature in upper case", signatureOf(body).toUpperCase()],
    ["W3", "a signature with a prefix", `sha256=${signatureOf(body)}`],
    ["W3", "a doubled signature", `${signatureOf(body)}, ${signatureOf(body)}`],
    ["W3", "a signature outside ASCII", "\u00e9".repeat(64)],
  ])("%s: refuses %s, without effect", async (_row, _sent, signature) => {
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "x-module-key": "translation-events",
    };
    if (signature !== null) headers["x-platform-signature"] = signature;
    const answer = await send("/webhooks", { headers, body });
    expect([answer.status, app.received.size]).toEqual([401, 0]);
  });

  it("W2: refuses a body altered by one byte, without effect", async () => {
    const altered = body.replace('"fr"', '"fs"');
    const answer = await deliver(altered, { "x-platform-signature": signatureOf(body) });
    expect([answer.status, app.received.size]).toEqual([401, 0]);
  });

  it.each([
    ["other white space", JSON.stringify(JSON.parse(body), null, 2)],
    ["a final newline", `${body}\n`],
    ["an escaped slash", body.replace('"fr"', '"fr\\/x"')],
    ["an escaped letter", body.replace('"fr"', '"\\u00e9"')],
    ["a letter outside ASCII", body.replace('"fr"', '"\u00e9"')],
  ])("W2: accepts a validly signed body with %s", async (_sent, rewritten) => {
    expect((await deliver(rewritten)).status).toBe(204);
    expect(app.received.get("project.translated")).toBe(2);
  });

  it("W4: accepts 500 events, unknown ones and extra fields", async () => {
    const events = Array.from({ length: 500 }, () => ({ event: "__proto__", extra: [1] }));
    expect((await deliver(JSON.stringify({ events, extra: true }))).status).toBe(204);
    expect(app.received.get("__proto__")).toBe(500);
  });

  it("W5: refuses a delivery for another module, without effect", async () => {
    const answer = await deliver(body, { "x-module-key": "other" });
    expect([answer.status, app.received.size]).toEqual([403, 0]);
  });

  it.each<[sent: string, status: number, body: string, headers: Record<string, string>]>([
    ["bad JSON", 400, "{", {}],
    ["no events", 400, "{}", {}],
    ["an event without a name", 400, JSON.stringify({ events: [event, {}] }), {}],
    ["a body over the cap", 413, body + " ".repeat(MIB), {}],
    ["text/plain", 415, body, { "content-type": "text/plain" }],
  ])("refuses %s, though signed, with %i and without effect", async (_sent, status, sent, headers) => {
    const answer = await deliver(sent, headers);
    expect([answer.status, app.received.size]).toEqual([status, 0]);
  });
});
