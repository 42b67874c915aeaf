import { isJsonObject } from "../protocol/json-object.ts";
import type { Problem } from "../protocol/usage-error.ts";

/** The members of a module's entry, and of the objects within it. */
interface Members {
  readonly own: readonly string[];
  readonly within: ReadonlyMap<string, readonly string[]>;
}

const members = new Map<string, Members>([
  [
    "auth-guard",
    {
      own: ["key", "name", "description", "url", "options"],
      within: new Map([["options", ["type", "applyToAdmins", "url"]]]),
    },
  ],
  [
    "file-post-import",
    {
      own: ["key", "url", "signaturePatterns"],
      within: new Map([["signaturePatterns", ["fileName", "fileContent"]]]),
    },
  ],
  ["webhook", { own: ["key", "url", "events", "environments"], within: new Map() }],
]);

/** What the entries of a module type consist of (interface 2.1); nothing for a type that the interface does not have. */
export function moduleMembers(type: string): Members {
  return members.get(type) ?? { own: [], within: new Map() };
}

/** Members of a module's entry that do nothing where they are, because the platform looks for them elsewhere. */
export function misplacedMembers(type: string, entry: Readonly<Record<string, unknown>>, path: string): Problem[] {
  const { own, within } = moduleMembers(type);
  const tooHigh = [...within].flatMap(([place, names]) =>
    names
      .filter((name) => Object.hasOwn(entry, name) && !own.includes(name) && !has(entry[place], name))
      .map((name) => ({ path: `${path}.${name}`, message: `belongs under ${place}` })),
  );
  // An app may describe anything; the other members have no meaning elsewhere.
  const named = own.filter((name) => name !== "description" && !Object.hasOwn(entry, name));
  const tooDeep = Object.entries(entry).flatMap(([place, object]) =>
    named
      .filter((name) => has(object, name) && !within.get(place)?.includes(name))
      .map((name) => ({
        path: `${path}.${place}.${name}`,
        message: `belongs directly in the module, not under ${place}`,
      })),
  );
  return [...tooHigh, ...tooDeep];
}

function has(object: unknown, name: string): boolean {
  return isJsonObject(object) && Object.hasOwn(object, name);
}
