import { guardExemption } from "../../../platform/modules.ts";
import type { Person } from "../../call.ts";
import { canFill, configuredFill, isNamed } from "./fill-by-role.ts";
import type { WalkedPage } from "./login.ts";

/**
 * One user of each other role that fills in something of its own, at the address of the person who passes the page;
 * nobody who is exempt from the guard, or whom it denies according to the configuration.
 */
export function peopleWhoFill({
  context: { config },
  choices,
  guard: { module },
  person,
}: WalkedPage & { readonly person: Person }): Person[] {
  const fill = configuredFill(config, module.key);
  const denied = config.verify.guards[module.key]?.denies?.user;
  const users = config.users.filter(
    (user) => isNamed(fill, user.role) && canFill(fill, user) && guardExemption(module, user, choices) === null,
  );
  const roles = new Set(users.map(({ role }) => role).filter((role) => role !== person.user.role && role !== denied));
  return [...roles].flatMap((role) => {
    const user = users.find((each) => each.role === role);
    return user === undefined ? [] : [{ ...person, user }];
  });
}
