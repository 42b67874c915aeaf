import { type PageWork, shown } from "../../browser/fill-form.ts";
import { nearestName } from "../../protocol/nearest.ts";
import type { FormAnswers } from "../login/login-options.ts";

/** The progress of work that has not started. */
export function nothingDone(): Pick<PageWork, "filled" | "pressed" | "presses" | "seen"> {
  return { filled: new Set(), pressed: new Set(), presses: { count: 0 }, seen: new Set() };
}

/** The buttons to press, those of one guard as `KEY=BUTTON`. */
export function buttonsGiven(press: NonNullable<FormAnswers["press"]>): readonly string[] {
  if (typeof press === "string" || isList(press)) return [press].flat();
  return Object.entries(press).flatMap(([key, names]) => [names].flat().map((name) => `${key}=${name}`));
}

/** TypeScript does not tell a readonly list from an object by `Array.isArray`. */
function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}

/**
 * What to do on the page of one guard: `KEY=BUTTON` and `KEY:field` apply only to the guard with that key, the rest to
 * every page that has such a button or field.
 * @param keys of all guards of the login: text before = or : that is not one of them is part of the name
 */
export function workAt(work: PageWork, key: string, keys: ReadonlySet<string>): PageWork {
  const fields = namesAt(Object.keys(work.fill), ":", key, keys);
  const buttons = namesAt(work.press, "=", key, keys);
  // A value that was meant for an earlier guard's field of this name does not apply here.
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

/** The part of the work that was done on the page of one guard, as given. */
export function doneAt(work: PageWork, key: string, keys: ReadonlySet<string>): readonly string[] {
  const fields = namesAt(Object.keys(work.fill), ":", key, keys);
  const buttons = namesAt(work.press, "=", key, keys);
  return [
    ...[...fields.own, ...fields.shared].filter(({ name }) => work.filled.has(name)),
    ...[...buttons.own, ...buttons.shared].filter(({ name }) => work.pressed.has(name)),
  ].map(({ given }) => given);
}

/** The name of a field or button, and how it was given. */
interface NameAtPage {
  readonly name: string;
  readonly given: string;
}

/** The names that apply only to this guard, and those that apply to every guard. */
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

/** A field or button in words: the text before the mark is a guard's key, not part of the name. */
export function nameGiven(given: string, mark: ":" | "=", keys: ReadonlySet<string>): string {
  const key = keyOf(given, mark);
  return keys.has(key) ? `${shown(given.slice(key.length + 1))} of guard ${shown(key)}` : shown(given);
}

function keyOf(given: string, mark: ":" | "="): string {
  return given.slice(0, Math.max(0, given.indexOf(mark)));
}

/** A guard of a login, for hints about what is done on its page. */
export interface GuardOfLogin {
  readonly key: string;
  readonly hasPage: boolean;
}

/**
 * What is wrong with work for one guard, `KEY=BUTTON` or `KEY:field`: no guard has the key but one has a similar one,
 * or the separator belongs to the other flag; null: nothing.
 * @param names as given
 */
export function misspeltGuardHint(names: readonly string[], guards: readonly GuardOfLogin[]): string | null {
  const withPage = guards.filter(({ hasPage }) => hasPage).map((guard) => guard.key);
  const hints = names.flatMap((name) => {
    const [, key = "", rest = ""] = /^([^=:]+)([=:].*)$/.exec(name) ?? [];
    if (withPage.includes(key)) {
      return [`for this guard only, write --press ${key}=BUTTON and --fill ${key}:FIELD=VALUE`];
    }
    if (key === "") return [];
    if (guards.some((guard) => guard.key === key)) return [`guard ${shown(key)} has no page`];
    const meant = nearestName(key, withPage);
    return [`this login has no guard ${shown(key)}${meant === null ? "" : `; did you mean ${meant}${rest}?`}`];
  });
  return hints.length === 0 ? null : hints.join("; ");
}
