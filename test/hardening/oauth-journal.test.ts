import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Exchange, type RunningSimulator, startSimulator } from "../../src/index.ts";
import { bodyText, createJournal, recordBody } from "../../src/journal/journal.ts";
import type { OAuthRecord } from "../../src/journal/record.ts";
import { redactExchange } from "../../src/journal/redact.ts";
import {
  authorize,
  callApi,
  codeFor,
  consent,
  consentForm,
  exchange,
  garden,
  manage,
  postForm,
  send,
  startPlatform,
  tokensOf,
} from "../rig/oauth.ts";
import { usageErrorOf } from "../rig/simulation.ts";

function last(sim: RunningSimulator): { readonly decided: OAuthRecord; readonly exchange: Exchange } {
  const decided = sim.journal.list().at(-1);
  if (decided?.type !== "oauth") throw new Error("the last record is no decision");
  const found = sim.journal.find(decided.exchange ?? "");
  if (found?.type !== "exchange") throw new Error("a decision without its exchange");
  return { decided, exchange: found };
}

function exchangeWith(body: string): Exchange {
  const headers = [["Content-Type", "application/json"]] as const;
  return {
    type: "exchange",
    id: "aaaaaaaa",
    purpose: "token",
    module: null,
    startedAt: "2031-05-06T07:08:09.000Z",
    timings: { headersMs: 1, totalMs: 1 },
    request: { method: "POST", url: "http://127.0.0.1:7410/oauth/token", headers, body: recordBody(Buffer.from(body)) },
    response: null,
    outcome: { kind: "answered" },
  };
}

describe("S27: the shown parts of a request", () => {
  it("are shown, whatever the body: a code in something that only looks like JSON is still hidden", () => {
    for (const code of ["\n12345678", "\\x12345678", "12345678\\"]) {
      const shown = redactExchange(exchangeWith(`{"code":"${code}"}`), []);
      expect(bodyText(shown.request.body)).not.toContain("12345678");
    }
  });

  it("never fails, for any bytes", () => {
    const tail = fc.constantFrom('"}', "}", '"', "");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), tail, (text, end) => {
        redactExchange(exchangeWith(`{"grant_type":"x","code":"${text}${end}`), ["secret"]);
      }),
    );
  });

  it("name no false client: if id and secret are swapped", async () => {
    await using sim = await startPlatform();
    const swapped = { client_id: garden.clientSecret, client_secret: garden.clientId };
    await exchange(sim, { code: "x", ...swapped });
    expect(last(sim).decided).toMatchObject({ client: null, error: "invalid_client" });
    await authorize(sim, { client_id: garden.clientSecret });
    expect(last(sim).decided.client).toBeNull();
  });
});

describe("the journal has the answers to the app and its user", () => {
  it.each([
    ["text/html", {}],
    ["text/html", { redirect_uri: "http://127.0.0.1:9/elsewhere" }],
    ["application/json", { redirect_uri: "http://127.0.0.1:9/elsewhere" }],
    ["application/json", { client_id: "nobody" }],
  ])("%s, %j: to the byte, with its headers", async (accept, changes) => {
    await using sim = await startPlatform({ oauth: { consent: "ask" } });
    const asked = new URLSearchParams({
      client_id: garden.clientId,
      redirect_uri: garden.redirectUris[0] ?? "",
      response_type: "code",
      scope: "project",
      ...changes,
    });
    const { status, body, headers } = await send(`${sim.url}/oauth/authorize?${asked}`, { headers: { accept } });
    const { response } = last(sim).exchange;
    if (response === null) throw new Error("no response was kept");
    expect([response.status, bodyText(response.body)]).toEqual([status, body]);
    for (const [name, value] of response.headers) expect(headers[name], name).toBe(value);
  });

  it.each([
    ["another site's form", { token: "x" }, 403],
    ["a user who is none", { user: "nobody" }, 400],
    ["no decision", { decision: "perhaps" }, 400],
  ])("%s", async (_, changes, status) => {
    await using sim = await startPlatform({ oauth: { consent: "ask" } });
    const form = consentForm(await authorize(sim), { decision: "approve" });
    const answer = await postForm(`${sim.url}/oauth/authorize`, Object.entries({ ...form, ...changes }));
    expect(answer.status).toBe(status);
    expect(last(sim).decided).toMatchObject({ step: "consent", outcome: "refused", error: String(status) });
  });

  it.each<[string, string, RequestInit, number]>([
    ["another method", "/oauth/token", { method: "GET" }, 405],
    ["no such address", "/oauth/tokens", { method: "POST" }, 404],
    ["no content type", "/oauth/token", { method: "POST" }, 415],
    ["a body that is too large", "/oauth/token", { method: "POST", body: "x".repeat(70_000) }, 413],
    ["a call that is too large", "/api/v2/projects", { method: "POST", body: "x".repeat(70_000) }, 413],
  ])("%s", async (_, path, init, status) => {
    await using sim = await startPlatform();
    const headers = init.body === undefined ? {} : { "content-type": "application/json" };
    const answer = await fetch(sim.url + path, { ...init, headers });
    expect(answer.status).toBe(status);
    expect(last(sim).decided).toMatchObject({
      outcome: "refused",
      error: String(status) === "415" ? "invalid_request" : String(status),
    });
    expect(last(sim).exchange.response?.status).toBe(status);
  });

  it("a request that failed because of a change by the test", async () => {
    await using sim = await startPlatform({ onTrouble: () => {} });
    const code = await codeFor(sim);
    sim.oauth.once("token", () => undefined as never);
    expect((await exchange(sim, { code })).status).toBe(500);
    expect(last(sim).decided).toMatchObject({ step: "token", error: "500" });
  });
});

