import type { FastifyInstance, FastifyReply } from "fastify";
import { randomIds } from "../app-client/ports.ts";
import type { GivenSettings } from "../config/load.ts";
import type { Journal } from "../journal/journal.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { Progress, StartedCall } from "../platform/simulator-options.ts";
import type { UnderWay } from "../platform/under-way.ts";
import { UsageError } from "../protocol/usage-error.ts";
import {
  actionPath,
  actionRequestSchema,
  type Frame,
  runningPath,
  runningRequestSchema,
  SETTINGS_PATH,
  type SettledSettings,
  settingsRequestSchema,
  type WireProblem,
} from "./control.ts";
import { answerPost, readControl, refuseControl } from "./control-access.ts";
import { type AnyFunction, fromWire, toWire } from "./wire-values.ts";

/** Callbacks of a command while its action runs. */
export interface ActionListeners {
  readonly onCall: (call: StartedCall) => void;
  readonly onPause: (milliseconds: number) => void;
  readonly onProgress: (progress: Progress) => void;
  /** Aborted by the command, or because it has disconnected. */
  readonly signal: AbortSignal;
}

/** The actions of a platform, for commands that run in other processes. */
export interface ServedActions {
  readonly names: readonly string[];
  readonly journal: Journal;
  readonly underWay: UnderWay;
  /** Aborted when the platform ends. */
  readonly ended: AbortSignal;
  /** What a command with these settings works with. @throws UsageError */
  settle(given: GivenSettings): SettledSettings;
  /** Runs an action with settings that `settle` accepts. */
  run(
    name: string,
    args: readonly unknown[],
    command: { readonly given: GivenSettings; readonly cwd: string },
    listeners: ActionListeners,
  ): Promise<unknown>;
}

/** A command that does not read must not fill the platform's memory. */
const UNREAD_LIMIT_BYTES = 256 * 1_048_576;

/** A command that does not read must not keep the platform from ending. */
const FLUSH_MS = 2000;

/** An action that runs for a command. */
interface RunningAction {
  readonly abort: () => void;
  /** Functions of the action that the command may call, by number. */
  readonly functions: readonly AnyFunction[];
}

/**
 * Runs actions for commands in other processes, in the same way for every action: its arguments arrive as JSON, and
 * events go back line by line, the result last.
 */
export function actionRoutes(scope: FastifyInstance, actions: ServedActions): void {
  const running = new Map<string, RunningAction>();

  answerPost(scope, SETTINGS_PATH, (request) =>
    actions.settle(readControl(settingsRequestSchema, request, '{"given":{…}}').given),
  );

  answerPost(scope, actionPath(":name"), async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    if (!actions.names.includes(name)) {
      throw new UsageError("control-invalid", `there is no action ${name}`, `allowed: ${actions.names.join(", ")}`);
    }
    const { args, ...command } = readControl(actionRequestSchema, request, '{"given":{…},"cwd":"/","args":[]}');
    actions.settle(command.given);
    reply.hijack();
    await actions.underWay.add(runFor(actions, running, reply, { name, args, command }));
    return reply;
  });

  answerPost(scope, runningPath(":id"), async (request, reply) => {
    const { id } = request.params as { readonly id: string };
    const action = running.get(id);
    if (action === undefined) return refuseControl(reply, 404, new UsageError("control-invalid", "it has ended", ""));
    const order = readControl(runningRequestSchema, request, '{"abort":true} or {"call":0,"args":[]}');
    if ("abort" in order) {
      action.abort();
      return {};
    }
    const called = action.functions[order.call] as ((...args: unknown[]) => unknown) | undefined;
    if (called === undefined) throw new UsageError("control-invalid", `there is no function ${order.call}`, "");
    const plain = (wire: unknown) => fromWire(wire, noFunction);
    return { value: toWire(await called(...order.args.map(plain)), noFunction) ?? null };
  });
}

function noFunction(): never {
  throw new UsageError("control-invalid", "functions cannot be sent here", "");
}

/** Runs an action, streams its events to its command, and resolves when everything was sent. */
async function runFor(
  actions: ServedActions,
  running: Map<string, RunningAction>,
  { raw }: FastifyReply,
  { name, args, command }: { name: string; args: readonly unknown[]; command: { given: GivenSettings; cwd: string } },
): Promise<void> {
  const id = randomIds.secret();
  const leaving = new AbortController();
  const functions: AnyFunction[] = [];
  const isOver = new Promise<void>((resolve) => {
    raw.once("close", () => {
      leaving.abort();
      resolve();
    });
    raw.once("finish", resolve);
  });
  const letGo = () => setTimeout(() => raw.destroy(), FLUSH_MS).unref();
  actions.ended.addEventListener("abort", letGo, { once: true });
  const send = (frame: Frame) => {
    if (raw.destroyed) return;
    raw.write(`${JSON.stringify(frame)}\n`);
    if (raw.writableLength > UNREAD_LIMIT_BYTES) raw.destroy();
  };
  const numberOf = (called: AnyFunction) => {
    const known = functions.indexOf(called);
    return known >= 0 ? known : functions.push(called) - 1;
  };
  const callerOf =
    (event: number): AnyFunction =>
    (...given) =>
      send({ event, args: given.map((arg) => toWire(arg, numberOf)) });
  raw.writeHead(200, { ...BASE_HEADERS, "content-type": "application/x-ndjson" });
  running.set(id, { abort: () => leaving.abort(), functions });
  send({ started: id });
  const stop = actions.journal.subscribe((record) => send({ record }));
  try {
    const result = await actions.run(
      name,
      args.map((arg) => fromWire(arg, callerOf)),
      command,
      {
        onCall: ({ method, url, timeoutMs }) => send({ call: { method, url, timeoutMs } }),
        onPause: (pause) => send({ pause }),
        onProgress: (progress) => send({ progress }),
        signal: leaving.signal,
      },
    );
    send(actions.ended.aborted ? { failed: { ended: true } } : { result: toWire(result, numberOf) });
  } catch (error) {
    send({ failed: actions.ended.aborted ? { ended: true } : failureOfAction(error) });
  } finally {
    stop();
    running.delete(id);
    raw.end();
  }
  await isOver;
  actions.ended.removeEventListener("abort", letGo);
}

/** A mistake of the user, or a bug: the platform keeps running, and the command reports it (hardening R36). */
function failureOfAction(error: unknown): { readonly mistake: WireProblem } | { readonly bug: string } {
  if (!(error instanceof UsageError)) return { bug: error instanceof Error ? (error.stack ?? "") : String(error) };
  const { code, summary, hint, problems } = error;
  return { mistake: { code, message: summary, hint, problems } };
}
