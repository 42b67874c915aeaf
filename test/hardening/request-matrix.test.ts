import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Exchange, RunningSimulator } from "../../src/index.ts";
import {
  callApi,
  codeFor,
  exchange,
  garden,
  proof,
  REDIRECT_URI,
  refresh,
  startPlatform,
  tokens,
} from "../rig/oauth.ts";
import { exchangesOf } from "../rig/simulation.ts";

// R40: each fault of R5 to R18 in a request that an app makes of the platform is answered once, with a status and an
// error code that are the same each time, and uses up nothing.

let sim: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform();
});
afterAll(() => sim.close());

/** A request before it is written: the parts that a fault changes. */
interface Draft {
  readonly start: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

interface Fault {
  readonly name: string;
  /** The bytes on the wire. */
  readonly write: (draft: Draft) => Buffer;
  /** Status and error code of the token endpoint, and of the API; null: no answer is possible. */
  readonly token: string | null;
  readonly api: string | null;
  /** The client is gone before it is answered. */
  readonly leaves?: boolean;
}

const bytesOf = ({ start, headers, body }: Draft, length: number | null = body.length) => {
  const lines = length === null || body.length === 0 ? headers : [...headers, `Content-Length: ${length}`];
  return Buffer.concat([Buffer.from([start, ...lines, "", ""].join("\r\n")), body]);
};
const withHeaders =
  (...more: readonly string[]) =>
  (draft: Draft) =>
    bytesOf({ ...draft, headers: [...draft.headers, ...more] });
const withBody =
  (change: (body: Buffer) => Buffer | string, ...more: readonly string[]) =>
  (draft: Draft) =>
    withHeaders(...more)({ ...draft, body: draft.body.length === 0 ? draft.body : Buffer.from(change(draft.body)) });
const ofType = (type: string) => (draft: Draft) =>
  bytesOf({
    ...draft,
    headers: draft.headers.map((line) => (/^content-type/i.test(line) ? `Content-Type: ${type}` : line)),
  });
const member = (json: string) => (body: Buffer) => body.toString().replace(/\}$/, `,${json}}`);

const INVALID = "400 invalid_request";
const faults: readonly Fault[] = [
  { name: "none", write: bytesOf, token: "200", api: "200" },
  {
    name: "R5: ends in the middle of its body",
    write: (draft) => bytesOf({ ...draft, body: draft.body.subarray(0, 9) }, 900),
    token: "400",
    api: null,
    leaves: true,
  },
  {
    name: "R7: HTTP/1.0",
    write: (draft) => bytesOf({ ...draft, start: draft.start.replace("1.1", "1.0") }),
    token: "200",
    api: "200",
  },
  { name: "R8: no HTTP", write: () => Buffer.from("EHLO app\r\n\r\n"), token: "400", api: "400" },
  { name: "R8: TLS", write: () => Buffer.from("16030100", "hex"), token: "400", api: "400" },
  {
    name: "R8: a chunk whose length is none",
    write: (draft) =>
      bytesOf(
        { ...draft, headers: [...draft.headers, "Transfer-Encoding: chunked"], body: Buffer.from("zz\r\n") },
        null,
      ),
    token: "400",
    api: "400",
  },
  {
    name: "R9: a body longer than announced",
    write: (draft) => bytesOf(draft, draft.body.length - 1),
    token: "400",
    api: "200",
  },
  {
    name: "R10: a Content-Length, and chunks",
    write: withHeaders("Transfer-Encoding: chunked", "Content-Length: 5"),
    token: "400",
    api: "400",
  },
  {
    name: "R11: 5000 headers",
    write: withHeaders(...Array.from({ length: 5000 }, (_, index) => `X-${index}: ${index}`)),
    token: "431",
    api: "431",
  },
  {
    name: "R14: a body in gzip",
    write: withBody(gzipSync, "Content-Encoding: gzip"),
    token: "415 invalid_request",
    api: "200",
  },
  { name: "R15: no body", write: withBody(() => ""), token: INVALID, api: "200" },
  { name: "R15: HTML", write: ofType("text/html"), token: "415 invalid_request", api: "200" },
  { name: "R16: a byte order mark", write: withBody((body) => `\uFEFF${body}`), token: INVALID, api: "200" },
  {
    name: "R16: no UTF-8",
    write: withBody((body) => Buffer.concat([body.subarray(0, -1), Buffer.from(',"x":"\xff"}', "latin1")])),
    token: INVALID,
    api: "200",
  },
  { name: "R17: a key twice", write: withBody(member('"client_id":"x"')), token: INVALID, api: "200" },
  { name: "R17: a number beyond what is exact", write: withBody(member('"x":1e400')), token: INVALID, api: "200" },
  {
    name: "R18: a lone surrogate in what it names",
    write: withBody((body) => body.toString().replace('"client_id":"', '"client_id":"\\ud800')),
    token: "401 invalid_client",
    api: "200",
  },
];

