import { describe, expect, test } from "vitest";
import { foreignAddress } from "../../src/platform/own-networks.ts";

describe("S29: load tests are for this machine and private networks", () => {
  test.each([
    "127.0.0.1",
    "127.9.8.7",
    "::1",
    "::ffff:127.0.0.1",
    "10.1.2.3",
    "::ffff:10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "fc00::1",
    "fdff::1",
  ])("%s", (address) => expect(foreignAddress(address, false)).toBeNull());

  test.each([
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.1",
    "192.169.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "11.0.0.1",
    "126.255.255.255",
    "2001:db8::1",
    "2606:4700:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
  ])("%s is public, and called only if the user allows it", (address) => {
    expect(foreignAddress(address, false)).toBe(`${address} is a public address`);
    expect(foreignAddress(address, true)).toBeNull();
  });

  test.each([
    "169.254.169.254",
    "100.100.100.200",
    "fd00:ec2::254",
    "169.254.1.1",
    "fe80::1",
    "0.0.0.0",
    "::",
    "224.0.0.1",
  ])("%s is never called, whatever the user allows", (address) => {
    expect(foreignAddress(address, false)).not.toBeNull();
    expect(foreignAddress(address, true)).not.toBeNull();
  });
});
