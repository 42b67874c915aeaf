import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { JournalRecord } from "../../src/index.ts";
import {
  authorize,
  authorizeUrl,
  callApi,
  consent,
  exchange,
  garden,
  postForm,
  REDIRECT_URI,
  refresh,
  send,
  startPlatform,
  tokensOf,
} from "../rig/oauth.ts";

// S4, S5, S10: what a page of another site, open in the developer's browser, can do to the platform.

const sites = ["cross-site", "same-site"] as const;
/** What browsers say of requests that lead nobody anywhere. */
const hidden = {
  image: { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
  fetch: { "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
  beacon: { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty", "content-type": "text/plain" },
} as const;
const link = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-user": "?1" } as const;
const frame = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" } as const;

const refusals = (records: readonly JournalRecord[]) => records.filter(({ type }) => type !== "exchange");

it("S10: nothing that another site's page loads or sends is handled, uses up a fault, or waits; it is only counted", async () => {
  await using sim = await startPlatform({
    oauth: { consent: "ask" },
    faults: ["token=500", "api=500", "consent=denied"],
  });
  const right = new URLSearchParams({ grant_type: "authorization_code", code: "x", client_id: garden.clientId });
  const before = sim.oauth.faults.list();
  for (const site of sites) {
    for (const kind of Object.values(hidden)) {
      const headers = { ...kind, "sec-fetch-site": site, origin: "http://evil.example" };
      const answers = [
        await send(authorizeUrl(sim), { headers }),
        await send(`${sim.url}/api/v2/projects`, { headers }),
        await send(`${sim.url}/acme/login`, { headers }),
        await send(`${sim.url}/oauth/token`, { method: "POST", headers, body: right.toString() }),
        await send(`${sim.url}/oauth/revoke`, { method: "POST", headers, body: right.toString() }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    }
  }
  expect(sim.oauth.faults.list()).toEqual(before);
  const records = sim.journal.list();
  expect(records.map((record) => record.type === "foreign" && record.count)).toEqual([1, 2, 4, 8, 16]);
  expect(records[0]).toMatchObject({ method: "GET", path: "/oauth/authorize", origin: "http://evil.example" });
});

it("S10: a hidden form or frame reaches no endpoint for programs, and opens no consent", async () => {
  await using sim = await startPlatform({ oauth: { consent: "ask" }, faults: ["token=500", "api=500"] });
  const before = sim.oauth.faults.list();
  const first = await authorize(sim);
  for (const site of sites) {
    const headers = { ...frame, "sec-fetch-site": site, accept: "text/html" };
    expect((await postForm(`${sim.url}/oauth/token`, [["code", "x"]], headers)).status).toBe(403);
    expect((await send(`${sim.url}/api/v2/projects`, { headers })).status).toBe(403);
    for (let count = 0; count < 1100; count += 100) {
      await Promise.all(Array.from({ length: 100 }, () => send(authorizeUrl(sim), { headers })));
    }
  }
  expect(sim.oauth.faults.list()).toEqual(before);
  expect(sim.journal.list().length).toBeLessThan(20);
  expect((await consent(sim, first)).status).toBe(303);
});

it("S20: the platform does not wait for the body of such a request", async () => {
  await using sim = await startPlatform();
  const { hostname, port, host } = new URL(sim.url);
  const head = `POST /oauth/token HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000000\r\nSec-Fetch-Site: cross-site\r\n\r\n`;
  const answer = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(head));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text)).on("error", reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(answer.toLowerCase()).toContain("connection: close");
});

it("S10: the last refused requests are in the journal when the platform ends", async () => {
  const sim = await startPlatform();
  for (let count = 0; count < 3; count += 1) {
    await send(`${sim.url}/x?code=secret`, { headers: { ...hidden.image, "sec-fetch-site": "cross-site" } });
  }
  await sim.close();
  const records = refusals(sim.journal.list());
  expect(records.map((record) => record.type === "foreign" && record.count)).toEqual([1, 2, 3]);
  expect(JSON.stringify(records)).not.toContain("secret");
});

describe("S5: everybody else is served as usual", () => {
  it("programs, however little they send about themselves: a whole flow", async () => {
    await using sim = await startPlatform({ oauth: { consent: "ask" } });
    // The fetch of Node says this much.
    const node = { "sec-fetch-mode": "cors", "user-agent": "node" };
    const asked = await send(authorizeUrl(sim), { headers: { accept: "text/html", ...node } });
    expect(asked.status).toBe(200);
    const back = await consent(sim, asked);
    const code = new URL(String(back.headers.location)).searchParams.get("code") ?? "";
    const first = tokensOf(await exchange(sim, { code }, { headers: node }));
    expect((await callApi(sim, first.access_token)).status).toBe(200);
    expect((await refresh(sim, first.refresh_token, {}, { headers: node })).status).toBe(200);
  });

  it.each(sites)("a browser that comes from the app (%s), and the script for its frames", async (site) => {
    await using sim = await startPlatform({ oauth: { consent: "ask" } });
    const led = { ...link, "sec-fetch-site": site, accept: "text/html" };
    expect((await send(authorizeUrl(sim), { headers: led })).status).toBe(200);
    expect((await send(`${sim.url}/acme/login`, { headers: led })).status).toBe(200);
    const script = { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script", "sec-fetch-site": site };
    for (const name of ["host.js", "iframe.js"]) {
      expect((await send(`${sim.url}/${name}`, { headers: script })).status).toBe(200);
    }
    expect((await send(`${sim.url}/frame.js`, { headers: script })).status).toBe(403);
  });

  it("an authorization in a hidden frame, if nobody must be asked", async () => {
    await using sim = await startPlatform({ oauth: { consent: "approve" } });
    const { status, headers } = await send(authorizeUrl(sim), {
      headers: { ...frame, "sec-fetch-site": "cross-site" },
    });
    expect(status).toBe(302);
    expect(String(headers.location)).toContain(`${REDIRECT_URI}?code=`);
  });
});
