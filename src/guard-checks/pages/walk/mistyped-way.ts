import { otherThan } from "../../../checking/other-value.ts";
import type { Person } from "../../call.ts";
import { isSecretName } from "../form/secret-fields.ts";
import { fillOf } from "./fill-by-role.ts";
import type { PageWay } from "./walk.ts";

/**
 * The way with another password in place of each that is configured for this person; null: none is.
 * @param isSecret whether a field is for a password; default by its name
 */
export function mistypedWay(
  way: PageWay,
  { user }: Pick<Person, "user">,
  isSecret: (name: string) => boolean = isSecretName,
): PageWay | null {
  const fill = Object.entries(fillOf(way.answers.fill ?? {}, user));
  const isPassword = ([name, value]: (typeof fill)[number]) => typeof value === "string" && isSecret(name);
  if (!fill.some(isPassword)) return null;
  const mistyped = fill.map(([name, value]) => [name, isPassword([name, value]) ? otherThan(String(value)) : value]);
  return { ...way, answers: { ...way.answers, fill: Object.fromEntries(mistyped) } };
}
