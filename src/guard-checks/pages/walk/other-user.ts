import { taggedContext } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";
import { guardExemption } from "../../../platform/modules.ts";
import { type InstalledGuard, letsInWith, type Person } from "../../call.ts";
import { canFill, configuredFill } from "./fill-by-role.ts";

/** A user other than the one who passes the page, at the same address: the guard need not ask this one. */
export interface OtherUser {
  readonly person: Person;
  /** Whether the guard checks this user's code; if not, nothing shows for which user a code is valid. */
  readonly needsCode: boolean;
}

/** Why codes were not tried for another user. */
export const NO_CODE_NEEDED = "the guard lets other users in with any code";

/** Maximum number of users to try, with one made-up code each: some apps count wrong codes. */
const MOST_OTHERS = 3;

/** Finds a user whom a made-up code does not let in. */
export async function findOther(
  { context, choices, run }: Verification,
  guard: InstalledGuard,
  subject: string,
  { user, ipAddress }: Person,
): Promise<OtherUser> {
  const tagged = taggedContext(context, { run, subject, id: null, role: "search" });
  const isExempt = (one: Person["user"]) => guardExemption(guard.module, one, choices) !== null;
  const others = context.config.users.filter(({ id }) => id !== user.id);
  // The platform sends no exempt user to a page, so the app may know nothing about them.
  const asked = others.filter((one) => !isExempt(one));
  const fill = configuredFill(context.config, guard.module.key);
  const [able, unable] = [asked.filter((one) => canFill(fill, one)), asked.filter((one) => !canFill(fill, one))];
  const users = [...able, ...unable, ...others.filter(isExempt)].slice(0, MOST_OTHERS);
  const isLetIn = (person: Person) => letsInWith(tagged, { choices, guard }, person, context.ids.secret());
  for (const other of users) {
    const person = { user: other, ipAddress };
    if (!(await isLetIn(person))) return { person, needsCode: true };
  }
  const person = { user: users[0] ?? { ...user, id: user.id + 1 }, ipAddress };
  return { person, needsCode: users.length === 0 && !(await isLetIn(person)) };
}
