import { describe, expect, it } from "vitest";
import { defaultConfig } from "../../src/config/default-world.ts";
import { roles } from "../../src/config/roles.ts";
import { type ImportAccess, importAccessIn, type Project, type User } from "../../src/config/schema.ts";
import { importAccess, importingUser } from "../../src/post-import/rules/import-access.ts";
import { UsageError } from "../../src/protocol/usage-error.ts";

const { organization, users, projects } = defaultConfig;
const [project] = projects;
if (project === undefined) throw new Error("the default world has a project");
const closed: Project = { ...project, identifier: "closed", members: ["otto.outsider"] };

type Edition = keyof typeof importAccessIn;

/** Who may, by role; who may not is told why. */
function allowed(
  edition: Edition,
  access: ImportAccess | undefined,
  { selected = [], at = project, all = projects }: { selected?: string[]; at?: Project | null; all?: Project[] } = {},
) {
  const app = { postImportAccess: access, postImportUsers: selected };
  const world = { organization: { ...organization, edition }, projects: all };
  return users.filter((user) => importAccess(app, world, at ?? null, user) === null).map(({ role }) => role);
}

const inside = ["owner", "admin", "manager", "member"];

describe("1 access to the post-import module", () => {
  it.each<[Edition, ImportAccess | undefined, string[]]>([
    ["standard", undefined, inside],
    ["standard", "project-owner", ["owner"]],
    ["standard", "project-members", inside],
    ["standard", "selected-users", ["manager", "outsider"]],
    ["enterprise", undefined, inside],
    ["enterprise", "organization-admins", ["owner", "admin"]],
    ["enterprise", "organization-users", inside],
    ["enterprise", "selected-users", ["manager", "outsider"]],
  ])("%s edition, %s: %j", (edition, access, expected) => {
    expect(allowed(edition, access, { selected: ["maria.manager", "otto.outsider"] })).toEqual(expected);
  });

  it("the table has a row for every category of the interface", () => {
    expect(importAccessIn.standard.categories).toEqual(["project-owner", "project-members", "selected-users"]);
    expect(importAccessIn.enterprise.categories).toEqual([
      "organization-admins",
      "organization-users",
      "selected-users",
    ]);
  });

  it("members of a project are those that it lists, and owner and admins", () => {
    expect(allowed("standard", undefined, { at: closed })).toEqual(["owner", "admin", "outsider"]);
  });

  it("users in the organization's projects need not be in that of the job", () => {
    const both = [project, closed];
    expect(allowed("enterprise", undefined, { at: closed, all: both })).toEqual([...inside, "outsider"]);
    expect(allowed("enterprise", undefined, { at: closed, all: [closed] })).toEqual(["owner", "admin", "outsider"]);
  });

  it("everybody but outsiders belongs to a project that is not configured", () => {
    expect(allowed("standard", undefined, { at: null, all: [closed] })).toEqual(inside);
  });

  it.each<[Edition, ImportAccess, string]>([
    ["standard", "project-owner", "only project owners may use it"],
    ["standard", "project-members", "only members of the project may use it"],
    ["standard", "selected-users", "only selected users (adam.admin) may use it"],
    ["enterprise", "organization-admins", "only organization admins may use it"],
    ["enterprise", "organization-users", "only users in the organization's projects may use it"],
  ])("names those who have access: %s, %s", (edition, postImportAccess, who) => {
    const app = { postImportAccess, postImportUsers: ["adam.admin"] };
    const world = { organization: { ...organization, edition }, projects };
    const outsider = importingUser(users, "outsider");
    expect(importAccess(app, world, project, outsider)).toBe(`${who}, and otto.outsider (outsider) is not one`);
  });
});

describe("importingUser", () => {
  const [owner, , manager, member] = users;
  if (owner === undefined || manager === undefined || member === undefined) throw new Error("a user for each role");

  it.each(roles)("is the first user with the role %s", (role) => {
    const expected = users.find((user) => user.role === role);
    expect(importingUser([...users, ...users.map((user) => ({ ...user, id: user.id + 100 }))], role)).toBe(expected);
  });

  it("is the user with this login name, even if it is the name of a role", () => {
    expect(importingUser(users, "milan.member")).toBe(member);
    const tricky: User = { ...member, login: "owner" };
    expect(importingUser([owner, tricky], "owner")).toBe(tricky);
  });

  it("is by default a manager, or else the first user", () => {
    expect(importingUser(users, null)).toBe(manager);
    expect(importingUser([member, owner], null)).toBe(member);
  });

  it("is refused if nobody has that name", () => {
    const hint = `login names: olena.owner, milan.member; roles: owner, member`;
    for (const [wanted, near] of [
      ["milan.membre", ' Did you mean "milan.member"?'],
      ["admim", ' Did you mean "admin"?'],
      ["x", ""],
    ] as const) {
      const act = () => importingUser([owner, member], wanted);
      expect(act).toThrow(UsageError);
      expect(act).toThrow(
        expect.objectContaining({
          code: "unknown-user",
          message: `no user has the login name or the role "${wanted}".${near}`,
          hint,
        }),
      );
    }
  });
});
