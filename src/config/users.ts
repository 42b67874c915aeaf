import { UsageError } from "../protocol/usage-error.ts";
import type { Role } from "./roles.ts";
import type { Config, Project, User } from "./schema.ts";

/**
 * The first user with this role.
 * @throws UsageError `unknown-user` if there is none
 */
export function findUser({ users }: Pick<Config, "users">, role: Role): User {
  const user = users.find((candidate) => candidate.role === role);
  if (user !== undefined) return user;
  const configured = [...new Set(users.map((candidate) => candidate.role))];
  throw new UsageError("unknown-user", `no user has the role ${role}`, `configured roles: ${configured.join(", ")}`);
}

/**
 * A question to end a message: the role of the user whose id or login name was given instead; "" if no user has it.
 * @param given what was given as the role
 */
export function roleMeant(users: readonly User[], given: unknown): string {
  const name = String(given);
  const user = users.find(({ id, login }) => String(id) === name || login === name);
  const isFirst = user !== undefined && users.find(({ role }) => role === user.role) === user;
  return isFirst ? `. Did you mean "${user.role}", the role of user ${name}?` : "";
}

/** The user who consents if nobody is asked, and who is preselected on the consent page (`login.user`). */
export function defaultUser({ users, login }: Pick<Config, "users" | "login">): User {
  return firstWithRole(users, [login.user]);
}

/** The user who installs apps: the owner, else an admin, else the first user. */
export function installingUser({ users }: Pick<Config, "users">): User {
  return firstWithRole(users, ["owner", "admin"]);
}

/** The first user with the first of these roles that anyone has, otherwise the first user. */
function firstWithRole(users: readonly User[], wanted: readonly Role[]): User {
  const [user] = [...wanted.flatMap((role) => users.filter((candidate) => candidate.role === role)), ...users];
  if (user === undefined) throw new RangeError("a configuration without users");
  return user;
}

/** The projects that a user sees, in the order of the configuration (interface 5.4: on behalf of the user). */
export function visibleProjects(
  projects: readonly Project[],
  { role, login }: Pick<User, "role" | "login">,
): readonly Project[] {
  if (role === "owner" || role === "admin") return projects;
  return projects.filter(({ members }) => members?.includes(login) ?? role !== "outsider");
}

/** The first user of each role. */
export function usersByRole(users: readonly User[]): User[] {
  return [...new Set(users.map(({ role }) => role))].flatMap((role) => users.find((user) => user.role === role) ?? []);
}
