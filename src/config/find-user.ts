import { UsageError } from "../protocol/usage-error.ts";
import type { Role } from "./roles.ts";
import type { Config, User } from "./schema.ts";

/**
 * The first user with a role.
 * @throws UsageError if nobody has it
 */
export function findUser({ users }: Config, role: Role): User {
  const user = users.find((candidate) => candidate.role === role);
  if (user !== undefined) return user;
  const configured = [...new Set(users.map((candidate) => candidate.role))];
  throw new UsageError("unknown-user", `no user has the role ${role}`, `configured roles: ${configured.join(", ")}`);
}