it("A16, A18: a client that tries again while the first answer is slow does no harm", async () => {
  await using sim = await startPlatform({ choices: { "oauth.reuse.grace": 60_000 } });
  const code = await codeFor(sim);
  sim.oauth.faults.add("token=slow:400msx2");
  const answers = await Promise.all([exchange(sim, { code }), exchange(sim, { code })]);
  const [won, lost] = answers.sort((a, b) => a.status - b.status);
  expect([won?.status, lost?.status]).toEqual([200, 400]);
  if (won === undefined) throw new Error("nobody won");
  expect((await callApi(sim, tokensOf(won).access_token)).status).toBe(200);
  sim.clock.advance("2m");
  expect((await exchange(sim, { code })).status).toBe(400);
  expect((await callApi(sim, tokensOf(won).access_token)).status, "a reuse after the answer").toBe(401);
});

it("S20: the journal in memory is limited by the size of its records", () => {
  const journal = createJournal({ keepCharacters: 10_000 });
  for (let index = 0; index < 50; index += 1) journal.append({ ...exchangeWith("x".repeat(3000)), id: String(index) });
  expect(journal.list().map(({ id }) => id)).toEqual(["48", "49"]);
  journal.append({ ...exchangeWith("x".repeat(30_000)), id: "large" });
  expect(journal.list().map(({ id }) => id)).toEqual(["large"]);
});

it("A6: Authorization twice is refused, at every endpoint that authenticates a client", async () => {
  await using sim = await startPlatform();
  const basic = Buffer.from(`${garden.clientId}:${garden.clientSecret}`).toString("base64");
  const { request } = await import("node:http");
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(`${sim.url}/oauth/token`, {
      method: "POST",
      headers: [
        "Authorization",
        `Basic ${basic}`,
        "Authorization",
        `Basic ${basic}`,
        "Content-Type",
        "application/x-www-form-urlencoded",
        "Host",
        new URL(sim.url).host,
      ],
    } as never);
    sent.on("response", (response) => resolve(response.resume().statusCode ?? 0)).on("error", reject);
    sent.end("grant_type=authorization_code&code=x");
  });
  expect(status).toBe(400);
});

it.each([
  [{ controlToken: "x" }, "controlToken"],
  [{ seed: Number.NaN }, "seed"],
  [{ port: 80 }, "addresses omit port 80"],
])("%j is refused at the start", async (options, said) => {
  const { message } = await usageErrorOf(startSimulator(options));
  expect(message).toContain(said);
});

it("A31: consent and revocation are recorded with their answers", async () => {
  await using sim = await startPlatform({ oauth: { consent: "ask" } });
  await consent(sim, await authorize(sim));
  expect(last(sim)).toMatchObject({
    decided: { step: "consent", outcome: "ok" },
    exchange: { response: { status: 303 } },
  });
  await manage(sim, "revoke", "unknown");
  expect(last(sim)).toMatchObject({
    decided: { step: "revoke", outcome: "ok" },
    exchange: { response: { status: 200 } },
  });
});
