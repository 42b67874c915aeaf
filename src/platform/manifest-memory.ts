import { isDeepStrictEqual } from "node:util";
import type { Explanation } from "../app-client/explain-outcome.ts";
import type { App } from "../config/schema.ts";
import type { Manifest } from "./manifest.ts";

/** A change of an app's manifest, or of what is wrong with it. */
export interface ManifestNews {
  /** The app's URL. */
  readonly app: string;
  /** The manifest's file or URL. */
  readonly source: string;
  /** In use before; null if there was none. */
  readonly before: Manifest | null;
  /** In use from now on; null if there is none yet. */
  readonly manifest: Manifest | null;
  /** Why the current manifest cannot be used; null if it is in use. */
  readonly problem: Explanation | null;
  /** What is probably wrong with it, in sentences. */
  readonly warnings: readonly string[];
}

/** The last good manifest of each app, for a platform that stays up while its apps are edited (hardening R38). */
export interface ManifestMemory {
  /** Remembers a manifest that is in use from now on. */
  readWell(app: App, source: string, manifest: Manifest, warnings: readonly string[]): void;
  /** Reports one that cannot be used, and returns the last good one, or null. */
  readBadly(app: App, source: string, problem: Explanation): Manifest | null;
}

/** @param onNews called whenever a reading differs from the previous one */
export function createManifestMemory(onNews: (news: ManifestNews) => void): ManifestMemory {
  const known = new Map<App, ManifestNews>();
  const note = (app: App, facts: Pick<ManifestNews, "source" | "manifest" | "problem" | "warnings">) => {
    const last = known.get(app);
    const news: ManifestNews = { app: app.url, before: last?.manifest ?? null, ...facts };
    known.set(app, news);
    if (last === undefined || !isSame(last, news)) onNews(news);
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

function isSame(a: ManifestNews, b: ManifestNews): boolean {
  const parts = ({ manifest, problem, warnings }: ManifestNews) => [manifest, problem, warnings];
  return isDeepStrictEqual(parts(a), parts(b));
}
