import type { OptionsOf } from "../action/define-action.ts";
import { type Role, roles } from "../config/roles.ts";

/** Options of `install()` and `uninstall()`. */
export interface InstallOptions {
  /** Role of the user who does it; default the owner, else an admin, else the first user. */
  readonly user?: Role | undefined;
}

/** Definitions of {@link InstallOptions}. */
export const installOptions: OptionsOf<InstallOptions> = {
  user: {
    flag: "--user <role>",
    help: "who installs or uninstalls the app: owner, admin, manager, member or outsider (default: owner)",
    suggested: roles,
    schema: (z) => z.enum(roles),
  },
};
