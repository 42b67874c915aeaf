import { BlockList, isIPv6 } from "node:net";
import type { GuardRule } from "./guard.ts";

/** Denies logins from two networks that are not ours. */
export function networkRule(): GuardRule {
  const denied = new BlockList();
  denied.addSubnet("198.51.100.0", 24, "ipv4");
  denied.addSubnet("2001:db8:bad::", 48, "ipv6");
  return ({ ipAddress }) => (isIn(denied, ipAddress) ? "Log in from the office network or the VPN." : null);
}

/** Denies logins of suspended users: here the outsider of app-sim's own organization. */
export function accountRule(): GuardRule {
  const suspended = new Set([105]);
  return ({ userId }) => (suspended.has(userId) ? "This account is suspended. Ask your administrator." : null);
}

/** Asks managers, who see what is not published yet: here the manager of app-sim's own organization. */
export function termsRule(): GuardRule {
  const managers = new Set([103]);
  return ({ userId }) => (managers.has(userId) ? "Accept the confidentiality terms." : null);
}

/** Asks whoever logs in from outside the office. */
export function presenceRule(): GuardRule {
  const outside = new BlockList();
  outside.addSubnet("192.0.2.0", 24, "ipv4");
  outside.addSubnet("2001:db8:feed::", 48, "ipv6");
  return ({ ipAddress }) => (isIn(outside, ipAddress) ? "Confirm that it is you who logs in." : null);
}

function isIn(networks: BlockList, ipAddress: string): boolean {
  return networks.check(ipAddress, isIPv6(ipAddress) ? "ipv6" : "ipv4");
}
