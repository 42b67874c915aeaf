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

type StageState = "passed" | "needs-user" | "denied";
const stateWords = {
  passed: { tone: "good", word: "passed" },
  "needs-user": { tone: "caution", word: "needs the user" },
  denied: { tone: "bad", word: "not passed" },
} as const;

/** How a guard's stage ended: the last guard of a login that needs its user has not denied it. */
function stateOf(isPassed: boolean, isLast: boolean, ending: string | null): StageState {
  if (isPassed) return "passed";
  return isLast && ending === "needs-user" ? "needs-user" : "denied";
}

const endings: Readonly<Record<string, { readonly state: StageState; readonly text: string }>> = {
  granted: { state: "passed", text: "Access granted" },
  "needs-user": { state: "needs-user", text: "Login not completed" },
};

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
  const ending = endings[group.result ?? ""] ?? { state: "denied", text: `Access ${group.result ?? "pending"}` };
  return (
    <ol className="stages login-stages">
      {modules.map((module, at) => {
        const steps = own.filter((row) => row.module === module);
        const last = views.get(steps.findLast(({ kind }) => kind === "guard")?.id ?? "");
        const isPassed = last?.findings.some(({ reason }) => reason?.startsWith("success true") === true) ?? false;
        const state = stateOf(isPassed, at === modules.length - 1, group.result);
        const { tone, word } = stateWords[state];
        return (
          <li key={module} className={`is-${state}`}>
            <strong>{module ?? "other requests"}</strong>{" "}
            {last === undefined ? null : <Toned tone={tone}>{word}</Toned>}
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
      <li className={`is-${ending.state}`}>
        <strong>{ending.text}</strong>
        {end?.note == null ? null : <p className="reason">{end.note}</p>}
      </li>
    </ol>
  );
}

function saidBy(view: ExchangeView | undefined): string {
  const finding = view?.findings.find(({ reason }) => reason !== null);
  return finding?.reason == null ? "" : harmless(finding.reason);
}
