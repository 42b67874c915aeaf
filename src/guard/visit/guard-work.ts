import { type PageWork, shown } from "../../browser/fill-form.ts";
import { nearestName } from "../../protocol/nearest.ts";

/** The progress of work that has not begun. */
export function nothingDone(): Pick<PageWork, "filled" | "pressed" | "presses" | "seen"> {
  return { filled: new Set(), pressed: new Set(), presses: { count: 0 }, seen: new Set() };
}

/**
 * What is to be done at the page of one guard: `KEY=BUTTON` and `KEY:field` are for the guard with that key alone, all
 * else for every page that has such a button or field.
 * @param keys of all guards of the login: what stands before = or : is part of a name where it is none of them
 */
export function workAt(work: PageWork, key: string, keys: ReadonlySet<string>): PageWork {
  const fields = namesAt(Object.keys(work.fill), ":", key, keys);
  const buttons = namesAt(work.press, "=", key, keys);
  // What an earlier guard had for a field of this name is not for this one.
  for (const { name } of fields.own) work.filled.delete(name);
  return {
    ...work,
    seen: new Set(),
    press: [...buttons.own, ...buttons.shared].map(({ name }) => name),
    fill: Object.fromEntries(
      [...fields.shared, ...fields.own].map(({ name, given }) => [name, work.fill[given] ?? []]),
    ),
  };
}

/** What of the work was done at the page of one guard, as it was given. */
export function doneAt(work: PageWork, key: string, keys: ReadonlySet<string>): readonly string[] {
  const fields = namesAt(Object.keys(work.fill), ":", key, keys);
  const buttons = namesAt(work.press, "=", key, keys);
  return [
    ...[...fields.own, ...fields.shared].filter(({ name }) => work.filled.has(name)),
    ...[...buttons.own, ...buttons.shared].filter(({ name }) => work.pressed.has(name)),
  ].map(({ given }) => given);
}

/** A name at the page of a guard, and how it was given. */
interface NameAtPage {
  readonly name: string;
  readonly given: string;
}

/** The names that are for this guard alone, and those that are for every guard. */
function namesAt(given: readonly string[], mark: ":" | "=", key: string, keys: ReadonlySet<string>) {
  const own: NameAtPage[] = [];
  const shared: NameAtPage[] = [];
  for (const text of given) {
    const prefix = keyOf(text, mark);
    if (!keys.has(prefix)) shared.push({ name: text, given: text });
    else if (prefix === key) own.push({ name: text.slice(key.length + 1), given: text });
  }
  return { own, shared };
}

/** A field or button as it was given, in words: what stands before the mark is no part of its name, but a guard's key. */
export function nameGiven(given: string, mark: ":" | "=", keys: ReadonlySet<string>): string {
  const key = keyOf(given, mark);
  return keys.has(key) ? `${shown(given.slice(key.length + 1))} of guard ${shown(key)}` : shown(given);
}

function keyOf(given: string, mark: ":" | "="): string {
  return given.slice(0, Math.max(0, given.indexOf(mark)));
}

/**
 * What is wrong with work that is for one guard, `KEY=BUTTON` or `KEY:field`, where no guard has the key but one has a
 * like one, or where the mark between is that of the other flag; null: nothing.
 * @param names as they were given
 * @param keys of all guards of the login
 */
export function misspeltGuardHint(names: readonly string[], keys: readonly string[]): string | null {
  const hints = names.flatMap((name) => {
    const [, key = "", rest = ""] = /^([^=:]+)([=:].*)$/.exec(name) ?? [];
    if (keys.includes(key)) {
      return [`for one guard alone, it is --press ${key}=BUTTON and --fill ${key}:FIELD=VALUE`];
    }
    const meant = key === "" ? null : nearestName(key, keys);
    return meant === null ? [] : [`there is no guard ${shown(key)}; did you mean ${meant}${rest}?`];
  });
  return hints.length === 0 ? null : hints.join("; ");
}
