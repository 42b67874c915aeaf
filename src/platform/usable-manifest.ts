import { shippedInstead } from "../config/shipped-fixtures.ts";
import { isJsonObject } from "../protocol/json-object.ts";
import type { Problem } from "../protocol/usage-error.ts";
import type { Manifest, UnusableModule } from "./manifest.ts";

type Json = Readonly<Record<string, unknown>>;

const COMPLETE_MANIFEST = "fixtures/manifests/access-control.json";

/** The hint that points to a valid manifest, by its path from the working directory. */
export const completeManifest = () => `${shippedInstead(COMPLETE_MANIFEST) ?? COMPLETE_MANIFEST} is a complete example`;

interface Parsed {
  /** Null if something is wrong. */
  readonly manifest: Manifest | null;
  readonly errors: readonly Problem[];
}

/**
 * The usable part of a manifest: if some of its modules have invalid declarations, the others.
 * @param parse parses a manifest with the names and origins of this app
 */
export function usableManifest<Reading extends Parsed>(value: unknown, parse: (value: unknown) => Reading): Reading {
  const whole = parse(value);
  if (whole.manifest !== null) return whole;
  const modules: Record<string, unknown[]> = {};
  const unusable: UnusableModule[] = [];
  for (const { type, entry, path } of listed(value)) {
    const [first, ...others] = whole.errors.filter((problem) => isWithin(problem.path, path));
    if (first === undefined) modules[type] = [...(modules[type] ?? []), entry];
    else {
      const key = isJsonObject(entry) && typeof entry.key === "string" ? entry.key : null;
      unusable.push({ type, key, path, problems: [first, ...others] });
    }
  }
  const isElsewhere = whole.errors.some((problem) => !unusable.some(({ path }) => isWithin(problem.path, path)));
  if (isElsewhere || !isJsonObject(value)) return whole;
  const { manifest } = parse({ ...value, modules });
  return { ...whole, manifest: manifest && { ...manifest, unusable } };
}

function isWithin(path: string, entry: string): boolean {
  return path === entry || path.startsWith(`${entry}.`);
}

/** An entry of a manifest, and its path. */
export interface ManifestEntry {
  readonly type: string;
  /** Always an object. */
  readonly entry: Json;
  readonly path: string;
}

/** The entries of all modules, or of those of a type; entries that are not objects are left out. */
export function entriesOf(value: unknown, type?: string): ManifestEntry[] {
  return listed(value).flatMap(({ type: name, entry, path }) =>
    isJsonObject(entry) && (type === undefined || type === name) ? [{ type: name, entry, path }] : [],
  );
}

function listed(value: unknown): (Omit<ManifestEntry, "entry"> & { readonly entry: unknown })[] {
  return Object.entries(modulesOf(value) ?? {}).flatMap(([type, list]) =>
    Array.isArray(list) ? list.map((entry, index) => ({ type, entry, path: `modules.${type}[${index}]` })) : [],
  );
}

export function modulesOf(value: unknown): Json | null {
  return isJsonObject(value) && isJsonObject(value.modules) ? value.modules : null;
}
