import { type GuardType, type Manifest, parseManifest } from "../../platform/manifest.ts";
import { isHttpUrl, parseUrl } from "../../protocol/url.ts";
import type { Problem } from "../../protocol/usage-error.ts";

/** A module that cannot be verified. */
export interface UnusableModule {
  /** Its module type, as the manifest has it. */
  readonly type: string;
  /** Its place in the manifest: `modules.webhook[0]`. */
  readonly path: string;
  /** What is wrong with it, after its place. */
  readonly reason: string;
}

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
};

/**
 * Leaves out the modules that are declared wrongly, and those at another host: what is sent to a module is as good as a
 * password, and a manifest must not lead it elsewhere.
 */
export function usableManifest(value: unknown, appUrl: string, defaultGuardType: GuardType): UsableManifest {
  const unusable: UnusableModule[] = [];
  const usable: Record<string, Json[]> = {};
  const keys = new Set<unknown>();
  for (const { type, entry, path } of entriesOf(value)) {
    const { errors } = parseManifest({ modules: { [type]: [entry] } }, defaultGuardType);
    const problem = entryProblem(entry, errors, keys, appUrl);
    keys.add(entry.key);
    if (problem !== null) unusable.push({ type, path, reason: `${path} ${problem}` });
    else usable[type] = [...(usable[type] ?? []), entry];
  }
  return { manifest: parseManifest({ modules: usable }, defaultGuardType).manifest ?? nothing, unusable };
}

/** Why nothing is sent to a module; null: something is. */
function entryProblem(
  { key, url }: Json,
  [error]: readonly Problem[],
  known: ReadonlySet<unknown>,
  appUrl: string,
): string | null {
  if (error !== undefined) return `is not valid: ${error.message}`;
  if (known.has(key)) return "has the key of another module";
  const isElsewhere = typeof url === "string" && isHttpUrl(url) && parseUrl(url)?.origin !== new URL(appUrl).origin;
  return isElsewhere ? "is at another host than the app, where nothing is sent" : null;
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
