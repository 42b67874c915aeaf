import type { SchemaParts } from "../protocol/schema-parts.ts";

/** An IP address of a user (interface 2.2). */
export function ipAddressSchema(z: SchemaParts) {
  return z.union([z.ipv4(), z.ipv6()], { error: "expected an IPv4 or IPv6 address" });
}
