import { useSyncExternalStore } from "react";
import { type Place, placeOf, searchOf } from "./filters.ts";

/** The state of the page that is in its URL; the Back button goes back. */
export function usePlace(): [Place, (change: Partial<Place>, isReplaced?: boolean) => void] {
  const search = useSyncExternalStore(subscribeToPlace, () => location.search);
  const place = placeOf(search);
  const go = (change: Partial<Place>, isReplaced = false) => {
    const next = searchOf({ ...placeOf(location.search), ...change });
    if (next === location.search) return;
    history[isReplaced ? "replaceState" : "pushState"](null, "", location.pathname + next);
    dispatchEvent(new PopStateEvent("popstate"));
  };
  return [place, go];
}

function subscribeToPlace(listener: () => void): () => void {
  addEventListener("popstate", listener);
  return () => removeEventListener("popstate", listener);
}
