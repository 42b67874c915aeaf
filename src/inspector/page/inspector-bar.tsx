import type { ReactNode } from "react";
import type { PlatformView } from "../view.ts";
import type { Connection } from "./journal-store.ts";

interface InspectorBarProps {
  readonly platform: PlatformView | null;
  readonly connection: Connection;
  readonly isPaused: boolean;
  /** How many rows came during the pause. */
  readonly waiting: number;
  readonly onPause: (isPaused: boolean) => void;
  readonly isActing: boolean;
  readonly onAct: () => void;
  readonly onDialog: (dialog: "help" | "home") => void;
}

const connectionTexts: Readonly<Record<Connection, string>> = {
  connecting: "connecting",
  live: "live",
  lost: "app-sim does not answer: retrying",
  refused: "the key is refused",
};

/** The top of the inspector: its platform, the state of the connection, and the buttons. */
export function InspectorBar(props: InspectorBarProps): ReactNode {
  const { platform, connection, isPaused, waiting, onPause, isActing, onAct, onDialog } = props;
  return (
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
          <button type="button" className="plain" aria-pressed={isPaused} onClick={() => onPause(!isPaused)}>
            {isPaused ? `Resume${waiting > 0 ? ` (${waiting} new)` : ""}` : "Pause"}
          </button>
        )}
        {platform?.url == null ? null : (
          <button type="button" className="plain" aria-pressed={isActing} onClick={onAct}>
            Actions
          </button>
        )}
        <button type="button" className="plain" onClick={() => onDialog("home")}>
          {platform?.url === null ? "About" : "Addresses"}
        </button>
        <button type="button" className="plain" aria-label="keys (?)" onClick={() => onDialog("help")}>
          ?
        </button>
      </span>
    </header>
  );
}
