import type { z } from "zod";

/** An IP address of a user (interface 2.2). */
export function ipAddressSchema(zod: typeof z) {
  return zod.union([zod.ipv4(), zod.ipv6()], { error: "expected an IPv4 or IPv6 address" });
}
