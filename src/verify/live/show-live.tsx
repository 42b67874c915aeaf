import { render, Text } from "ink";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Clock } from "../../app-client/ports.ts";
import type { Paint } from "../../output/paint.ts";
import type { CheckEvent } from "../check-event.ts";
import { pictureLines } from "./live-lines.ts";
import { afterEvent, type PictureState, startOfLive } from "./live-state.ts";

interface LiveParts {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly clock: Pick<Clock, "monotonic">;
  readonly paint: Paint;
}

/** The live display of a run. */
export interface Live {
  readonly onCheck: (event: CheckEvent) => void;
  /** Leaves the final state above the report. */
  readonly end: () => Promise<void>;
}

const TICK_MS = 250;

/** Shows on a terminal which checks run, and how they end. */
export function showLive({ stdin, stdout, clock, paint }: LiveParts): Live {
  const store = createStore();
  const app = render(<Picture store={store} stdout={stdout} clock={clock} paint={paint} />, {
    stdin,
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return {
    onCheck: store.dispatch,
    end: async () => {
      app.unmount();
      await app.waitUntilExit();
      stdout.write("\n");
    },
  };
}

interface Store {
  readonly dispatch: (event: CheckEvent) => void;
  readonly state: () => PictureState;
  readonly subscribe: (listener: () => void) => () => void;
}

function createStore(): Store {
  let state = startOfLive;
  const listeners = new Set<() => void>();
  return {
    dispatch: (event) => {
      state = afterEvent(state, event);
      for (const listener of listeners) listener();
    },
    state: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

interface PictureProps extends Omit<LiveParts, "stdin"> {
  readonly store: Store;
}

function Picture({ store, stdout, clock, paint }: PictureProps) {
  const state = useSyncExternalStore(store.subscribe, store.state);
  const [started] = useState(() => clock.monotonic());
  const [now, setNow] = useState(started);
  useEffect(() => {
    const timer = setInterval(() => setNow(clock.monotonic()), TICK_MS);
    return () => clearInterval(timer);
  }, [clock]);
  // Ink erases the scrollback if its output is as high as the terminal.
  const room = { cols: (stdout.columns || 80) - 1, rows: Math.max(1, (stdout.rows || 24) - 2) };
  return <Text wrap="truncate">{pictureLines(state, (now - started) / 1000, room, paint).join("\n")}</Text>;
}
