import type { ReactNode } from "react";
import { harmless } from "../../protocol/harmless.ts";
import type { ExchangeView, GroupView, RowView } from "../view.ts";
import { Toned } from "./parts.tsx";
import type { Server } from "./server.ts";
import { useExchanges } from "./use-exchanges.ts";

/** The steps of a guard, from the kind and number of its exchanges (interface 3.1, 4.2). */
function stepName(row: RowView, earlier: readonly RowView[]): string {
  if (row.kind === "guard-page") return "the user at the app's page";
  return earlier.some(({ kind }) => kind === "guard") ? "final call, with the code" : "first call";
}

interface LoginStagesProps {
  readonly server: Server;
  readonly group: GroupView;
  readonly rows: readonly RowView[];
  readonly onOpen: (id: string) => void;
}

/** A login as its stages, each guard with its exchanges, and how it ended. */
export function LoginStages({ server, group, rows, onOpen }: LoginStagesProps): ReactNode {
  const own = rows.filter(({ isExchange }) => isExchange);
  const views = useExchanges(
    server,
    own.map(({ id }) => id),
  );
  const modules = [...new Set(own.map(({ module }) => module))];
  const end = rows.find(({ kind }) => kind === "login");
  return (
    <ol className="stages login-stages">
      {modules.map((module) => {
        const steps = own.filter((row) => row.module === module);
        const last = views.get(steps.findLast(({ kind }) => kind === "guard")?.id ?? "");
        const isPassed = last?.findings.some(({ reason }) => reason?.startsWith("success true") === true) ?? false;
        return (
          <li key={module} className={isPassed ? "is-passed" : "is-denied"}>
            <strong>{module ?? "other requests"}</strong>{" "}
            {last === undefined ? null : (
              <Toned tone={isPassed ? "good" : "bad"}>{isPassed ? "passed" : "not passed"}</Toned>
            )}
            <ul className="siblings">
              {steps.map((row, index) => (
                <li key={row.id}>
                  <button type="button" className="link" onClick={() => onOpen(row.id)}>
                    {stepName(row, steps.slice(0, index))}
                  </button>{" "}
                  <code>{row.what}</code> <Toned tone={row.tone}>{row.result}</Toned>{" "}
                  <span className="quiet">
                    {row.ms} ms {saidBy(views.get(row.id))}
                  </span>
                </li>
              ))}
            </ul>
          </li>
        );
      })}
      <li className={group.result === "granted" ? "is-passed" : "is-denied"}>
        <strong>{group.result === "granted" ? "Access granted" : `Access ${group.result ?? "pending"}`}</strong>
        {end?.note == null ? null : <p className="reason">{end.note}</p>}
      </li>
    </ol>
  );
}

function saidBy(view: ExchangeView | undefined): string {
  const finding = view?.findings.find(({ reason }) => reason !== null);
  return finding?.reason == null ? "" : harmless(finding.reason);
}
