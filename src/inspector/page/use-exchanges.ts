import { useEffect, useState } from "react";
import type { ExchangeView } from "../view.ts";
import type { Server } from "./server.ts";

/** Of a long flow, only the first ones are loaded in full. */
const MOST_LOADED = 60;

/** Exchanges in full, by their ids, as they arrive. */
export function useExchanges(server: Server, ids: readonly string[]): ReadonlyMap<string, ExchangeView> {
  const [views, setViews] = useState<ReadonlyMap<string, ExchangeView>>(new Map());
  const wanted = ids.slice(0, MOST_LOADED).join(" ");
  useEffect(() => {
    let isWanted = true;
    const load = async () => {
      for (const id of wanted.split(" ").filter(Boolean)) {
        const view = await server.exchange(id).catch(() => null);
        if (!isWanted) return;
        if (view !== null) setViews((known) => new Map([...known, [id, view]]));
      }
    };
    void load();
    return () => {
      isWanted = false;
    };
  }, [server, wanted]);
  return views;
}
