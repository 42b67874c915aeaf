import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExchangeView, FeedEntry } from "../../src/inspector/view.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { postJson, send } from "../rig/oauth.ts";
import { exchangesOf, type Simulation, startSimulation } from "../rig/simulation.ts";

// S rows of the hardening table at what the inspector's page asks of the platform.

const TOKEN = "a-token-of-128-bits-or-more-that-nobody-can-guess";
const ours = { authorization: `Bearer ${TOKEN}` };
const hostile = `</script><img src=x onerror=alert(1)>\u202e\u001b[2J`;

let run: Simulation;
let id = "";
beforeAll(async () => {
  run = await startSimulation({
    serves: manifestOf({ guards: [guardEntry("office")] }),
    answer: (call) => call.reply({ success: false, message: `${hostile} ${call.header("authorization")}` }),
    controlToken: TOKEN,
  });
  await run.sim.guard();
  id = exchangesOf(run.sim, "guard")[0]?.id ?? "";
});
afterAll(() => run[Symbol.asyncDispose]());

const part = { side: "request", place: "header", line: 0, nth: 0 };
const reads = () => ["/-/inspector/events", "/-/inspector/platform", `/-/inspector/exchanges/${id}`];
const posts = (): [string, unknown][] => [
  ["/-/inspector/reveal", { id, part }],
  ["/-/inspector/search", { text: "success" }],
];

/** Every request of the page, with these headers. */
async function askAll(headers: Record<string, string>) {
  const answers = [];
  for (const path of reads()) answers.push(await send(run.sim.url + path, { headers }));
  for (const [path, body] of posts()) answers.push(await postJson(run.sim.url + path, body, headers));
  return answers;
}

