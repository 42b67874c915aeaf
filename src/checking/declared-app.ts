import type { Choices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { InstalledApp } from "../platform/manifests.ts";

/** What is known about an app's manifest: everything that a verdict about it depends on. */
export interface ManifestReading {
  /** Addresses at which the app may be called, its own first: the addresses in the manifest are relative to that. */
  readonly origins: readonly string[];
  /** The type of a guard that names none (choice `guard.type.default`). */
  readonly guardType: Choices["guard.type.default"];
  /** The reads over HTTP, in order; none: the manifest is a file. */
  readonly exchanges: readonly Exchange[];
  /** The bytes of the first read; null if they are incomplete. */
  readonly bytes: Uint8Array | null;
  /** The leniently parsed JSON value, with the interface's names; undefined if there is none. */
  readonly value: unknown;
  /** Why a strict parser finds no JSON in it, apart from a byte order mark and repeated names; null: it does. */
  readonly fault: string | null;
  /** The name that occurs twice in one object, in words; null: none does. */
  readonly repeatedName: string | null;
  /** Names of the app's secrets that are in it. */
  readonly secrets: readonly string[];
}

/** An app as its manifest declares it, with all faults. */
export interface DeclaredApp extends InstalledApp {
  readonly reading: ManifestReading;
}

/** Keys of the app's other modules, whose requests have tokens. */
export function otherModules(apps: readonly DeclaredApp[], own: App, key: string): string[] {
  const keys = apps
    .filter(({ app }) => app === own)
    .flatMap(({ manifest: { guards, imports } }) => [...guards, ...imports].map((module) => module.key));
  return [...new Set(keys)].filter((each) => each !== key);
}
