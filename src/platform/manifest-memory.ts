import { isDeepStrictEqual } from "node:util";
import type { Explanation } from "../app-client/explain-outcome.ts";
import type { App } from "../config/schema.ts";
import type { Manifest } from "./manifest.ts";

/** What the reading of an app's manifest changed: what it declares, or what is wrong with it. */
export interface ManifestNews {
  /** The app's URL. */
  readonly app: string;
  /** The manifest's file or URL. */
  readonly source: string;
  /** What was in use before; null: none yet. */
  readonly before: Manifest | null;
  /** What is in use from now on; null: none yet. */
  readonly manifest: Manifest | null;
  /** Why the manifest of now cannot be used; null: it is in use. */
  readonly problem: Explanation | null;
  readonly warnings: readonly string[];
}

/** The last good manifest of each app, for a platform that stays up while its apps are edited (hardening R38). */
export interface ManifestMemory {
  /** This manifest was read, and is in use from now on. */
  readWell(app: App, source: string, manifest: Manifest, warnings: readonly string[]): void;
  /** The manifest of now cannot be used. Returns the last good one, or null. */
  readBadly(app: App, source: string, problem: Explanation): Manifest | null;
}

/**
 * Remembers nothing yet.
 * @param tell told of what is new: a reading that comes to the same as the one before it is no news
 */
export function createManifestMemory(tell: (news: ManifestNews) => void): ManifestMemory {
  const known = new Map<App, ManifestNews>();
  const note = (app: App, facts: Pick<ManifestNews, "source" | "manifest" | "problem" | "warnings">) => {
    const last = known.get(app);
    const news: ManifestNews = { app: app.url, before: last?.manifest ?? null, ...facts };
    known.set(app, news);
    if (last === undefined || !isDeepStrictEqual(content(last), content(news))) tell(news);
  };
  return {
    readWell: (app, source, manifest, warnings) => note(app, { source, manifest, problem: null, warnings }),
    readBadly(app, source, { reason, hint }) {
      const manifest = known.get(app)?.manifest ?? null;
      note(app, { source, manifest, problem: { reason, hint }, warnings: [] });
      return manifest;
    },
  };
}

function content({ manifest, problem, warnings }: ManifestNews) {
  return { manifest, problem, warnings };
}
