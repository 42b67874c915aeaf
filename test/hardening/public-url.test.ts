import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectByTls } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningPlatform, startPlatform } from "../../src/start-platform.ts";
import { handshake, requestByTls } from "../rig/tls.ts";

const PUBLIC = "https://sim.example.test";

let sim: RunningPlatform;
let told: string[];
let heard: () => void;
const start = async (options: Parameters<typeof startPlatform>[0]) => {
  sim = await startPlatform({
    ...options,
    onTrouble: (message) => {
      told.push(message);
      heard();
    },
  });
};
beforeEach(() => {
  told = [];
  heard = () => {};
});
afterEach(() => sim.close());
/** Resolves when there are so many messages. */
const messages = (count: number) =>
  new Promise<void>((resolve) => {
    heard = () => told.length >= count && resolve();
    heard();
  });

/** The answer to a request with these header lines, by plain HTTP. */
async function answerTo(headers: readonly string[], { path = "/", method = "GET" } = {}): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(sim.localUrl).port) });
  const lines = headers.map((line) => line.replaceAll("PORT", new URL(sim.localUrl).port));
  socket.setEncoding("latin1").end([`${method} ${path} HTTP/1.1`, ...lines, "Connection: close", "", ""].join("\r\n"));
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  await once(socket, "close");
  return answer;
}
const statusOf = async (...args: Parameters<typeof answerTo>) => Number((await answerTo(...args)).split(" ")[1]);

