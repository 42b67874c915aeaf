import { type PageWork, shown } from "../../browser/fill-form.ts";
import { nearestName } from "../../protocol/nearest.ts";

/**
 * What is to be done at the page of one guard: `KEY=BUTTON` and `KEY:field` are for the guard with that key alone, all
 * else for every page that has such a button or field.
 * @param keys of all guards of the login: what stands before = or : is part of a name where it is none of them
 */
export function workAt(work: PageWork, key: string, keys: ReadonlySet<string>): PageWork {
  const isFor = (text: string, mark: string): "this" | "another" | "all" => {
    const prefix = text.slice(0, Math.max(0, text.indexOf(mark)));
    if (!keys.has(prefix)) return "all";
    return prefix === key ? "this" : "another";
  };
  const fields = Object.entries(work.fill);
  const own = fields
    .filter(([name]) => isFor(name, ":") === "this")
    .map(([name, value]) => [name.slice(key.length + 1), value] as const);
  // What an earlier guard had for a field of this name is not for this one.
  for (const [name] of own) work.filled.delete(name);
  return {
    ...work,
    press: [
      ...work.press.filter((button) => isFor(button, "=") === "this").map((button) => button.slice(key.length + 1)),
      ...work.press.filter((button) => isFor(button, "=") === "all"),
    ],
    fill: Object.fromEntries([...fields.filter(([name]) => isFor(name, ":") === "all"), ...own]),
  };
}

/**
 * What is wrong with work that is for one guard, `KEY=BUTTON` or `KEY:field`, where no guard has the key but one has a
 * like one; null: nothing.
 * @param names as they were given
 * @param keys of all guards of the login
 */
export function misspeltGuardHint(names: readonly string[], keys: readonly string[]): string | null {
  const hints = names.flatMap((name) => {
    const [, key = "", rest = ""] = /^([^=:]+)([=:].*)$/.exec(name) ?? [];
    const meant = key === "" || keys.includes(key) ? null : nearestName(key, keys);
    return meant === null ? [] : [`there is no guard ${shown(key)}; did you mean ${meant}${rest}?`];
  });
  return hints.length === 0 ? null : hints.join("; ");
}
