import { useState } from "react";
import type { GroupView, PlatformView } from "../view.ts";
import { type Item, itemId, type Place } from "./filters.ts";
import { usePlace } from "./place.ts";

/** What is open next to the list, and how that changes. */
interface Opened {
  readonly place: Place;
  readonly go: (change: Partial<Place>, isReplaced?: boolean) => void;
  /** The item of the list at the keyboard cursor; null: none. */
  readonly cursor: string | null;
  /** The open group; null: none is open. */
  readonly flow: GroupView | null;
  /** Whether the actions are open, perhaps behind another panel. */
  readonly isActing: boolean;
  readonly isOpen: boolean;
  readonly pick: (item: Item) => void;
  /** Moves the cursor; an open exchange is replaced. */
  readonly move: (item: Item) => void;
  readonly show: (id: string) => void;
  readonly close: () => void;
}

/** Keeps what is open in the URL. */
export function useOpened(groups: ReadonlyMap<string, GroupView>, platform: PlatformView | null): Opened {
  const [place, go] = usePlace();
  const [cursor, setCursor] = useState<string | null>(place.exchange ?? place.flow);
  const flow = place.flow === null ? null : (groups.get(place.flow) ?? null);
  const isActing = place.isActing && platform?.url != null;
  return {
    place,
    go,
    cursor,
    flow,
    isActing,
    isOpen: place.exchange !== null || flow !== null || isActing,
    pick: (item) => {
      setCursor(itemId(item));
      if (item.type === "group") go({ flow: item.group.id, exchange: null, other: null, isActing: false });
      else if (item.row.isExchange) go({ exchange: item.row.id, other: null, flow: null, isActing: false });
      else if (item.row.group !== null) go({ flow: item.row.group, exchange: null, other: null, isActing: false });
    },
    move: (item) => {
      setCursor(itemId(item));
      if (place.exchange !== null && item.type === "row" && item.row.isExchange) {
        go({ exchange: item.row.id, other: null }, true);
      }
    },
    show: (id) => {
      setCursor(id);
      go({ exchange: id, other: null });
    },
    // From an exchange of a picture, closing goes back to the picture.
    close: () =>
      go({ exchange: null, other: null, flow: place.exchange === null ? null : place.flow, isActing: false }),
  };
}
