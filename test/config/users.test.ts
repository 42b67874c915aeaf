import { describe, expect, it } from "vitest";
import { defaultConfig } from "../../src/config/default-world.ts";
import type { User } from "../../src/config/schema.ts";
import { installingUser } from "../../src/config/users.ts";

describe("the user who installs an app", () => {
  const having = (...roles: User["role"][]) => defaultConfig.users.filter(({ role }) => roles.includes(role));

  it.each([
    [having("member", "admin", "owner"), "owner"],
    [having("member", "admin"), "admin"],
    [having("manager", "member"), "manager"],
  ])("is the owner, else an admin, else the first user", (users, role) =>
    expect(installingUser({ users }).role).toBe(role),
  );
});
