import { BlockList, isIP } from "node:net";
import { forbiddenAddress } from "./answer-url.ts";

/**
 * Why neither load nor invalid requests may be sent to this IP address, in any spelling; null if they may (hardening
 * S29). This machine and private networks are the user's own; others are assumed to be somebody else's until the user
 * says otherwise. To link-local addresses and those where clouds keep credentials, nothing is ever sent.
 */
export function foreignAddress(address: string, allowPublic: boolean): string | null {
  const forbidden = forbiddenAddress(address);
  if (forbidden !== null) return forbidden;
  if (allowPublic || own.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")) return null;
  return `${address} is a public address`;
}

/** BlockList itself finds IPv4-mapped addresses. */
const own = ownNetworks();

function ownNetworks(): BlockList {
  const list = new BlockList();
  list.addSubnet("127.0.0.0", 8, "ipv4");
  list.addSubnet("10.0.0.0", 8, "ipv4");
  list.addSubnet("172.16.0.0", 12, "ipv4");
  list.addSubnet("192.168.0.0", 16, "ipv4");
  // RFC 6598: shared between the customers of a network, such as those of a VPN.
  list.addSubnet("100.64.0.0", 10, "ipv4");
  list.addAddress("::1", "ipv6");
  list.addSubnet("fc00::", 7, "ipv6");
  return list;
}
