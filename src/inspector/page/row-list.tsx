import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Item, isLineOf, itemId } from "./filters.ts";
import { sizeText, Toned, timeText } from "./parts.tsx";

/** From this width of the list on, in rem, a row takes one line. */
const ONE_LINE_REM = 52;

interface RowListProps {
  readonly items: readonly Item[];
  /** Id of the line with the keyboard cursor. */
  readonly cursor: string | null;
  /** Id of the exchange that is open. */
  readonly open: string | null;
  readonly onPick: (item: Item) => void;
  readonly onFold: (id: string) => void;
}

/**
 * The list: only visible rows are drawn, so that it stays fast with 100,000. It follows the newest while scrolled to
 * the end.
 */
export function RowList({ items, cursor, open, onPick, onFold }: RowListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [isOneLine, setOneLine] = useState(false);
  const height = Math.round((isOneLine ? 2 : 3.25) * rem);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 10,
    getItemKey: (index) => itemId(items[index] as Item),
  });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => {
      setOneLine((entry?.contentRect.width ?? 0) >= ONE_LINE_REM * rem);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [rem]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured again when their height changes
  useLayoutEffect(() => virtual.measure(), [height]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new lines move the list
  useLayoutEffect(() => {
    if (isAtEnd.current && items.length > 0) virtual.scrollToIndex(items.length - 1, { align: "end" });
  }, [items.length, height]);
  const cursorIndex = cursor === null ? -1 : items.findIndex((item) => isLineOf(item, cursor));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a move of the cursor scrolls to it, not a new line
  useEffect(() => {
    if (cursorIndex < 0) return;
    isAtEnd.current = cursorIndex === items.length - 1;
    virtual.scrollToIndex(cursorIndex, { align: "auto" });
  }, [cursor, cursorIndex >= 0]);
  return (
    <div
      ref={scroller}
      className={isOneLine ? "rows is-one-line" : "rows"}
      role="tree"
      aria-label="what happened"
      tabIndex={0}
      aria-activedescendant={cursorIndex < 0 ? undefined : `row-${itemId(items[cursorIndex] as Item)}`}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - height;
      }}
    >
      {/* Between a tree and its items, only elements without a role may stand. */}
      <div role="presentation" className="rows-inside" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index] as Item;
          return (
            <Line
              key={key}
              item={item}
              index={index}
              count={items.length}
              top={start}
              height={height}
              isCursor={index === cursorIndex}
              isOpen={isLineOf(item, open)}
              onPick={onPick}
              onFold={onFold}
            />
          );
        })}
      </div>
    </div>
  );
}

interface LineProps {
  readonly item: Item;
  readonly index: number;
  readonly count: number;
  readonly top: number;
  readonly height: number;
  readonly isCursor: boolean;
  readonly isOpen: boolean;
  readonly onPick: (item: Item) => void;
  readonly onFold: (id: string) => void;
}

function Line({ item, index, count, top, height, isCursor, isOpen, onPick, onFold }: LineProps): ReactNode {
  const classes = ["row", `is-${item.type}`, ...(isCursor ? ["is-cursor"] : []), ...(isOpen ? ["is-open"] : [])];
  if (item.type === "row" && item.isMember) classes.push("is-member");
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and names the active item
    <div
      id={`row-${itemId(item)}`}
      role="treeitem"
      aria-level={item.type === "row" && item.isMember ? 2 : 1}
      aria-setsize={count}
      aria-posinset={index + 1}
      aria-selected={isOpen || isCursor}
      aria-expanded={item.type === "group" ? item.isOpen : undefined}
      className={classes.join(" ")}
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={() => onPick(item)}
    >
      {item.type === "group" ? (
        <>
          <span className="row-what">
            <span
              className={item.isOpen ? "fold-sign is-open" : "fold-sign"}
              aria-hidden="true"
              onClick={(event) => {
                event.stopPropagation();
                onFold(item.group.id);
              }}
            />{" "}
            {item.group.title}
          </span>
          <span className="row-result">
            {item.group.result === null ? null : <Toned tone={item.group.tone}>{item.group.result}</Toned>}
          </span>
          <span className="row-more">
            {item.faults === 0 ? "" : `${item.faults} of `}
            {item.count}
            {item.faults === 0 ? " records" : " failed"}
          </span>
        </>
      ) : (
        <>
          <span className="row-time">{timeText(item.row.at)}</span>
          <span className="row-kind">
            {item.row.kind}
            {item.row.module === null ? "" : ` ${item.row.module}`}
          </span>
          <span className="row-what">{item.row.what}</span>
          <span className="row-result">
            <Toned tone={item.row.tone}>{item.row.result}</Toned>
          </span>
          <span className="row-more">
            {item.row.ms === null ? "" : `${item.row.ms} ms`}
            {item.row.bytes === null ? "" : `, ${sizeText(item.row.bytes)}`}
          </span>
          <span className="row-note">{item.row.note}</span>
        </>
      )}
    </div>
  );
}
