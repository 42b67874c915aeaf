import type { ReactNode } from "react";
import type { GroupView, PlatformView, RowView } from "../view.ts";
import { ActPane, type Replayed } from "./act-pane.tsx";
import { ComparePane } from "./compare-pane.tsx";
import { ExchangePane } from "./exchange-pane.tsx";
import type { Place } from "./filters.ts";
import { FlowPane } from "./flow-pane.tsx";
import type { JournalStore } from "./journal-store.ts";
import type { Server } from "./server.ts";

interface DetailsProps {
  readonly server: Server;
  readonly store: JournalStore;
  readonly platform: PlatformView | null;
  readonly place: Place;
  readonly go: (change: Partial<Place>) => void;
  /** The rows of the open group, oldest first. */
  readonly rows: readonly RowView[];
  /** The open group; null: none is open. */
  readonly flow: GroupView | null;
  /** The delivery to send again; null: none was chosen. */
  readonly replayed: Replayed | null;
  readonly setReplayed: (replayed: Replayed) => void;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

/** What is open next to the list: an exchange, two to compare, a group, or the actions. */
export function Details(props: DetailsProps): ReactNode {
  const { server, store, platform, place, go, rows, flow, replayed, setReplayed, onOpen, onClose } = props;
  const { exchange, other } = place;
  if (exchange !== null && other !== null) {
    return (
      <ComparePane
        server={server}
        left={exchange}
        right={other}
        rowOf={(id) => store.row(id)}
        onOpen={onOpen}
        onSwap={() => go({ exchange: other, other: exchange })}
        onClose={() => go({ exchange: other, other: null })}
      />
    );
  }
  if (exchange !== null) {
    const replay = (id: string, body: string) => {
      setReplayed({ id, body });
      go({ exchange: null, isActing: true });
    };
    return (
      <ExchangePane
        server={server}
        id={exchange}
        row={store.row(exchange)}
        onOpen={onOpen}
        onCompare={(left, right) => go({ exchange: left, other: right })}
        onFlow={(id) => go({ flow: id, exchange: null })}
        onReplay={platform?.url == null ? null : replay}
        onClose={onClose}
      />
    );
  }
  if (flow !== null) return <FlowPane {...{ server, group: flow, rows, onOpen, onClose }} />;
  return platform === null ? null : <ActPane key={replayed?.id} {...{ server, platform, replayed, onClose }} />;
}