/** The first events of the list, up to the one that says that it is complete. */
function listOf(headers: Record<string, string> = {}): Promise<string> {
  const { port, host } = new URL(run.sim.url);
  const socket = connect({ host: "127.0.0.1", port: Number(port) }).setEncoding("utf8");
  const lines = Object.entries({ host, ...ours, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /-/inspector/events HTTP/1.1\r\n${lines.join("")}\r\n`);
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      if (!text.includes("event: complete")) return;
      socket.destroy();
      resolve(text);
    });
  });
}

function entriesIn(text: string): FeedEntry[] {
  return [...text.matchAll(/^event: entries\ndata: (.*)$/gm)].flatMap(([, json = ""]) => JSON.parse(json));
}

describe("the inspector's data", () => {
  it.each<[string, Record<string, string>]>([
    ["none", {}],
    ["a wrong one", { authorization: `Bearer ${"x".repeat(TOKEN.length)}` }],
    ["a shorter one", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["in a cookie, which every port of this machine gets", { cookie: `key=${TOKEN}` }],
  ])("S8: with the key %s is 401", async (_, headers) => {
    for (const { status, body } of await askAll(headers)) {
      expect(status).toBe(401);
      expect(body).not.toContain("office");
    }
  });

  it("S8: with the key in the address is 401", async () => {
    for (const path of reads()) {
      expect((await send(`${run.sim.url}${path}?key=${TOKEN}&token=${TOKEN}`)).status).toBe(401);
    }
  });

  it("S8: without a key of the run there is no inspector", async () => {
    await using without = await startSimulation({ serves: manifestOf({ guards: [] }) });
    for (const path of ["/-/inspector/platform", "/inspector/inspector.js"]) {
      expect((await send(without.sim.url + path, { headers: ours })).status).toBe(404);
    }
  });

  it.each<Record<string, string>>([
    { origin: "null" },
    { origin: "http://1.2.3.4" },
    { origin: "http://127.0.0.1:1" },
    { origin: "http://[" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
  ])("S4, S5, S7: for a page of another site (%j) is 403, even with the key", async (headers) => {
    for (const answer of await askAll({ ...ours, ...headers })) {
      expect(answer.status).toBe(403);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  it.each(["evil.example", "evil.example:PORT", "0.0.0.0:PORT"])("S2: under the name %s is 403", async (name) => {
    const { port } = new URL(run.sim.url);
    const host = name.replace("PORT", port);
    for (const path of ["/", ...reads()]) {
      expect((await send(run.sim.url + path, { headers: { ...ours, host, accept: "text/html" } })).status).toBe(403);
    }
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "S10: a form of another site, as %s, shows nothing",
    async (type) => {
      for (const [path, body] of posts()) {
        const headers = { ...ours, "content-type": type };
        const answer = await send(run.sim.url + path, { method: "POST", headers, body: JSON.stringify(body) });
        expect([400, 415]).toContain(answer.status);
      }
    },
  );

  it("S6, S11, S14: is only for this origin, cannot be framed, sniffed or cached", async () => {
    const answers = [
      await send(`${run.sim.url}/-/inspector/platform`, { headers: ours }),
      await send(run.sim.url, { headers: { accept: "text/html" } }),
    ];
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "cross-origin-resource-policy": "same-origin",
        "content-security-policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/),
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      });
    }
  });

  it("S14: the page allows only scripts and styles with its nonce, which is new each time", async () => {
    const nonces = [];
    for (const _ of [1, 2]) {
      const { headers, body } = await send(run.sim.url, { headers: { accept: "text/html" } });
      const policy = String(headers["content-security-policy"]);
      const [, nonce = "none"] = /script-src 'nonce-([\w-]{20,})'; style-src 'nonce-\1';/.exec(policy) ?? [];
      expect(policy).not.toMatch(/unsafe|script-src[^;]*'self'/);
      const loading = [...body.matchAll(/<(?:script|link rel="stylesheet")[^>]*>/g)].map(([tag]) => tag);
      expect(loading.length).toBeGreaterThan(1);
      for (const tag of loading) expect(tag).toContain(`nonce="${nonce}"`);
      nonces.push(nonce);
    }
    expect(new Set(nonces).size).toBe(2);
  });

  it("S27: shows no secrets, except one by one on request", async () => {
    const { body } = await send(`${run.sim.url}/-/inspector/exchanges/${id}`, { headers: ours });
    const view: ExchangeView = JSON.parse(body);
    const token = run.app.calls.at(-1)?.header("authorization") ?? "";
    const signature = token.split(".").at(-1) ?? "no signature";
    expect(body).not.toContain(signature);
    expect(await listOf()).not.toContain(signature);
    const line = view.request.headers.findIndex(([name]) => name.toLowerCase() === "authorization");
    const ask = (asked: object) =>
      postJson(`${run.sim.url}/-/inspector/reveal`, { id, part: { ...part, ...asked } }, ours);
    expect(JSON.parse((await ask({ line })).body)).toEqual({ text: token });
    // The app echoes it, as it is, in its answer.
    expect(JSON.parse((await ask({ side: "response", place: "body" })).body).text).toContain(signature);
    for (const wrong of [{ line: 0 }, { line: 99 }, { place: "url" }, { place: "body", nth: 5 }]) {
      expect((await ask(wrong)).status).toBe(400);
    }
  });

  it("S27: searches what it shows, but not what it hides", async () => {
    const token = run.app.calls.at(-1)?.header("authorization") ?? "";
    const find = async (text: string) =>
      JSON.parse((await postJson(`${run.sim.url}/-/inspector/search`, { text }, ours)).body).ids;
    expect(await find("ONERROR=ALERT")).toEqual([id]);
    expect(await find(token.split(".").at(-1)?.slice(0, 12) ?? "")).toEqual([]);
  });

  it("S4, S8, S10: exchanges a code for the key once, and only for its own page", async () => {
    const path = `${run.sim.url}/-/inspector/key`;
    const made = async () => JSON.parse((await postJson(`${run.sim.url}/-/inspector/links`, {}, ours)).body).code;
    const code = await made();
    for (const headers of [{ origin: "http://127.0.0.1:1" }, { origin: "null" }, { "sec-fetch-site": "same-site" }]) {
      expect((await postJson(path, { code }, headers)).status).toBe(403);
    }
    const form = { method: "POST", headers: { "content-type": "text/plain" }, body: JSON.stringify({ code }) } as const;
    expect([400, 415]).toContain((await send(path, form)).status);
    for (const wrong of ["", `${code}x`, code.slice(0, -1), TOKEN]) {
      const refused = await postJson(path, { code: wrong });
      expect([refused.status, refused.body.includes(TOKEN)]).toEqual([401, false]);
    }
    expect(JSON.parse((await postJson(path, { code }, { origin: run.sim.url })).body)).toEqual({ key: TOKEN });
    expect((await postJson(path, { code })).status).toBe(401);
    expect((await postJson(`${run.sim.url}/-/inspector/links`, {})).status).toBe(401);
    expect(await made()).not.toBe(code);
  });

  it("S24: accepts only known input", async () => {
    for (const body of [
      "{}",
      "[]",
      "null",
      '{"id":1}',
      '{"__proto__":{"id":"x"}}',
      `{"id":"${id}","part":{},"more":1}`,
    ]) {
      const headers = { ...ours, "content-type": "application/json" };
      const answer = await send(`${run.sim.url}/-/inspector/reveal`, { method: "POST", headers, body });
      expect(answer.status).toBe(400);
    }
  });

  it("S26: the page's files are only those of the build, whatever the path", async () => {
    for (const name of ["..%2f..%2fpackage.json", "..%5ccli.js", "inspector.js%00", "THIRD-PARTY-NOTICES", "x.js"]) {
      expect((await send(`${run.sim.url}/inspector/${name}`)).status).toBe(404);
    }
  });
});

describe("the event stream of the list", () => {
  it("sends everything, then continues after the last event that the page had", async () => {
    const first = await listOf();
    expect(first).toContain("event: reset");
    const rows = entriesIn(first).flatMap((entry) => ("row" in entry ? [entry.row] : []));
    expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["manifest", "guard", "login"]));
    const last = /^id: (\S+)$/gm.exec(first)?.[1] ?? "";
    expect(entriesIn(await listOf({ "last-event-id": last }))).toEqual([]);
    const [epoch, number] = last.split(".");
    const missed = await listOf({ "last-event-id": `${epoch}.${Number(number) - 2}` });
    expect(missed).not.toContain("event: reset");
    expect(entriesIn(missed)).toEqual(entriesIn(first).slice(-2));
  });

  it.each(["another-run.3", "3", "", "x.y", "x.-1", "x.99999999999999999999"])(
    "starts again if the number is not from this run: %j",
    async (last) => {
      const again = await listOf({ "last-event-id": last });
      expect(again).toContain("event: reset");
      expect(entriesIn(again).length).toBeGreaterThan(2);
    },
  );
});
