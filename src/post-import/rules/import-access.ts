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
 * Why a user's files do not go to an app's post-import modules, or null if they do (interface 1). Organization admins
 * are the owner and the admins; the organization's owner owns its projects.
 * @param project the job's; null if it is not configured: then everybody except outsiders is a member
 * @returns a clause such as "only organization admins may use it, and milan.member (member) is not one"
 */
export function importAccess(
  { postImportAccess, postImportUsers }: Pick<App, "postImportAccess" | "postImportUsers">,
  { organization, projects }: Pick<Config, "organization" | "projects">,
  project: Project | null,
  user: User,
): string | null {
  const { role, login } = user;
  const sees = (some: readonly Project[]) => visibleProjects(some, user).length > 0;
  const isMember = project === null ? role !== "outsider" : sees([project]);
  const categories: Readonly<Record<ImportAccess, readonly [who: string, isOne: boolean]>> = {
    "project-owner": ["project owners", role === "owner"],
    "project-members": ["members of the project", isMember],
    "organization-admins": ["organization admins", role === "owner" || role === "admin"],
    "organization-users": ["users in the organization's projects", sees(projects)],
    "selected-users": [`selected users (${postImportUsers.join(", ") || "none"})`, postImportUsers.includes(login)],
  };
  const [who, isOne] = categories[postImportAccess ?? importAccessIn[organization.edition].default];
  return isOne ? null : `only ${who} may use it, and ${login} (${role}) is not one`;
}

/**
 * Who imports a file.
 * @param wanted a login name, or a role for the first user with it; null: the first manager, or else the first user
 * @throws UsageError if there is no such user
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