describe("behind a proxy at a public URL", () => {
  beforeEach(() => start({ publicUrl: PUBLIC }));

  it("S2: answers only to its own names, the public one and the organization's below it", async () => {
    const outcomes: Record<string, number> = {};
    const hosts = [
      ...["sim.example.test", "SIM.Example.Test", "sim.example.test:443", "acme.sim.example.test"],
      ...["127.0.0.1:PORT", "localhost:PORT", "acme.localhost:PORT"],
      ...["other.sim.example.test", "a.acme.sim.example.test", "evilsim.example.test", "sim.example.test.evil.example"],
      ...["sim.example.test:PORT", "sim.example.test:80", "example.test", "127.0.0.1", "evil.example:PORT", "["],
    ];
    for (const host of hosts) outcomes[host] = await statusOf([`Host: ${host}`]);
    const allowed = hosts.filter((host) => outcomes[host] === 200);
    expect(allowed).toEqual(hosts.slice(0, 7));
    expect(Object.values(outcomes).filter((status) => status !== 200)).toEqual(hosts.slice(7).map(() => 403));
  });

  it("S2: reports each refused Host once, on one harmless line, up to a limit", async () => {
    await statusOf(["Host: app_sim.internal:7410"]);
    await statusOf(["Host: app_sim.internal:7410"]);
    await statusOf(["Host: tunnel.example"]);
    expect(told).toEqual([
      expect.stringMatching(
        /^a request for Host app_sim\.internal:7410 was refused: the platform answers to sim\.example\.test, .*; if your app reaches the platform under that name, start the platform with --public-url https:\/\/app_sim\.internal:7410$/,
      ),
      expect.stringMatching(/start the platform with --public-url https:\/\/tunnel\.example$/),
    ]);
    told = [];
    await statusOf(["Host: other.sim.example.test"]);
    expect(told).toEqual([
      expect.stringContaining("the organization's own host is acme.sim.example.test, and --domain"),
    ]);
    told = [];
    await statusOf([`Host: \u009b31m${"a".repeat(5000)}`]);
    await statusOf(["Host: a", "Host: b"]);
    expect(told).toEqual([
      expect.stringMatching(/^a request for Host .{1,110} was refused: .*; this is not a valid Host$/),
      "a request was refused because it has no Host header, or more than one",
    ]);
    expect(told.join("")).not.toContain("\u009b");
    told = [];
    for (let nth = 0; nth < 40; nth += 1) await statusOf([`Host: host-${nth}.example`]);
    expect(told.length).toBeLessThan(25);
    expect(told.at(-1)).toBe("further clients that are turned away are not reported");
  });

  it("S4, S5: accepts forms and reports of pages at the public URL, whatever Host the proxy sends", async () => {
    const path = "/-/inspector/links";
    const outcomes: Record<string, number> = {};
    const cases: readonly (readonly [host: string, origin: string])[] = [
      ["sim.example.test", PUBLIC],
      ["127.0.0.1:PORT", PUBLIC],
      ["127.0.0.1:PORT", "http://127.0.0.1:PORT"],
      ["acme.sim.example.test", "https://acme.sim.example.test"],
      ["sim.example.test", "http://sim.example.test"],
      ["sim.example.test", "https://other.sim.example.test"],
      ["sim.example.test", "https://sim.example.test.evil.example"],
      ["127.0.0.1:PORT", "https://127.0.0.1:PORT"],
      ["127.0.0.1:PORT", "http://localhost:1"],
      ["127.0.0.1:PORT", "http://["],
    ];
    await sim.close();
    await start({ publicUrl: PUBLIC, controlToken: "a-token-of-128-bits-or-more-that-nobody-can-guess" });
    for (const [host, origin] of cases) {
      const headers = [`Host: ${host}`, `Origin: ${origin}`, "Content-Length: 0"];
      outcomes[`${host} ${origin}`] = await statusOf(headers, { path, method: "POST" });
    }
    // 401: what is asked for next is the token.
    expect(Object.values(outcomes)).toEqual([401, 401, 401, 401, 403, 403, 403, 403, 403, 403]);
  });

  it("redirects pages to the public URL, without a loop if the proxy changes the Host", async () => {
    const locationOf = async (headers: readonly string[], path: string) =>
      /^location: (.*)$/im.exec(await answerTo(headers, { path }))?.[1] ?? null;
    expect(await locationOf(["Host: sim.example.test"], "/acme/login")).toBeNull();
    const led = await locationOf(["Host: localhost:PORT"], "/acme/login");
    expect(led).toBe(`${PUBLIC}/acme/login?from=app-sim`);
    const { pathname, search } = new URL(led ?? "");
    expect(await statusOf(["Host: 127.0.0.1:PORT"], { path: pathname + search })).toBe(200);
    expect(await locationOf(["Host: localhost:PORT"], "/acme/login?a=b")).toBe(`${PUBLIC}/acme/login?a=b&from=app-sim`);
    // The mark is not part of what the app asked for.
    const query = "client_id=app-sim-client&redirect_uri=http%3A%2F%2Fx.example&response_type=code&scope=project";
    await answerTo(["Host: 127.0.0.1:PORT"], { path: `/oauth/authorize?${query}&from=app-sim` });
    expect(JSON.stringify(sim.journal.list())).toContain("response_type=code");
    expect(JSON.stringify(sim.journal.list())).not.toContain("from=app-sim");
  });
});

describe("clients that cannot connect", () => {
  it("are distinguished: one that does not trust the certificate, and one that speaks plain HTTP", async () => {
    await start({ tls: true });
    const port = Number(new URL(sim.localUrl).port);
    expect(await handshake(port, "localhost", "")).toContain("self-signed certificate in certificate chain");
    await messages(1);
    expect(told).toEqual([expect.stringMatching(/^a client (broke off|does not accept) .*it has to trust/)]);
    const plain = connect({ host: "127.0.0.1", port });
    plain.on("error", () => {});
    plain.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await messages(2);
    expect(told[1]).toBe(`a client speaks plain HTTP, but the platform speaks TLS: its address is ${sim.localUrl}`);
    plain.destroy();
    expect((await requestByTls(sim, sim.localUrl)).status).toBe(200);
  });

  it("are reported if they speak TLS to a platform without it", async () => {
    await start({});
    const socket = connectByTls({ host: "127.0.0.1", port: Number(new URL(sim.localUrl).port) });
    await once(socket, "error");
    await messages(1);
    expect(told).toEqual([
      `a client speaks TLS, but the platform is at ${sim.localUrl}: start it with --tls, or give the app that address`,
    ]);
  });
});
