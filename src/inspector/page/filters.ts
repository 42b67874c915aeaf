import type { GroupView, RowView } from "../view.ts";

/** Which part of the journal the list shows. It is in the URL, so that it can be shared; empty texts do not filter. */
export interface Filter {
  readonly kind: string;
  readonly module: string;
  readonly app: string;
  /** `200`, or `5xx`. */
  readonly status: string;
  readonly outcome: string;
  readonly faults: boolean;
  readonly text: string;
}

/** What is open on the page. */
export interface Place {
  readonly filter: Filter;
  /** Id of the exchange that is shown; null if none. */
  readonly exchange: string | null;
  /** Id of the exchange to compare it with. */
  readonly other: string | null;
  /** The flow that is shown as a picture. */
  readonly flow: string | null;
  readonly isActing: boolean;
}

export const noFilter: Filter = { kind: "", module: "", app: "", status: "", outcome: "", faults: false, text: "" };

export function placeOf(search: string): Place {
  const query = new URLSearchParams(search);
  const text = (name: string) => query.get(name) ?? "";
  const [kind, module, app, status, outcome] = ["kind", "module", "app", "status", "outcome"].map(text) as [
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    filter: { kind, module, app, status, outcome, faults: query.has("faults"), text: text("q") },
    exchange: query.get("exchange"),
    other: query.get("with"),
    flow: query.get("flow"),
    isActing: query.has("act"),
  };
}

export function searchOf({ filter, exchange, other, flow, isActing }: Place): string {
  const query = new URLSearchParams();
  for (const name of ["kind", "module", "app", "status", "outcome"] as const) {
    if (filter[name] !== "") query.set(name, filter[name]);
  }
  if (filter.faults) query.set("faults", "");
  if (filter.text !== "") query.set("q", filter.text);
  if (flow !== null) query.set("flow", flow);
  if (exchange !== null) query.set("exchange", exchange);
  if (other !== null) query.set("with", other);
  if (isActing) query.set("act", "");
  const text = query.toString().replaceAll(/=(?=&|$)/g, "");
  return text === "" ? "" : `?${text}`;
}

export function choosesRows(filter: Filter): boolean {
  return searchOf({ filter, exchange: null, other: null, flow: null, isActing: false }) !== "";
}

/** @param found ids of the exchanges whose bodies contain the text, as the platform found them */
export function isShown(row: RowView, filter: Filter, found: ReadonlySet<string>): boolean {
  const { kind, module, app, status, outcome, faults, text } = filter;
  if (kind !== "" && row.kind !== kind) return false;
  if (module !== "" && row.module !== module) return false;
  if (app !== "" && row.app !== app) return false;
  if (status !== "" && !hasStatus(row, status)) return false;
  if (outcome !== "" && rowOutcome(row) !== outcome) return false;
  if (faults && !row.isFault) return false;
  return text === "" || found.has(row.id) || holds(row, text.toLowerCase());
}

/** How a row ended, without its numbers, to filter by. */
export function rowOutcome(row: RowView): string {
  if (/^\d{3}$/.test(row.result)) return "answered";
  return row.result.replace(/ (?:after|by|\().*$/, "");
}

function hasStatus({ status }: RowView, wanted: string): boolean {
  if (status === null) return false;
  return wanted.endsWith("xx") ? String(status)[0] === wanted[0] : String(status) === wanted;
}

function holds({ what, note, result, module, id, kind }: RowView, text: string): boolean {
  return [what, note ?? "", result, module ?? "", id, kind].some((part) => part.toLowerCase().includes(text));
}

/** A line of the list. */
export type Item =
  | {
      readonly type: "group";
      readonly group: GroupView;
      readonly count: number;
      readonly faults: number;
      readonly isOpen: boolean;
    }
  | { readonly type: "row"; readonly row: RowView; readonly isMember: boolean };

/**
 * The lines of the list: the visible rows, those of a group together below its heading, at the position of its first
 * row. A group of one is shown as a plain row.
 * @param toggled ids of the groups that a person opened or closed; those of `verify` are closed at first, others open
 */
export function itemsOf(
  rows: readonly RowView[],
  groups: ReadonlyMap<string, GroupView>,
  isRowShown: (row: RowView) => boolean,
  toggled: ReadonlySet<string>,
): Item[] {
  const shown = rows.filter(isRowShown);
  const members = new Map<string, RowView[]>();
  for (const row of shown) {
    if (row.group === null) continue;
    const known = members.get(row.group);
    if (known === undefined) members.set(row.group, [row]);
    else known.push(row);
  }
  const items: Item[] = [];
  for (const row of shown) {
    const own = row.group === null ? undefined : members.get(row.group);
    const group = row.group === null ? undefined : groups.get(row.group);
    if (own === undefined || group === undefined || own.length === 1) items.push({ type: "row", row, isMember: false });
    else if (own[0] === row) {
      const isOpen = (group.kind === "verify") === toggled.has(group.id);
      const faults = own.filter(({ isFault }) => isFault).length;
      items.push({ type: "group", group, count: own.length, faults, isOpen });
      if (isOpen) for (const member of own) items.push({ type: "row", row: member, isMember: true });
    }
  }
  return items;
}

/** Whether a line shows the exchange or the group with this id; a group of one has no line of its own. */
export function isLineOf(item: Item, id: string | null): boolean {
  return itemId(item) === id || (item.type === "row" && !item.isMember && id !== null && item.row.group === id);
}

/** The id of a line, for the keyboard and the URL. */
export function itemId(item: Item): string {
  return item.type === "group" ? item.group.id : item.row.id;
}
