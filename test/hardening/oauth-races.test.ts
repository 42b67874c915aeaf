import { execFile } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import { statusOfUse } from "../../src/oauth/endpoints/grants.ts";
import {
  type Answer,
  callApi,
  codeFor,
  exchange,
  garden,
  manage,
  proof,
  REDIRECT_URI,
  refresh,
  send,
  startPlatform,
  type TokenAnswer,
  tokens,
  tokensOf,
  verdictOf,
} from "../rig/oauth.ts";

// Rows A15, A16 and A18 of the hardening table: requests that cross.

/** However busy the machine is, what crosses arrives within it; the clock is turned beyond it. */
const GRACE_MS = 60_000;

let sim: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform({ choices: { "oauth.reuse.grace": GRACE_MS } });
  // What goes out together arrives together only where no connection has yet to be opened.
  await Promise.all(Array.from({ length: 64 }, () => send(sim.url)));
});
afterAll(() => sim.close());

/** The one answer with tokens; the others are refused as what is being used. */
function winnerOf(answers: readonly Answer[], words: RegExp) {
  const [winner, ...others] = answers.filter(({ status }) => status === 200);
  expect(others).toEqual([]);
  for (const loser of answers.filter((answer) => answer !== winner)) {
    expect(verdictOf(loser)).toBe("400 invalid_grant");
    expect(JSON.parse(loser.body).error_description).toMatch(words);
  }
  if (winner === undefined) throw new Error("nobody won");
  return tokensOf(winner);
}

const ofGarden = {
  grant_type: "authorization_code",
  client_id: garden.clientId,
  client_secret: garden.clientSecret,
  redirect_uri: REDIRECT_URI,
  code_verifier: proof.verifier,
};

/** An exchange of which the connection has to be opened first. */
async function onNewConnection(body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const sent = request(`${sim.url}/oauth/token`, { method: "POST", agent: false, headers });
  sent.end(JSON.stringify(body));
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, headers: response.headers, body: text };
}

/** Does it so many times, some at a time, so that unlike moments cross. */
async function times(count: number, atOnce: number, run: () => Promise<void>): Promise<void> {
  let left = count;
  const line = async () => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, line));
}

describe("A16: concurrent redemptions of one code", () => {
  it("two: exactly one wins and keeps its tokens, a later reuse revokes them, 200 times", async () => {
    const won: { readonly code: string; readonly access_token: string }[] = [];
    await times(200, 8, async () => {
      const code = await codeFor(sim);
      const both = await Promise.all([exchange(sim, { code }), exchange(sim, { code })]);
      const { access_token } = winnerOf(both, /at the same time/);
      expect((await callApi(sim, access_token)).status).toBe(200);
      won.push({ code, access_token });
    });
    expect(won).toHaveLength(200);
    sim.clock.advance(GRACE_MS + 1);
    for (const { code, access_token } of won) {
      expect(verdictOf(await exchange(sim, { code }))).toBe("400 invalid_grant");
      expect((await callApi(sim, access_token)).status).toBe(401);
    }
  });

  it("one on a connection that is not yet open loses without harm, because it was sent before the answer", async () => {
    for (let turn = 0; turn < 40; turn += 1) {
      const code = await codeFor(sim);
      const both = await Promise.all([exchange(sim, { code }), onNewConnection({ ...ofGarden, code })]);
      const { access_token } = winnerOf(both, /at the same time/);
      expect((await callApi(sim, access_token)).status).toBe(200);
    }
  });

  it("thirty at once: one wins and keeps its tokens", async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      const code = await codeFor(sim);
      const all = await Promise.all(Array.from({ length: 30 }, () => exchange(sim, { code })));
      const { access_token, refresh_token } = winnerOf(all, /at the same time/);
      expect((await callApi(sim, access_token)).status).toBe(200);
      expect(verdictOf(await refresh(sim, refresh_token))).toBe("200");
    }
  });

  it("A17: wrong ones at the same time neither win nor spoil the right one", async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const code = await codeFor(sim);
      const wrong = [
        { code_verifier: null },
        { code_verifier: "x".repeat(43) },
        { client_secret: "x" },
        { redirect_uri: "x" },
      ];
      const [right, ...others] = await Promise.all(
        [{}, ...wrong].map((changes) => exchange(sim, { code, ...changes })),
      );
      expect(others.map(({ status }) => status)).toEqual([400, 400, 401, 400]);
      expect((await callApi(sim, tokensOf(right as Answer).access_token)).status).toBe(200);
    }
  });
});

