import type { Choices } from "../config/choices.ts";
import { isJsonObject } from "../protocol/json-object.ts";

/**
 * What a manifest says about its app in members that the interface does not show; fills in and checks the
 * configuration.
 */
export interface AppIdentity {
  /** The app's own name for itself; null if it has none. */
  readonly identifier: string | null;
  /** `authentication.clientId`. */
  readonly clientId: string | null;
  /** `authentication.type`: the grant by which the app gets the token of its installation. */
  readonly grant: string | null;
  /** Scopes that it asks for. */
  readonly scopes: readonly string[];
}

/** What a manifest, valid or not, says about its app; members of a wrong type are ignored. */
export function readIdentity(manifest: unknown): AppIdentity {
  const { identifier, authentication, scopes } = isJsonObject(manifest) ? manifest : {};
  const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return {
    identifier: textOf(identifier),
    clientId: isJsonObject(authentication) ? textOf(authentication.clientId) : null,
    grant: isJsonObject(authentication) ? textOf(authentication.type) : null,
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : [],
  };
}

type Names = Choices["manifest.names"];
type Json = Record<string, unknown>;

/** Whether a guard's entry uses names of this deployment. */
export function hasOtherWords(entry: unknown, { frame, applyToAdmins }: Names): boolean {
  if (!isJsonObject(entry) || !isJsonObject(entry.options)) return false;
  const { options } = entry;
  return (
    (frame !== undefined && options.type === frame) ||
    (applyToAdmins !== undefined && Object.hasOwn(options, applyToAdmins))
  );
}

/** A manifest with the interface's names, without further members of this deployment. */
export function inUsualWords(manifest: unknown, names: Names): unknown {
  const others = new Set(names.others);
  const known = (object: Json, path: string) => Object.entries(object).filter(([name]) => !others.has(path + name));
  if (!isJsonObject(manifest)) return manifest;
  const members = known(manifest, "").map(([name, value]) => {
    if (!isJsonObject(value) || (name !== "modules" && name !== "events")) return [name, value];
    const inner = known(value, `${name}.`).map(([type, list]) =>
      type === "auth-guard" && Array.isArray(list)
        ? [type, list.map((entry) => guardInUsualWords(entry, names))]
        : [type, list],
    );
    return [name, Object.fromEntries(inner)];
  });
  return Object.fromEntries(members);
}

function guardInUsualWords(entry: unknown, { frame, applyToAdmins }: Names): unknown {
  if (!isJsonObject(entry) || !isJsonObject(entry.options)) return entry;
  const renamed = Object.entries(entry.options).map(([name, value]) => {
    if (name === "type" && value === frame) return [name, "frame"];
    return [name === applyToAdmins ? "applyToAdmins" : name, value];
  });
  return { ...entry, options: Object.fromEntries(renamed) };
}
