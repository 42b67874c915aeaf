import { describe, expect, test } from "vitest";
import { OwnAddress, unmarked } from "../../src/web/own-origin.ts";

function address(local: string, publicUrl: string | null = null, domain: string | null = null): OwnAddress {
  const own = new OwnAddress(publicUrl, domain);
  own.local = local;
  return own;
}

const local = address("http://127.0.0.1:7410");
const standard = address("http://127.0.0.1");
const secure = address("https://127.0.0.1");
const behindProxy = address("http://127.0.0.1:7410", "https://sim.test", "acme");
const withPort = address("http://127.0.0.1:7410", "http://sim.test:8080", "acme");
const withoutDomain = address("http://127.0.0.1:7410", "https://sim.test");
const byNumber = address("http://127.0.0.1:7410", "http://192.168.0.7:7410", "acme");

// Hardening S2, S3.
describe("a Host", () => {
  test.each<[string, OwnAddress, readonly string[]]>([
    [
      "of this machine",
      local,
      ["127.0.0.1:7410", "localhost:7410", "LOCALHOST:7410", "acme.localhost:7410", "a-1.b.localhost:7410"],
    ],
    ["with the standard port", standard, ["127.0.0.1", "localhost:80"]],
    ["with the standard port of TLS", secure, ["127.0.0.1", "localhost:443"]],
    [
      "at the public address",
      behindProxy,
      ["sim.test", "SIM.test", "sim.test:443", "acme.sim.test", "acme.sim.test:443", "localhost:7410"],
    ],
    ["at the public address with a port", withPort, ["sim.test:8080", "acme.sim.test:8080", "127.0.0.1:7410"]],
    ["at the public address of no organization", withoutDomain, ["sim.test"]],
    ["at a public number", byNumber, ["192.168.0.7:7410"]],
  ])("is ours %s", (_, own, hosts) => {
    expect(hosts.filter((host) => !own.isHost(host))).toEqual([]);
  });

  test.each<[string, OwnAddress, readonly string[]]>([
    [
      "of this machine",
      local,
      [
        "",
        ":7410",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:7411",
        "127.0.0.1:7410:7410",
        "127.0.0.2:7410",
        "localhost.evil.test:7410",
        "evil-localhost:7410",
        ".localhost:7410",
        "a..localhost:7410",
        "a_b.localhost:7410",
        "evil.test/.localhost:7410",
        "sim.test",
      ],
    ],
    ["with the standard port", standard, ["127.0.0.1:7410", "localhost:443"]],
    ["with the standard port of TLS", secure, ["127.0.0.1:80"]],
    [
      "at the public address",
      behindProxy,
      ["sim.test:80", "sim.test:7410", "sim.test.evil.test", "other.sim.test", "a.acme.sim.test"],
    ],
    ["at the public address with a port", withPort, ["sim.test", "sim.test:80", "acme.sim.test"]],
    ["at the public address of no organization", withoutDomain, ["acme.sim.test", "null.sim.test"]],
    ["at a public number", byNumber, ["acme.192.168.0.7:7410", "192.168.0.7"]],
  ])("is not ours %s", (_, own, hosts) => {
    expect(hosts.filter((host) => own.isHost(host))).toEqual([]);
  });
});

// Hardening S4.
test.each<[string, OwnAddress, string, string, boolean]>([
  ["its own", local, "http://127.0.0.1:7410", "127.0.0.1:7410", true],
  ["under another name", local, "http://localhost:7410", "localhost:7410", true],
  ["of the other name", local, "http://localhost:7410", "127.0.0.1:7410", false],
  ["with another scheme", local, "https://127.0.0.1:7410", "127.0.0.1:7410", false],
  ["of another port", local, "http://127.0.0.1:3000", "127.0.0.1:7410", false],
  ["of a host that is not ours, from that host", local, "http://evil.test", "evil.test", false],
  ["null", local, "null", "127.0.0.1:7410", false],
  ["the public one", behindProxy, "https://sim.test", "sim.test", true],
  ["the public one in capitals", behindProxy, "https://sim.test", "SIM.test", true],
  ["the organization's", behindProxy, "https://acme.sim.test", "acme.sim.test", true],
  ["the organization's at the public host", behindProxy, "https://acme.sim.test", "sim.test", false],
  ["the public one without TLS", behindProxy, "http://sim.test", "sim.test", false],
  ["the public one behind a proxy that changes the Host", behindProxy, "https://sim.test", "localhost:7410", true],
  ["another one behind such a proxy", behindProxy, "https://evil.test", "localhost:7410", false],
  ["a local one with a public address", behindProxy, "http://localhost:7410", "localhost:7410", true],
])("an origin: %s", (_, own, origin, host, expected) => {
  expect(own.isOrigin(origin, host)).toBe(expected);
});

test.each<[string, OwnAddress, readonly string[]]>([
  ["http://127.0.0.1:7410", local, ["127.0.0.1:7410", "localhost:7410", "NAME.localhost:7410"]],
  ["http://127.0.0.1", standard, ["127.0.0.1", "localhost", "NAME.localhost"]],
  [
    "https://sim.test",
    behindProxy,
    ["sim.test", "acme.sim.test", "127.0.0.1:7410", "localhost:7410", "NAME.localhost:7410"],
  ],
  [
    "http://sim.test:8080",
    withPort,
    ["sim.test:8080", "acme.sim.test:8080", "127.0.0.1:7410", "localhost:7410", "NAME.localhost:7410"],
  ],
])("at %s, messages list all hosts", (url, own, hosts) => {
  expect([own.url, own.hosts]).toEqual([url, hosts]);
});

test.each([
  ["/login?a=1&from=app-sim", "/login?a=1"],
  ["/login?from=app-sim", "/login"],
  ["/login?from=app-sim-2", "/login?from=app-sim-2"],
  ["/login?from=app-sim&a=1", "/login?from=app-sim&a=1"],
])("%s without our mark is %s", (url, expected) => {
  expect(unmarked(url)).toBe(expected);
});
