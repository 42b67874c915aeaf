import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { PlatformView } from "../view.ts";
import type { Replayed } from "./act-pane.tsx";
import { Details } from "./details.tsx";
import { HelpDialog, HomeDialog } from "./dialogs.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { InspectorBar } from "./inspector-bar.tsx";
import type { JournalStore } from "./journal-store.ts";
import { RowList } from "./row-list.tsx";
import type { Server } from "./server.ts";
import { useItems } from "./use-items.ts";
import { useKeys } from "./use-keys.ts";
import { useOpened } from "./use-opened.ts";

interface InspectorProps {
  readonly server: Server;
  readonly store: JournalStore;
  /** The content of the page before it became the inspector. */
  readonly home: Element | null;
  readonly onRefused: () => void;
}

/** The inspector: the list of what happened, and what is open next to it. */
export function Inspector({ server, store, home, onRefused }: InspectorProps): ReactNode {
  const { rows, groups, connection, isPaused, waiting } = useSyncExternalStore(store.subscribe, store.state);
  const [platform, setPlatform] = useState<PlatformView | null>(null);
  const opened = useOpened(groups, platform);
  const { place, go, cursor, flow, isActing, isOpen, pick, show, close } = opened;
  const [replayed, setReplayed] = useState<Replayed | null>(null);
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

  const { items, shown, fold } = useItems(server, { rows, groups }, place.filter);
  useKeys({
    items,
    cursor,
    isOpen: place.exchange !== null,
    onMove: opened.move,
    onPick: pick,
    onFold: fold,
    onClose: () => (dialog === null ? close() : setDialog(null)),
    onSearch: () => search.current?.focus(),
    onHelp: () => setDialog("help"),
    onPause: () => store.pause(!isPaused),
  });

  return (
    <div className={isOpen ? "frame has-pane" : "frame"}>
      <InspectorBar
        platform={platform}
        connection={connection}
        isPaused={isPaused}
        waiting={waiting}
        onPause={(next) => store.pause(next)}
        isActing={isActing}
        onAct={() => {
          setReplayed(null);
          go({ exchange: null, other: null, flow: null, isActing: !isActing });
        }}
        onDialog={setDialog}
      />
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
        {isOpen ? (
          <section className="side" aria-label="details">
            <Details
              {...{ server, store, platform, place, go, flow, replayed, setReplayed }}
              rows={flow === null ? [] : rows.filter(({ group }) => group === flow.id)}
              onOpen={show}
              onClose={close}
            />
          </section>
        ) : null}
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
