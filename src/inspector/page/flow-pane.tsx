import type { ReactNode } from "react";
import type { GroupView, RowView } from "../view.ts";
import { DeliveryTimeline } from "./delivery-timeline.tsx";
import { ImportTable } from "./import-table.tsx";
import { LoadPicture } from "./load-picture.tsx";
import { LoginStages } from "./login-stages.tsx";
import { countWords, Toned } from "./parts.tsx";
import { RowLinks } from "./row-links.tsx";
import { SequenceDiagram } from "./sequence-diagram.tsx";
import type { Server } from "./server.ts";

interface FlowPaneProps {
  readonly server: Server;
  readonly group: GroupView;
  /** Its rows, oldest first. */
  readonly rows: readonly RowView[];
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}

/** A group as a picture whose parts link to their exchanges. */
export function FlowPane({ server, group, rows, onOpen, onClose }: FlowPaneProps): ReactNode {
  const [first] = rows;
  const pictures = {
    login: () => <LoginStages server={server} group={group} rows={rows} onOpen={onOpen} />,
    oauth: () => <SequenceDiagram rows={rows} onOpen={onOpen} />,
    deliveries: () => <DeliveryTimeline rows={rows} onOpen={onOpen} />,
    import: () => <ImportTable server={server} rows={rows} onOpen={onOpen} />,
    load: () => <LoadPicture load={group.load} rows={rows} onOpen={onOpen} />,
    verify: () => <FailedRows rows={rows} isOver={group.result !== null} onOpen={onOpen} />,
  };
  return (
    <article className="pane" aria-label="flow">
      <div className="pane-head">
        <h2>
          {group.result === null ? null : <Toned tone={group.tone}>{group.result}</Toned>} {group.title}
        </h2>
        <button type="button" className="plain close" onClick={onClose}>
          Close
        </button>
      </div>
      <p className="quiet">
        {countWords(rows.length, "record")}
        {first === undefined ? "" : `, from ${first.at}`}
      </p>
      {pictures[group.kind]()}
    </article>
  );
}

/** The failures of a run of `verify`; each exchange has its findings. */
function FailedRows({
  rows,
  isOver,
  onOpen,
}: Pick<FlowPaneProps, "rows" | "onOpen"> & { readonly isOver: boolean }): ReactNode {
  const faults = rows.filter(({ isFault }) => isFault);
  if (faults.length === 0) return <p>{isOver ? "No check failed." : "The verdicts appear when the run has ended."}</p>;
  return <RowLinks rows={faults} onOpen={onOpen} />;
}