/**
 * The status and the error code of the answer to these bytes; null: there is none.
 * @param leaves whether the client is gone before it is answered
 */
async function answerTo(bytes: Buffer, leaves: boolean): Promise<string | null> {
  const { hostname, port } = new URL(sim.url);
  const socket = connect(Number(port), hostname);
  const parts: Buffer[] = [];
  socket.on("data", (part) => parts.push(part));
  socket.on("error", () => {});
  socket.write(bytes);
  if (leaves) socket.end();
  await once(socket, "close");
  const text = Buffer.concat(parts).toString();
  const status = /^HTTP\/1\.\d (\d+)/.exec(text)?.[1];
  const error = /"error":"(\w+)"/.exec(text)?.[1];
  return status === undefined ? null : [status, ...(error === undefined ? [] : [error])].join(" ");
}

const post = (body: object): Draft => ({
  start: "POST /oauth/token HTTP/1.1",
  headers: [`Host: ${new URL(sim.url).host}`, "Connection: close", "Content-Type: application/json"],
  body: Buffer.from(JSON.stringify(body)),
});
const client = { client_id: garden.clientId, client_secret: garden.clientSecret };

/** How many requests of a kind the journal has, and whether each has one outcome. */
function recorded(purpose: Exchange["purpose"]): number {
  const all = exchangesOf(sim, purpose);
  for (const { outcome, response } of all) expect([outcome.kind, response === null]).toEqual(["answered", false]);
  return all.length;
}

describe.each(faults)("R40: a request with the fault $name", ({ name, write, token, api, leaves = false }) => {
  const isGood = token === "200";

  it("exchange: is answered once, and uses up a code only if it is right", async () => {
    const code = await codeFor(sim);
    const before = recorded("token");
    const body = {
      grant_type: "authorization_code",
      ...client,
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: proof.verifier,
    };
    expect(await answerTo(write(post(body)), leaves), name).toBe(token);
    expect(recorded("token") - before).toBeLessThanOrEqual(1);
    expect((await exchange(sim, { code })).status).toBe(isGood ? 400 : 200);
  });

  it("refresh: is answered once, and uses up a token only if it is right", async () => {
    const { refresh_token } = await tokens(sim);
    const before = recorded("token");
    expect(await answerTo(write(post({ grant_type: "refresh_token", ...client, refresh_token })), leaves), name).toBe(
      token,
    );
    expect(recorded("token") - before).toBeLessThanOrEqual(1);
    expect((await refresh(sim, refresh_token)).status).toBe(isGood ? 400 : 200);
  });

  it("API: is answered once, and the token stays valid", async () => {
    const { access_token } = await tokens(sim);
    const before = recorded("api");
    const headers = [`Host: ${new URL(sim.url).host}`, "Connection: close", `Authorization: Bearer ${access_token}`];
    const draft = { start: "GET /api/v2/projects HTTP/1.1", headers, body: Buffer.alloc(0) };
    expect(await answerTo(write(draft), leaves), name).toBe(api);
    // A request without a body is whole before the fault comes: it is carried out, and its answer is lost.
    const count = recorded("api") - before;
    expect(api === "200" ? count : Math.max(1, count)).toBe(1);
    expect((await callApi(sim, access_token)).status).toBe(200);
  });
});
