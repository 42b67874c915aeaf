import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { PlatformView } from "../view.ts";
import { ActPane } from "./act-pane.tsx";
import { ComparePane } from "./compare-pane.tsx";
import { HelpDialog, HomeDialog } from "./dialogs.tsx";
import { ExchangePane } from "./exchange-pane.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { type Item, isShown, itemId, itemsOf } from "./filters.ts";
import { FlowPane } from "./flow-pane.tsx";
import type { Connection, JournalStore } from "./journal-store.ts";
import { usePlace } from "./place.ts";
import { RowList } from "./row-list.tsx";
import type { Server } from "./server.ts";
import { useFound } from "./use-found.ts";
import { useKeys } from "./use-keys.ts";

interface InspectorProps {
  readonly server: Server;
  readonly store: JournalStore;
  /** The content of the page before it became the inspector. */
  readonly home: Element | null;
  readonly onRefused: () => void;
}

const connectionTexts: Readonly<Record<Connection, string>> = {
  connecting: "connecting",
  live: "live",
  lost: "app-sim does not answer: retrying",
  refused: "the key is refused",
};

/** The inspector: the list of what happened, and what is open next to it. */
export function Inspector({ server, store, home, onRefused }: InspectorProps): ReactNode {
  const { rows, groups, connection, isPaused, waiting } = useSyncExternalStore(store.subscribe, store.state);
  const [place, go] = usePlace();
  const [platform, setPlatform] = useState<PlatformView | null>(null);
  const [cursor, setCursor] = useState<string | null>(place.exchange ?? place.flow);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [replayed, setReplayed] = useState<{ readonly id: string; readonly body: string } | null>(null);
  const [dialog, setDialog] = useState<"help" | "home" | null>(null);
  const search = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const leaving = new AbortController();
    void store.follow(leaving.signal);
    server.platform().then(setPlatform, () => {});
    return () => leaving.abort();
  }, [server, store]);
  useEffect(() => {
    if (connection === "refused") onRefused();
  }, [connection, onRefused]);

  const filter = useDeferredValue(place.filter);
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
  const pick = (item: Item) => {
    setCursor(itemId(item));
    if (item.type === "group") go({ flow: item.group.id, exchange: null, other: null, isActing: false });
    else if (item.row.isExchange) go({ exchange: item.row.id, other: null, flow: null, isActing: false });
    else if (item.row.group !== null) go({ flow: item.row.group, exchange: null, other: null, isActing: false });
  };
  const show = (id: string) => {
    setCursor(id);
    go({ exchange: id, other: null });
  };
  const flow = place.flow === null ? null : (groups.get(place.flow) ?? null);
  const isActing = place.isActing && platform?.url != null;
  const isOpen = place.exchange !== null || flow !== null || isActing;
  // From an exchange of a picture, closing goes back to the picture.
  const close = () =>
    go({ exchange: null, other: null, flow: place.exchange === null ? null : place.flow, isActing: false });
  useKeys({
    items,
    cursor,
    isOpen: place.exchange !== null,
    onMove: (item) => {
      setCursor(itemId(item));
      if (place.exchange !== null && item.type === "row" && item.row.isExchange) {
        go({ exchange: item.row.id, other: null }, true);
      }
    },
    onPick: pick,
    onFold: fold,
    onClose: () => (dialog === null ? close() : setDialog(null)),
    onSearch: () => search.current?.focus(),
    onHelp: () => setDialog("help"),
    onPause: () => store.pause(!isPaused),
  });

  return (
    <div className={isOpen ? "frame has-pane" : "frame"}>
      <header className="bar">
        <h1 className="brand">app-sim</h1>
        <span className="quiet where">
          {platform === null ? "" : (platform.url ?? `saved journal ${platform.journal}`)}
        </span>
        <span className={`connection is-${connection}`} role="status">
          {platform?.url === null ? "saved" : connectionTexts[connection]}
        </span>
        <span className="bar-actions">
          {platform?.url === null ? null : (
            <button type="button" className="plain" aria-pressed={isPaused} onClick={() => store.pause(!isPaused)}>
              {isPaused ? `Go on${waiting > 0 ? ` (${waiting} new)` : ""}` : "Pause"}
            </button>
          )}
          {platform?.url == null ? null : (
            <button
              type="button"
              className="plain"
              aria-pressed={isActing}
              onClick={() => {
                setReplayed(null);
                go({ exchange: null, other: null, flow: null, isActing: !isActing });
              }}
            >
              Do something
            </button>
          )}
          <button type="button" className="plain" onClick={() => setDialog("home")}>
            {platform?.url === null ? "About" : "Addresses"}
          </button>
          <button type="button" className="plain" aria-label="keys (?)" onClick={() => setDialog("help")}>
            ?
          </button>
        </span>
      </header>
      <main className="panes">
        <section className="list" aria-label="list">
          <FilterBar
            rows={rows}
            shown={shown}
            filter={place.filter}
            onChange={(next) => go({ filter: next }, true)}
            searchRef={search}
          />
          {rows.length === 0 && connection === "live" ? <Nothing /> : null}
          <RowList items={items} cursor={cursor} open={place.exchange ?? place.flow} onPick={pick} onFold={fold} />
        </section>
        {place.exchange === null && flow === null && isActing ? (
          <section className="side" aria-label="details">
            <ActPane key={replayed?.id} server={server} platform={platform} replayed={replayed} onClose={close} />
          </section>
        ) : null}
        {place.exchange === null && flow !== null ? (
          <section className="side" aria-label="details">
            <FlowPane
              server={server}
              group={flow}
              rows={rows.filter(({ group }) => group === flow.id)}
              onOpen={show}
              onClose={close}
            />
          </section>
        ) : null}
        {place.exchange === null ? null : (
          <section className="side" aria-label="details">
            {place.other === null ? (
              <ExchangePane
                server={server}
                id={place.exchange}
                row={store.row(place.exchange)}
                onOpen={show}
                onCompare={(exchange, other) => go({ exchange, other })}
                onFlow={(id) => go({ flow: id, exchange: null })}
                onReplay={
                  platform?.url == null
                    ? null
                    : (id, body) => {
                        setReplayed({ id, body });
                        go({ exchange: null, isActing: true });
                      }
                }
                onClose={close}
              />
            ) : (
              <ComparePane
                server={server}
                left={place.exchange}
                right={place.other}
                rowOf={(id) => store.row(id)}
                onOpen={show}
                onSwap={() => go({ exchange: place.other, other: place.exchange })}
                onClose={() => go({ exchange: place.other, other: null })}
              />
            )}
          </section>
        )}
      </main>
      {dialog === "help" ? <HelpDialog onClose={() => setDialog(null)} /> : null}
      {dialog === "home" ? <HomeDialog home={home} onClose={() => setDialog(null)} /> : null}
    </div>
  );
}

function Nothing(): ReactNode {
  return (
    <div className="nothing">
      <p>Nothing has happened yet. Every exchange with the app appears here, as it happens.</p>
      <p>
        Try <code>app-sim guard</code>, <code>app-sim webhook project.translated</code> or <code>app-sim verify</code>{" "}
        in another terminal.
      </p>
    </div>
  );
}
