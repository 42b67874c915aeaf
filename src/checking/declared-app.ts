import type { Choices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { InstalledApp } from "../platform/manifests.ts";

/** What is known of an app's manifest: all that a verdict about it rests on. */
export interface ManifestReading {
  /** Addresses at which the app may be called, its own first: to that the addresses in the manifest are relative. */
  readonly origins: readonly string[];
  /** What a guard is that does not say its type (choice `guard.type.default`). */
  readonly guardType: Choices["guard.type.default"];
  /** The reads over HTTP, in order; none: the manifest is a file. */
  readonly exchanges: readonly Exchange[];
  /** The bytes of the first read; null where they did not come whole. */
  readonly bytes: Uint8Array | null;
  /** The JSON value in the words of the interface, read with all patience; undefined where there is none. */
  readonly value: unknown;
  /** Why a strict reader finds no JSON in it, byte order mark and repeated names aside; null: it does. */
  readonly fault: string | null;
  /** The name that stands twice in one object, in words; null: none does. */
  readonly repeatedName: string | null;
  /** Names of the secrets of the app that stand in it. */
  readonly secrets: readonly string[];
}

/** An app as its manifest declares it, whatever is wrong with that. */
export interface DeclaredApp extends InstalledApp {
  readonly reading: ManifestReading;
}

/** Keys of the other modules of an app, for whose requests there are tokens. */
export function otherModules(apps: readonly DeclaredApp[], own: App, key: string): string[] {
  const keys = apps
    .filter(({ app }) => app === own)
    .flatMap(({ manifest: { guards, imports } }) => [...guards, ...imports].map((module) => module.key));
  return [...new Set(keys)].filter((each) => each !== key);
}
