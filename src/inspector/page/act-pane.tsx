import { type ReactNode, useEffect, useState } from "react";
import { harmless } from "../../protocol/harmless.ts";
import type { PlatformView } from "../view.ts";
import { actOutcome, isActTrouble } from "./act-outcome.ts";
import { type ActField, type ActOrder, type ActPlan, type ActValues, actPlans, replayPlan } from "./act-plans.ts";
import { readJsonText } from "./json-text.ts";
import { JsonTree } from "./json-tree.tsx";
import { CodeBox, CommandLine, Toned } from "./parts.tsx";
import type { Server } from "./server.ts";

/** A delivery that can be sent again. */
export interface Replayed {
  readonly id: string;
  readonly body: string;
}

interface ActPaneProps {
  readonly server: Server;
  readonly platform: PlatformView;
  /** The delivery that is sent again; null if there is none. */
  readonly replayed: Replayed | null;
  readonly onClose: () => void;
}

/** What can be done on the platform, each with the equivalent command line. */
export function ActPane({ server, platform, replayed, onClose }: ActPaneProps): ReactNode {
  const plans = [...(replayed === null ? [] : [replayPlan(replayed.id, replayed.body)]), ...actPlans(platform)];
  const [chosen, choose] = useState(plans[0]?.id ?? "");
  const plan = plans.find(({ id }) => id === chosen) ?? plans[0];
  return (
    <article className="pane" aria-label="actions">
      <div className="pane-head">
        <h2>Actions</h2>
        <button type="button" className="plain close" onClick={onClose}>
          Close
        </button>
      </div>
      <p>
        <select aria-label="action" value={plan?.id} onChange={({ target }) => choose(target.value)}>
          {plans.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </p>
      {plan === undefined ? null : <ActForm key={plan.id} server={server} plan={plan} />}
    </article>
  );
}

/** The progress of an act: its calls, and how it ended. */
interface ActProgress {
  readonly isRunning: boolean;
  readonly lines: readonly string[];
  readonly result: string | null;
  readonly outcome: string | null;
  readonly error: string | null;
}

const notStarted: ActProgress = { isRunning: false, lines: [], result: null, outcome: null, error: null };

function ActForm({ server, plan }: { server: Server; plan: ActPlan }): ReactNode {
  const [values, setValues] = useState<ActValues>(() =>
    Object.fromEntries(plan.fields.map(({ name, value }) => [name, value])),
  );
  const [progress, setProgress] = useState(notStarted);
  const set = (changes: ActValues) => setValues((known) => ({ ...known, ...changes }));
  useDroppedFile((name, content) => set({ file: content, "file name": name }), plan.id === "import");
  let order: ActOrder | null = null;
  let wrong = "";
  try {
    order = plan.order(values);
  } catch (error) {
    wrong = (error as Error).message;
  }
  const submit = async () => {
    if (order === null) return;
    if (order.body === null) {
      open(order.path, "_blank", "noopener");
      return;
    }
    setProgress({ ...notStarted, isRunning: true });
    await runOrder(server, order, (change) => setProgress((known) => change(known)));
    setProgress((known) => ({ ...known, isRunning: false }));
  };
  return (
    <form
      className="act"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {plan.fields.map((field) => (
        <ActInput key={field.name} field={field} value={values[field.name] ?? ""} onChange={set} />
      ))}
      <p role="status" className={wrong === "" ? "quiet" : "reason"}>
        {wrong === "" ? "The same in a terminal:" : wrong}
      </p>
      {order === null ? null : <CommandLine command={order.command} />}
      <p>
        <button type="submit" disabled={order === null || progress.isRunning}>
          {progress.isRunning ? "Running …" : plan.title}
        </button>
      </p>
      <ActOutcome progress={progress} />
    </form>
  );
}

function ActInput({
  field,
  value,
  onChange,
}: {
  field: ActField;
  value: string;
  onChange: (changes: ActValues) => void;
}): ReactNode {
  const { name, label, kind, hint, options = [] } = field;
  const hintId = hint === undefined ? undefined : `hint-${name}`;
  const change = (text: string) => onChange({ [name]: text });
  const input = {
    text: () => (
      <input id={name} value={value} aria-describedby={hintId} onChange={({ target }) => change(target.value)} />
    ),
    json: () => (
      <textarea
        id={name}
        rows={6}
        spellCheck={false}
        value={value}
        aria-describedby={hintId}
        onChange={({ target }) => change(target.value)}
      />
    ),
    choice: () => (
      <select id={name} value={value} onChange={({ target }) => change(target.value)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    ),
    check: () => (
      <input
        id={name}
        type="checkbox"
        checked={value === "yes"}
        onChange={({ target }) => change(target.checked ? "yes" : "")}
      />
    ),
    file: () => (
      <input
        id={name}
        type="file"
        accept=".json,application/json"
        aria-describedby={hintId}
        onChange={async ({ target }) => {
          const file = target.files?.[0];
          if (file !== undefined) onChange({ [name]: await file.text(), [`${name} name`]: file.name });
        }}
      />
    ),
  };
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      {input[kind]()}
      {hint === undefined ? null : (
        <p className="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

function ActOutcome({ progress: { lines, result, outcome, error } }: { progress: ActProgress }): ReactNode {
  const node = result === null ? null : readJsonText(result);
  return (
    <div aria-live="polite">
      {lines.length === 0 ? null : (
        <CodeBox label="what was called">{lines.map((each) => `${harmless(each)}\n`).join("")}</CodeBox>
      )}
      {error === null ? null : <p className="reason">{harmless(error)}</p>}
      {outcome === null ? null : (
        <p>
          Result: <Toned tone={isActTrouble(outcome) ? "caution" : "good"}>{outcome}</Toned>
        </p>
      )}
      {node === null ? null : (
        <CodeBox label="result" kind="json">
          <JsonTree node={node} text={result ?? ""} where={{ side: "response", place: "body", line: 0 }} depth={3} />
        </CodeBox>
      )}
    </div>
  );
}

const SHOWN_LINES = 200;

/** Sends the order to the platform, and reports its frames. */
async function runOrder(
  server: Server,
  { path, body }: ActOrder,
  tell: (change: (known: ActProgress) => ActProgress) => void,
) {
  const ended = (value: unknown) =>
    tell((known) => ({ ...known, result: JSON.stringify(value), outcome: actOutcome(value) }));
  try {
    if (!path.startsWith("/-/actions/")) return ended(await server.post(path, body));
    await server.lines(
      path,
      body,
      (frame) => {
        const { call, result, failed } = frame as Frame;
        if (call !== undefined) {
          tell((known) => ({ ...known, lines: [...known.lines, `${call.method} ${call.url}`].slice(-SHOWN_LINES) }));
        }
        if (result !== undefined) ended(result);
        if (failed !== undefined) {
          const error =
            failed.mistake === undefined
              ? (failed.bug ?? "the platform has ended")
              : `${failed.mistake.message}${failed.mistake.hint === "" ? "" : `: ${failed.mistake.hint}`}`;
          tell((known) => ({ ...known, error }));
        }
      },
      new AbortController().signal,
    );
  } catch (error) {
    tell((known) => ({ ...known, error: (error as Error).message }));
  }
}

/** The frames of the platform that are shown. */
interface Frame {
  readonly call?: { readonly method: string; readonly url: string };
  readonly result?: unknown;
  readonly failed?: { readonly mistake?: { readonly message: string; readonly hint: string }; readonly bug?: string };
}

/** A fixture that is dropped anywhere in the window. */
function useDroppedFile(onFile: (name: string, content: string) => void, isWanted: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: what happens with the file never changes
  useEffect(() => {
    if (!isWanted) return;
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) void file.text().then((content) => onFile(file.name, content));
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, [isWanted]);
}