describe("A18: concurrent refreshes with one token", () => {
  it("two: exactly one wins and keeps its tokens, the old one later revokes the grant, 50 times", async () => {
    const lines: TokenAnswer[][] = [];
    await times(50, 8, async () => {
      const first = await tokens(sim);
      const both = await Promise.all([refresh(sim, first.refresh_token), refresh(sim, first.refresh_token)]);
      const second = winnerOf(both, /at the same time/);
      const third = tokensOf(await refresh(sim, second.refresh_token));
      expect((await callApi(sim, third.access_token)).status).toBe(200);
      lines.push([first, second, third]);
    });
    expect(lines).toHaveLength(50);
    sim.clock.advance(GRACE_MS + 1);
    for (const line of lines) {
      expect(verdictOf(await refresh(sim, line[0]?.refresh_token ?? ""))).toBe("400 invalid_grant");
      for (const { access_token } of line) expect((await callApi(sim, access_token)).status).toBe(401);
    }
  });
});

/** Exchanges each code twice, the second time as soon as the first answer is there; prints the first answers. */
const impatientClient = `
import { Agent, request } from "node:http";
import { once } from "node:events";
const agent = new Agent({ keepAlive: true });
const [url, ...bodies] = process.argv.slice(1);
const post = async (body) => {
  const sent = request(url, { agent, method: "POST", headers: { "content-type": "application/json" } });
  sent.end(body);
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return text;
};
const first = [];
for (const body of bodies) {
  first.push(await post(body));
  await post(body);
}
console.log(JSON.stringify(first));
agent.destroy();
`;

describe("A15: an immediate reuse by another process, which does not wait for this one's event loop", () => {
  it.each([
    ["revokes nothing within the grace: it may have crossed the answer", GRACE_MS, 200],
    ["revokes the tokens where there is no grace", 0, 401],
  ])("%s, 50 times", async (_what, graceMs, status) => {
    await using own = await startPlatform({ choices: { "oauth.reuse.grace": graceMs } });
    const bodies: string[] = [];
    for (let turn = 0; turn < 50; turn += 1) bodies.push(JSON.stringify({ ...ofGarden, code: await codeFor(own) }));
    const args = ["--input-type=module", "-e", impatientClient, `${own.url}/oauth/token`, ...bodies];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const answers: string[] = JSON.parse(stdout);
    expect(answers).toHaveLength(50);
    for (const answer of answers) expect((await callApi(own, JSON.parse(answer).access_token)).status).toBe(status);
  });
});

it("A16, A18: which of two uses is a reuse depends on the grace period and on each clock separately", () => {
  const used = { isTaken: true, answeredAt: { monotonic: 1000, now: 5000 } };
  const after = (monotonic: number, now: number) => statusOfUse(used, { monotonic, now }, 100);
  expect(statusOfUse({ ...used, isTaken: false }, used.answeredAt, 100)).toBe("unused");
  expect(statusOfUse({ ...used, answeredAt: null }, { monotonic: 9999, now: 9999 }, 100)).toBe("in-use");
  expect([after(900, 4900), after(1100, 5100), after(1100, 0)]).toEqual(["in-use", "in-use", "in-use"]);
  // A frozen clock, one that was turned, and one that was set back.
  expect([after(1101, 5000), after(1000, 5101), after(1101, 0)]).toEqual(["used", "used", "used"]);
});

describe("A15, A18, A31: a grant that ends while it is refreshed", () => {
  it("revocation during a refresh leaves nothing valid, whichever comes first", async () => {
    for (let turn = 0; turn < 30; turn += 1) {
      const first = await tokens(sim);
      const both = [() => refresh(sim, first.refresh_token), () => manage(sim, "revoke", first.refresh_token)];
      const sent = (turn % 2 === 0 ? both : both.reverse()).map((begin) => begin());
      const answers = await Promise.all(sent);
      const refreshed = answers.find(({ status, body }) => status === 200 && body.includes("access_token"));
      const all = [first, ...(refreshed === undefined ? [] : [tokensOf(refreshed)])];
      for (const { access_token } of all) expect((await callApi(sim, access_token)).status).toBe(401);
    }
  });

  it("reuse of the code during a refresh leaves nothing valid", async () => {
    await using sim = await startPlatform();
    for (let turn = 0; turn < 30; turn += 1) {
      const code = await codeFor(sim);
      const first = tokensOf(await exchange(sim, { code }));
      const [refreshed] = await Promise.all([refresh(sim, first.refresh_token), exchange(sim, { code })]);
      const all = [first, ...(refreshed.status === 200 ? [tokensOf(refreshed)] : [])];
      for (const { access_token, refresh_token } of all) {
        expect((await callApi(sim, access_token)).status).toBe(401);
        expect(verdictOf(await refresh(sim, refresh_token))).toBe("400 invalid_grant");
      }
    }
  });
});
