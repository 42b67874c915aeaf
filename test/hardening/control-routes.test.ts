import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { callApi, postJson, send, startPlatform, tokens } from "../rig/oauth.ts";

// S rows of the hardening table at what turns the clock and asks for faults.

const TOKEN = "a-token-of-128-bits-or-more-that-nobody-can-guess";
const paths = ["/-/clock", "/-/faults"] as const;
const orders = { "/-/clock": { advance: "2h" }, "/-/faults": { add: ["token=500"] } };
const ours = { authorization: `Bearer ${TOKEN}` };

let sim: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform({ controlToken: TOKEN });
});
afterAll(() => sim.close());

/** How many seconds the clock is ahead; real time passes while it is read. */
function secondsAhead(offsetMs: number): number {
  return Math.round(Math.abs(offsetMs) / 1000);
}

/** That neither clock nor faults were touched. */
function expectUntouched() {
  const { offsetMs, frozen } = sim.clock.state();
  expect([secondsAhead(offsetMs), frozen, sim.oauth.faults.list()]).toEqual([0, false, []]);
}

describe.each(paths)("%s", (path) => {
  const order = orders[path];

  it.each<[string, Record<string, string>]>([
    ["none", {}],
    ["an empty one", { authorization: "" }],
    ["Bearer alone", { authorization: "Bearer" }],
    ["a wrong one", { authorization: `Bearer ${"x".repeat(TOKEN.length)}` }],
    ["a short one", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["a longer one", { authorization: `Bearer ${TOKEN}x` }],
    ["one in another case", { authorization: `Bearer ${TOKEN.toUpperCase()}` }],
    ["Basic", { authorization: `Basic ${Buffer.from(`:${TOKEN}`).toString("base64")}` }],
    ["in a cookie", { cookie: `token=${TOKEN}` }],
  ])("S8: with the token %s is 401", async (_, headers) => {
    for (const answer of [
      await send(sim.url + path, { headers }),
      await postJson(sim.url + path, order, headers),
      await send(sim.url + path, { method: "PUT", headers }),
    ]) {
      expect([answer.status, answer.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    }
    expectUntouched();
  });

  it("S8: with the token in the address is 401", async () => {
    const query = `?token=${TOKEN}&access_token=${TOKEN}`;
    expect((await postJson(`${sim.url}${path}${query}`, order)).status).toBe(401);
    expectUntouched();
  });

  it("S8: without a control token the platform has no control routes", async () => {
    await using without = await startPlatform();
    for (const headers of [{}, ours, { authorization: "Bearer undefined" }, { authorization: "Bearer " }]) {
      expect((await send(without.url + path, { headers })).status).toBe(404);
      expect((await postJson(without.url + path, order, headers)).status).toBe(404);
    }
  });

  it("S8: an access token of the platform is not the control token", async () => {
    const { access_token } = await tokens(sim);
    expect((await send(sim.url + path, { headers: { authorization: `Bearer ${access_token}` } })).status).toBe(401);
    expect((await callApi(sim, TOKEN)).status).toBe(401);
  });

  it.each<Record<string, string>>([
    { origin: "null" },
    { origin: "http://1.2.3.4" },
    { origin: "http://127.0.0.1:1" },
    { origin: "http://localhost" },
    { origin: "http://[" },
    { origin: "" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "nonsense" },
    { origin: "OWN", "sec-fetch-site": "cross-site" },
  ])("S4, S5: with %j is 403, even with the token", async (headers) => {
    const sent = { ...ours, ...headers, ...(headers.origin === "OWN" ? { origin: sim.url } : {}) };
    for (const answer of [await send(sim.url + path, { headers: sent }), await postJson(sim.url + path, order, sent)]) {
      expect(answer.status).toBe(403);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    expectUntouched();
  });

  it.each<Record<string, string>>([
    {},
    { origin: "OWN" },
    { origin: "OWN", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
  ])("S4, S5: with %j is answered", async (headers) => {
    const sent = { ...ours, ...headers, ...(headers.origin === "OWN" ? { origin: sim.url } : {}) };
    const answer = await send(sim.url + path, { headers: sent });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "cache-control": "no-store",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
    });
  });

  it.each([
    "text/plain",
    "text/plain; application/json",
    "application/json; charset=utf-16",
    'application/json; charset="latin1"',
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "",
    null,
  ])("S10: as %j is refused", async (type) => {
    const headers: Record<string, string> = { ...ours, ...(type === null ? {} : { "content-type": type }) };
    const answer = await send(sim.url + path, { method: "POST", headers, body: JSON.stringify(order) });
    expect([400, 415]).toContain(answer.status);
    expectUntouched();
  });

  it.each([
    ["nothing", ""],
    ["half of it", JSON.stringify(order).slice(0, -1)],
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "7"],
    ["nothing that is known", "{}"],
    ["one name too many", JSON.stringify({ ...order, more: 1 })],
    ["__proto__", `{"__proto__":${JSON.stringify(order)}}`],
    ["__proto__ beside it", JSON.stringify(order).replace("{", '{"__proto__":{},')],
    ["constructor.prototype", '{"constructor":{"prototype":{"clear":true}}}'],
    ["the same name twice", `{${JSON.stringify(order).slice(1, -1)},${JSON.stringify(order).slice(1, -1)}}`],
    ["two things", '{"clear":true,"add":["token=500"],"advance":"1h","reset":true}'],
    ["another type", '{"advance":7200,"add":"token=500"}'],
    ["too deep", `${"[".repeat(50_000)}`],
    ["a byte order mark", `\ufeff${JSON.stringify(order)}`],
  ])("S24: %s is 400, says what is allowed, and changes nothing", async (_, body) => {
    const headers = { ...ours, "content-type": "application/json" };
    const answer = await send(sim.url + path, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).error).toMatchObject({ code: 400, message: expect.stringMatching(/\S/) });
    expectUntouched();
  });

  it("S20: more than 64 KiB is 413", async () => {
    const headers = { ...ours, "content-type": "application/json" };
    const asked = (size: number) =>
      send(sim.url + path, { method: "POST", headers, body: JSON.stringify(order).padEnd(size, " ") });
    expect((await asked(65_537)).status).toBe(413);
    expectUntouched();
  });

  it.each(["PUT", "PATCH", "DELETE", "OPTIONS"])("%s is 405 and says what is allowed", async (method) => {
    const answer = await send(sim.url + path, { method, headers: ours });
    expect([answer.status, answer.headers.allow]).toEqual([405, "GET, HEAD, POST"]);
    expectUntouched();
  });
});

describe.each([
  ["/-/settings", { given: { value: {}, origins: {} } }],
  ["/-/actions/guard", { given: { value: {}, origins: {} }, cwd: "/", args: [{}] }],
  ["/-/running/an-action", { abort: true }],
] as const)("%s", (path, order) => {
  const asked = (headers: Record<string, string>, body = JSON.stringify(order)) =>
    send(sim.url + path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  const expectNothingRun = () => expect(sim.journal.list().filter(({ type }) => type === "login")).toEqual([]);

  it("S8: without the control token nothing is done", async () => {
    for (const authorization of ["", "Bearer", `Bearer ${TOKEN}x`, `Bearer ${TOKEN.toUpperCase()}`, `Basic ${TOKEN}`]) {
      const { status, headers } = await asked(authorization === "" ? {} : { authorization });
      expect([status, headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    }
    await using without = await startPlatform();
    expect((await postJson(without.url + path, order, ours)).status).toBe(404);
    expectNothingRun();
  });

  it("S2, S4, S5, S10: and nothing for a page of another site, or for a body that a form can send", async () => {
    for (const headers of [{ origin: "null" }, { origin: "http://127.0.0.1:1" }, { "sec-fetch-site": "same-site" }]) {
      const answer = await asked({ ...ours, ...headers } as Record<string, string>);
      expect([answer.status, answer.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    }
    expect((await asked({ ...ours, host: "evil.example" })).status).toBe(403);
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      expect([400, 404, 415]).toContain((await asked({ ...ours, "content-type": type })).status);
    }
    expect((await send(sim.url + path, { headers: ours })).status).toBe(405);
    expectNothingRun();
  });

  it("S24: anything else than an order is refused", async () => {
    for (const body of [
      "",
      "[]",
      "{}",
      '{"__proto__":{}}',
      JSON.stringify({ ...order, more: 1 }),
      "[".repeat(50_000),
    ]) {
      expect([400, 404]).toContain((await asked(ours, body)).status);
    }
    expectNothingRun();
  });
});

describe("what it does", () => {
  it("runs actions only by their names, and none with a result that cannot be sent", async () => {
    const run = { given: { value: {}, origins: {} }, cwd: "/", args: [] };
    for (const name of ["login", "toString", "__proto__", "constructor", "serve"]) {
      expect((await postJson(`${sim.url}/-/actions/${name}`, run, ours)).status).toBe(400);
    }
    const { status, body, headers } = await postJson(`${sim.url}/-/actions/manifest`, run, ours);
    expect([status, headers["content-type"]]).toEqual([200, "application/x-ndjson"]);
    const frames = body
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(frames[0]).toEqual({ started: expect.stringMatching(/^[\w-]{43}$/) });
    expect(frames.at(-1)).toMatchObject({ result: { command: "manifest" } });
    const later = await postJson(`${sim.url}/-/running/${frames[0].started}`, { abort: true }, ours);
    expect(later.status).toBe(404);
  });

  it("R36: mistakes and bugs of an action are reported to its command, and the platform continues", async () => {
    const run = (args: unknown[]) =>
      postJson(`${sim.url}/-/actions/guard`, { given: { value: {}, origins: {} }, cwd: "/", args }, ours);
    const last = ({ body }: { readonly body: string }) => JSON.parse(body.trimEnd().split("\n").at(-1) ?? "");
    expect(last(await run([{ usr: "admin" }]))).toMatchObject({ failed: { mistake: { code: "options-invalid" } } });
    expect((await send(`${sim.url}/-/clock`, { headers: ours })).status).toBe(200);
  });

  it("turns the clock, so that tokens expire", async () => {
    await using turned = await startPlatform({ controlToken: TOKEN });
    const { access_token } = await tokens(turned);
    const answer = await postJson(`${turned.url}/-/clock`, { advance: "2h" }, ours);
    expect([answer.status, secondsAhead(JSON.parse(answer.body).offsetMs)]).toEqual([200, 7200]);
    expect((await callApi(turned, access_token)).status).toBe(401);
    for (const order of [
      { advance: "-1h" },
      { advance: "soon" },
      { set: "yesterday" },
      { set: "10000-01-01T00:00:00Z" },
    ]) {
      expect((await postJson(`${turned.url}/-/clock`, order, ours)).status).toBe(400);
    }
    expect(secondsAhead(turned.clock.state().offsetMs)).toBe(7200);
  });

  it("adds faults, all of them or none, and removes them", async () => {
    await using faulty = await startPlatform({ controlToken: TOKEN });
    const ask = (order: unknown) => postJson(`${faulty.url}/-/faults`, order, ours);
    expect((await ask({ add: ["api=500", "api=nonsense"] })).status).toBe(400);
    expect(faulty.oauth.faults.list()).toEqual([]);
    expect(JSON.parse((await ask({ add: ["api=500x2"] })).body)).toEqual({ faults: [{ fault: "api=500x2", left: 2 }] });
    const statuses = [await callApi(faulty, null), await callApi(faulty, null), await callApi(faulty, null)];
    expect(statuses.map(({ status }) => status)).toEqual([500, 500, 401]);
    await ask({ add: ["api=429"] });
    expect(JSON.parse((await ask({ clear: true })).body)).toEqual({ faults: [] });
  });
});
