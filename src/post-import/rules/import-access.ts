import { roles } from "../../config/roles.ts";
import {
  type App,
  type Config,
  type ImportAccess,
  importAccessIn,
  type Project,
  type User,
} from "../../config/schema.ts";
import { visibleProjects } from "../../config/users.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { UsageError } from "../../protocol/usage-error.ts";

/**
 * Why a user's files do not go to an app's post-import modules, or null if they do (interface 1). The organization's
 * admins are owner and admins; the owner of the organization owns its projects.
 * @param project that of the job; null where it is not configured, so that everybody but outsiders belongs to it
 * @returns a sentence's end such as "only organization admins may use it, and milan.member (member) is not one"
 */
export function importAccess(
  { postImportAccess, postImportUsers }: Pick<App, "postImportAccess" | "postImportUsers">,
  { organization, projects }: Pick<Config, "organization" | "projects">,
  project: Project | null,
  user: User,
): string | null {
  const { role, login } = user;
  const sees = (some: readonly Project[]) => visibleProjects(some, user).length > 0;
  const categories: Readonly<Record<ImportAccess, { readonly who: string; readonly isOne: boolean }>> = {
    "project-owner": { who: "project owners", isOne: role === "owner" },
    "project-members": {
      who: "members of the project",
      isOne: project === null ? role !== "outsider" : sees([project]),
    },
    "organization-admins": { who: "organization admins", isOne: role === "owner" || role === "admin" },
    "organization-users": { who: "users in the organization's projects", isOne: sees(projects) },
    "selected-users": {
      who: `selected users (${postImportUsers.join(", ") || "none"})`,
      isOne: postImportUsers.includes(login),
    },
  };
  const { who, isOne } = categories[postImportAccess ?? importAccessIn[organization.edition].default];
  return isOne ? null : `only ${who} may use it, and ${login} (${role}) is not one`;
}

/**
 * Who imports a file.
 * @param wanted a login name, or a role for the first user with it; null: somebody who manages the project, where
 * nobody does the first user
 * @throws UsageError where there is no such user
 */
export function importingUser(users: readonly User[], wanted: string | null): User {
  const found =
    wanted === null
      ? (users.find(({ role }) => role === "manager") ?? users[0])
      : (users.find(({ login }) => login === wanted) ?? users.find(({ role }) => role === wanted));
  if (found !== undefined) return found;
  const logins = users.map(({ login }) => login);
  throw new UsageError(
    "unknown-user",
    `no user has the login name or the role "${wanted}".${didYouMean(wanted ?? "", [...logins, ...roles])}`,
    `login names: ${logins.join(", ")}; roles: ${[...new Set(users.map(({ role }) => role))].join(", ")}`,
  );
}
