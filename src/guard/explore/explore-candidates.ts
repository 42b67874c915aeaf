import { type Role, roles } from "../../config/roles.ts";

/** Who logs in, and from where. */
export interface Candidate {
  readonly user: Role;
  /** IPv4 or IPv6. */
  readonly ipAddress: string;
}

/**
 * Addresses of every kind that an app may treat in its own way, none of them anybody's: the documentation ranges
 * (RFC 5737, RFC 3849), a private network (RFC 1918), and this machine.
 */
export const exploredAddresses: readonly string[] = [
  "203.0.113.10",
  "198.51.100.7",
  "192.0.2.44",
  "2001:db8::7",
  "2001:db8:feed::7",
  "2001:db8:bad::7",
  "10.0.0.7",
  "192.168.0.7",
  "127.0.0.1",
  "::1",
];

/**
 * The users of an exploration, by their roles: the preferred ones first, each once, and only those that exist.
 * @param configured the roles that somebody has
 */
export function exploredUsers(preferred: readonly Role[], configured: readonly Role[]): Role[] {
  return unique([...preferred, ...roles]).filter((role) => configured.includes(role));
}

/**
 * Every pair of a user and an address, those first that tell most: an app looks at who it is, or at where they are,
 * more often than at both. So every user comes from the first address, then the first user from every address.
 */
export function candidatesOf(users: readonly Role[], addresses: readonly string[]): Candidate[] {
  const [firstUser, ...otherUsers] = users;
  const [firstAddress, ...otherAddresses] = unique(addresses);
  if (firstUser === undefined || firstAddress === undefined) return [];
  return [
    ...users.map((user) => ({ user, ipAddress: firstAddress })),
    ...otherAddresses.map((ipAddress) => ({ user: firstUser, ipAddress })),
    ...otherUsers.flatMap((user) => otherAddresses.map((ipAddress) => ({ user, ipAddress }))),
  ];
}

/** Each once, in the order in which they come first. */
export function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
