import type { Ids } from "../../app-client/ports.ts";

/** An app's HTML preview of a file, for the editor of the platform (interface 2.4). */
export interface Preview {
  /** The app's original HTML: never trust it (hardening S13). */
  readonly html: Uint8Array;
  /** Name of the file. */
  readonly file: string;
  /** Key of the module. */
  readonly module: string;
}

/** The most recent hundred previews. */
export interface Previews {
  /** Adds one, and returns the unguessable path of its page on the platform. */
  add(preview: Preview): string;
  /** null: unknown, or no longer kept. */
  find(id: string): Preview | null;
}

const KEPT = 100;

/** The path of the page that shows a preview. */
export function previewPath(id: string): string {
  return `/previews/${id}`;
}

/** Creates the store of previews. */
export function createPreviews({ ids }: { readonly ids: Ids }): Previews {
  const previews = new Map<string, Preview>();
  return {
    add(preview) {
      const id = ids.secret();
      previews.set(id, preview);
      const [oldest] = previews.keys();
      if (previews.size > KEPT && oldest !== undefined) previews.delete(oldest);
      return previewPath(id);
    },
    find: (id) => previews.get(id) ?? null,
  };
}
