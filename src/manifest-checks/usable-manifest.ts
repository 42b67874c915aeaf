import type { ManifestReading, UnusableModule } from "../checking/declared-app.ts";
import type { Choices } from "../config/choices.ts";
import { type GuardType, type Manifest, parseManifest } from "../platform/manifest.ts";

/** What can be verified of a manifest, whatever else is wrong with it. */
export interface UsableManifest {
  readonly manifest: Manifest;
  readonly unusable: readonly UnusableModule[];
}

type Json = Readonly<Record<string, unknown>>;

const nothing: Manifest = {
  guards: [],
  imports: [],
  webhooks: [],
  events: { installed: null, uninstall: null },
  identity: { identifier: null, clientId: null, grant: null, scopes: [] },
};

/**
 * Leaves out the modules that are declared wrongly, also those at an origin that is not the app's.
 */
export function usableManifest(
  { value, origins }: Pick<ManifestReading, "value" | "origins">,
  defaultGuardType: GuardType,
  names: Choices["manifest.names"] = {},
): UsableManifest {
  const unusable: UnusableModule[] = [];
  const usable: Record<string, Json[]> = {};
  const keys = new Set<unknown>();
  for (const { type, entry, path } of entriesOf(value)) {
    const { errors } = parseManifest({ modules: { [type]: [entry] } }, defaultGuardType, false, origins, names);
    const problem = keys.has(entry.key) ? "has the key of another module" : (errors[0]?.message ?? null);
    keys.add(entry.key);
    if (problem !== null) unusable.push({ type, path, reason: `${path} ${problem}` });
    else usable[type] = [...(usable[type] ?? []), entry];
  }
  return {
    manifest: parseManifest({ modules: usable }, defaultGuardType, false, null, names).manifest ?? nothing,
    unusable,
  };
}

/** An entry of a manifest, and its place. */
export interface ManifestEntry {
  readonly type: string;
  /** An object. */
  readonly entry: Json;
  readonly path: string;
}

/** The entries of all modules, or of those of a type; what is no object is left out. */
export function entriesOf(value: unknown, type?: string): ManifestEntry[] {
  return Object.entries(modulesOf(value) ?? {}).flatMap(([name, list]) => {
    if (!Array.isArray(list) || (type !== undefined && type !== name)) return [];
    return list.flatMap((entry, index) =>
      isJsonObject(entry) ? [{ type: name, entry, path: `modules.${name}[${index}]` }] : [],
    );
  });
}

export function modulesOf(value: unknown): Json | null {
  return isJsonObject(value) && isJsonObject(value.modules) ? value.modules : null;
}

export function isJsonObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
