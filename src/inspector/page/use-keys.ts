import { useEffect, useRef } from "react";
import { type Item, isLineOf } from "./filters.ts";

interface KeyHandlers {
  readonly items: readonly Item[];
  readonly cursor: string | null;
  readonly isOpen: boolean;
  readonly onMove: (item: Item) => void;
  readonly onPick: (item: Item) => void;
  /** Opens or closes the group with this id. */
  readonly onFold: (id: string) => void;
  readonly onClose: () => void;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
  readonly onPause: () => void;
}

/** What each key does, also for the help. */
export const keyTexts = [
  ["j, ↓", "go to the next line"],
  ["k, ↑", "go to the previous line"],
  ["Enter", "open the exchange, or the diagram of the group"],
  ["←, →", "collapse or expand the group"],
  ["g, G", "go to the first or last line"],
  ["/", "search URLs, headers and bodies"],
  ["p", "pause or resume the list"],
  ["Esc", "close the open panel"],
  ["?", "show the keys"],
] as const;

/** The keys of the whole page; in text fields only Esc. */
export function useKeys(handlers: KeyHandlers): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { items, cursor, onMove, onPick, onFold, onClose, onSearch, onHelp, onPause } = latest.current;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (event.key === "Escape") {
        // A browser would clear the search field.
        event.preventDefault();
        return target.closest("input, textarea, select") === null ? onClose() : target.blur();
      }
      if (target.closest("input, textarea, select, dialog") !== null) return;
      const isButton = target.closest("button, a, summary") !== null;
      const at = items.findIndex((item) => isLineOf(item, cursor));
      const move = (index: number) => {
        const item = items[Math.max(0, Math.min(items.length - 1, index))];
        if (item !== undefined) onMove(item);
        event.preventDefault();
      };
      switch (event.key) {
        case "j":
          return move(at < 0 ? items.length - 1 : at + 1);
        case "k":
          return move(at < 0 ? items.length - 1 : at - 1);
        case "ArrowDown":
        case "ArrowUp":
          if (target.getAttribute("role") === "tree")
            move(at < 0 ? items.length - 1 : at + (event.key === "ArrowDown" ? 1 : -1));
          return;
        case "ArrowLeft":
        case "ArrowRight": {
          const item = items[at];
          if (item?.type === "group" && item.isOpen === (event.key === "ArrowLeft")) onFold(item.group.id);
          return;
        }
        case "g":
          return move(0);
        case "G":
          return move(items.length - 1);
        case "Enter": {
          const item = items[at];
          if (!isButton && item !== undefined) onPick(item);
          return;
        }
        case "p":
          return onPause();
        case "/":
          event.preventDefault();
          return onSearch();
        case "?":
          return onHelp();
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
