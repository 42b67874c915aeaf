import type { ReactNode, Ref } from "react";
import type { RowView } from "../view.ts";
import { choosesRows, type Filter, noFilter, rowOutcome } from "./filters.ts";

interface FilterBarProps {
  readonly rows: readonly RowView[];
  readonly shown: number;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
  readonly searchRef: Ref<HTMLInputElement>;
}

const statuses = ["2xx", "3xx", "4xx", "5xx"];

/** What the list shows; the whole filter is in the URL. */
export function FilterBar({ rows, shown, filter, onChange, searchRef }: FilterBarProps): ReactNode {
  const values = (of: (row: RowView) => string | null) =>
    [...new Set(rows.flatMap((row) => of(row) ?? []))].sort((a, b) => a.localeCompare(b));
  const choose = (
    name: "kind" | "module" | "app" | "status" | "outcome",
    label: string,
    options: readonly string[],
  ) => {
    const all = filter[name] === "" || options.includes(filter[name]) ? options : [filter[name], ...options];
    if (all.length < 2 && filter[name] === "") return null;
    return (
      <select
        aria-label={label}
        value={filter[name]}
        className={filter[name] === "" ? "" : "is-set"}
        onChange={({ target }) => onChange({ ...filter, [name]: target.value })}
      >
        <option value="">{label}</option>
        {all.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    );
  };
  return (
    <search className="filter-bar">
      <input
        ref={searchRef}
        type="search"
        aria-label="text in addresses, headers and bodies"
        placeholder="Search addresses and bodies ( / )"
        value={filter.text}
        onChange={({ target }) => onChange({ ...filter, text: target.value })}
      />
      <div className="filters">
        {choose(
          "kind",
          "Kind",
          values((row) => row.kind),
        )}
        {choose(
          "module",
          "Module",
          values((row) => row.module),
        )}
        {choose(
          "app",
          "App",
          values((row) => row.app),
        )}
        {choose("status", "Status", statuses)}
        {choose("outcome", "Outcome", values(rowOutcome))}
        <label className="check">
          <input
            type="checkbox"
            checked={filter.faults}
            onChange={({ target }) => onChange({ ...filter, faults: target.checked })}
          />
          Only faults
        </label>
        {choosesRows(filter) ? (
          <button type="button" className="link" onClick={() => onChange(noFilter)}>
            Show all
          </button>
        ) : null}
        <span className="count quiet" role="status">
          {shown === rows.length
            ? `${rows.length.toLocaleString("en-US")}`
            : `${shown.toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")}`}
        </span>
      </div>
    </search>
  );
}
