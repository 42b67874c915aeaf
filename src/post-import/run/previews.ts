import type { Ids } from "../../app-client/ports.ts";

/** The HTML that an app made of a file, for the editor of the platform (interface 2.4). */
export interface Preview {
  /** As the app gave it: it is never to be trusted (hardening S13). */
  readonly html: Uint8Array;
  /** Name of the file. */
  readonly file: string;
  /** Key of the module. */
  readonly module: string;
}

/** The previews that can be looked at: the last hundred. */
export interface Previews {
  /** Keeps one, and returns the path of its page on the platform, which nobody can guess. */
  add(preview: Preview): string;
  /** null: there is none, or it has gone. */
  find(id: string): Preview | null;
}

const KEPT = 100;

/** The path of the page that shows a preview. */
export function previewPath(id: string): string {
  return `/previews/${id}`;
}

/** There is none yet. */
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
