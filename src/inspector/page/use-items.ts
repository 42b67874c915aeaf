import { useDeferredValue, useMemo, useState } from "react";
import { type Filter, type Item, isShown, itemsOf } from "./filters.ts";
import type { JournalState } from "./journal-store.ts";
import type { Server } from "./server.ts";
import { useFound } from "./use-found.ts";

interface Items {
  /** Those of the list, with the rows of the groups that are unfolded. */
  readonly items: readonly Item[];
  /** How many rows the filter shows. */
  readonly shown: number;
  /** Folds or unfolds a group. */
  readonly fold: (id: string) => void;
}

/** The items of the list that a filter shows. */
export function useItems(
  server: Server,
  { rows, groups }: Pick<JournalState, "rows" | "groups">,
  current: Filter,
): Items {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const filter = useDeferredValue(current);
  const found = useFound(server, filter.text, rows.length);
  const items = useMemo(
    () => itemsOf(rows, groups, (row) => isShown(row, filter, found), toggled),
    [rows, groups, filter, found, toggled],
  );
  const shown = useMemo(() => rows.filter((row) => isShown(row, filter, found)).length, [rows, filter, found]);
  const fold = (id: string) => {
    const next = new Set(toggled);
    if (!next.delete(id)) next.add(id);
    setToggled(next);
  };
  return { items, shown, fold };
}
