import { INSPECTOR_PATHS } from "../paths.ts";

const KEY_NAME = "app-sim-inspector-key";

/** The key of this run, or why this browser has none. */
export type TakenKey = { readonly key: string } | { readonly missing: "never-given" | "spent" };

/** Takes the code out of the page's URL, so that a copied URL does not contain it. */
export function takeCode({ location, history }: Window): string | null {
  const [, code] = /^#open=([\w-]+)$/.exec(location.hash) ?? [];
  if (code === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/**
 * Gets the key for the code of a link, or the one kept from an earlier visit. It is stored for this origin only: a
 * cookie would go to every port of this machine.
 */
export async function takeKey(storage: Storage, code: string | null): Promise<TakenKey> {
  if (code !== null) {
    const body = JSON.stringify({ code });
    const headers = { "content-type": "application/json" };
    const response = await fetch(INSPECTOR_PATHS.key, { method: "POST", headers, body }).catch(() => null);
    const { key } = response?.ok === true ? await response.json() : { key: null };
    if (typeof key === "string") {
      storage.setItem(KEY_NAME, key);
      return { key };
    }
  }
  // A link that was opened before still works in the browser that opened it.
  const kept = keptKey(storage);
  return kept === null ? { missing: code === null ? "never-given" : "spent" } : { key: kept };
}

export function keptKey(storage: Storage): string | null {
  return storage.getItem(KEY_NAME);
}

/** Forgets a key that the platform refuses: it belonged to an earlier run. */
export function forgetKey(storage: Storage): void {
  storage.removeItem(KEY_NAME);
}
