import type { Config, User } from "../../../config/schema.ts";
import type { FormValues } from "../../../guard/login/login-options.ts";

/** The values for the fields of a page, by name, as the config file has them: some differ between users, by their roles. */
export type FillByRole = NonNullable<NonNullable<Config["verify"]["guards"][string]["pass"]>["fill"]>;

/** What the config file says to fill in on the page of a guard. */
export function configuredFill({ verify }: Config, guardKey: string): FillByRole {
  return verify.guards[guardKey]?.pass?.fill ?? {};
}

/** The values that this user fills in; a field without a value for the user's role stays empty. */
export function fillOf(fill: FillByRole, { role }: Pick<User, "role">): FormValues {
  const own = Object.entries(fill).flatMap(([name, value]) => {
    const mine = isByRole(value) ? value[role] : value;
    return mine === undefined ? [] : [[name, typeof mine === "boolean" ? String(mine) : mine] as const];
  });
  return Object.fromEntries(own);
}

/** What users of other roles fill into a field, and this one does not. */
export function othersValues(fill: FillByRole, name: string, { role }: Pick<User, "role">): string[] {
  const value = fill[name];
  if (value === undefined || !isByRole(value)) return [];
  const all = Object.values(value).flatMap((each) => (typeof each === "string" ? [each] : []));
  return all.filter((each) => each !== value[role]);
}

/** What users of other roles fill in altogether, where more than one field has another value than for this user. */
export function othersFills(fill: FillByRole, { role }: Pick<User, "role">): FillByRole[] {
  const fields = Object.values(fill).filter(isByRole);
  const others = new Set(fields.flatMap((field) => Object.keys(field)) as User["role"][]);
  return [...others].flatMap((other) => {
    const isTheirs = fields.every((field) => field[other] !== undefined && field[other] !== field[role]);
    return fields.length > 1 && isTheirs ? [asFilledBy(fill, other)] : [];
  });
}

function asFilledBy(fill: FillByRole, role: User["role"]): FillByRole {
  const values = Object.entries(fill).map(([name, value]) => [name, isByRole(value) ? value[role] : value]);
  return Object.fromEntries(values) as FillByRole;
}

/** Whether a field has a value of its own for this role. */
export function isNamed(fill: FillByRole, role: User["role"]): boolean {
  return Object.values(fill).some((value) => isByRole(value) && value[role] !== undefined);
}

/** Whether there is a value for this user in each of the fields. */
export function canFill(fill: FillByRole, { role }: Pick<User, "role">): boolean {
  return Object.values(fill).every((value) => !isByRole(value) || value[role] !== undefined);
}

function isByRole(
  value: FillByRole[string],
): value is Exclude<FillByRole[string], string | readonly string[] | boolean> {
  return typeof value === "object" && !Array.isArray(value);
}
