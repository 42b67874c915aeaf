import { createAppGateway } from "../app-client/app-gateway.ts";
import { type AppGateway, systemClock } from "../app-client/ports.ts";
import type { GivenSettings } from "../config/load.ts";
import type { JournalRecord } from "../journal/record.ts";
import { exitCodes } from "../output/exit-code.ts";
import { ExitError } from "../output/exit-error.ts";
import type { Progress, StartedCall } from "../platform/simulator-options.ts";
import { parseJson } from "../protocol/json.ts";
import type { UsageCode } from "../protocol/usage-codes.ts";
import { UsageError } from "../protocol/usage-error.ts";
import {
  actionPath,
  type Frame,
  INSPECTOR_LINKS_PATH,
  runningPath,
  SETTINGS_PATH,
  type SettledSettings,
  type WireProblem,
} from "./control.ts";
import type { AnnouncedPlatform } from "./running-platform.ts";
import { type AnyFunction, fromWire, toWire } from "./wire-values.ts";

const TIMEOUT_MS = 10_000;
/** The longest possible timer: an action may take any time. */
const ACTION_TIMEOUT_MS = 2 ** 31 - 1;

/** Callbacks of a command while its action runs. */
export interface ClientListeners {
  readonly onRecord: (record: JournalRecord) => void;
  readonly onCall: (call: StartedCall) => void;
  readonly onPause: (milliseconds: number) => void;
  readonly onProgress: (progress: Progress) => void;
}

/** An answer to a request to the control addresses. */
type Answer = { readonly status: number; readonly value: unknown };

/** A running platform, as used by a command in another process: every action in the same way. */
export class PlatformClient {
  readonly #platform: AnnouncedPlatform;
  readonly #gateway: AppGateway;

  constructor(platform: AnnouncedPlatform) {
    this.#platform = platform;
    this.#gateway = createAppGateway(systemClock, platform.trust);
  }

  /**
   * Requests what a command with these settings works with; null if nothing listens there any more.
   * @throws UsageError for settings that need another platform; ExitError if something else answers, or nothing does
   */
  async settle(given: GivenSettings): Promise<SettledSettings | null> {
    const answer = await this.#post(SETTINGS_PATH, { given });
    if (answer === "refused-connection") return null;
    return this.#goodAnswer(answer) as SettledSettings;
  }

  /** The code of a new link to its inspector; null if nothing listens there any more. */
  async inspectorCode(): Promise<string | null> {
    const answer = await this.#post(INSPECTOR_LINKS_PATH, {});
    if (answer === "refused-connection") return null;
    return (this.#goodAnswer(answer) as { readonly code: string }).code;
  }

  /**
   * Runs an action there, and resolves with its result. Aborting the signal ends it cleanly.
   * @throws UsageError as the action does; ExitError if the platform ends before the action does
   */
  async run(
    name: string,
    args: readonly unknown[],
    command: { readonly given: GivenSettings; readonly cwd: string; readonly signal: AbortSignal },
    listeners: ClientListeners,
  ): Promise<unknown> {
    const run = new ClientRun(this, listeners, command.signal);
    const { given, cwd } = command;
    const body = { given, cwd, args: args.map((arg) => toWire(arg, run.numberOf)) };
    const answer = await this.#post(actionPath(name), body, run.take);
    if (run.end !== null) return run.end();
    // Anything but a stream of frames is a refusal.
    if (answer !== "refused-connection" && answer.status !== 200) this.#goodAnswer(answer);
    throw this.ended();
  }

  /** Calls a function of a running action, or aborts the action. */
  async order(id: string, order: { readonly abort: true } | { readonly call: number; readonly args: unknown[] }) {
    const answer = await this.#post(runningPath(id), order);
    if (answer === "refused-connection") throw this.ended();
    return fromWire((this.#goodAnswer(answer) as { readonly value?: unknown }).value, () => () => undefined);
  }

  /** The error for a platform that ends before the action does. */
  ended(): ExitError {
    const { command, pid, url } = this.#platform;
    return new ExitError(
      exitCodes.unreachable,
      "platform-ended",
      `app-sim ${command} (process ${pid}) at ${url} ended before this command was over`,
      "restart it, or run the command without it",
    );
  }

  async #post(path: string, body: object, take?: (chunk: Buffer) => void): Promise<Answer | "refused-connection"> {
    const { url, pid, command, controlToken } = this.#platform;
    const called = await this.#gateway.call({
      method: "POST",
      url: url + path,
      headers: [
        ["authorization", `Bearer ${controlToken}`],
        ["accept", "application/json, application/x-ndjson"],
        ["content-type", "application/json"],
      ],
      body: Buffer.from(JSON.stringify(body)),
      timeoutMs: take === undefined ? TIMEOUT_MS : ACTION_TIMEOUT_MS,
      sizeLimit: Number.MAX_SAFE_INTEGER,
      ...(take === undefined ? {} : { take }),
    });
    if (called.ok) {
      const parsed = parseJson(called.body);
      return { status: called.response.status, value: parsed.ok ? parsed.value : null };
    }
    const { outcome } = called;
    if (outcome.kind === "unreachable" && outcome.code === "ECONNREFUSED") return "refused-connection";
    if (take !== undefined && outcome.kind !== "timed-out") return { status: 200, value: null };
    throw new ExitError(
      exitCodes.unreachable,
      "platform-unreachable",
      `no answer from app-sim ${command} at ${url}, process ${pid} (${outcome.kind})`,
      "did it end? start it again with `app-sim serve`",
    );
  }

  #goodAnswer({ status, value }: Answer): unknown {
    if (status === 200) return value;
    const { error } = (value ?? {}) as { readonly error?: Partial<WireProblem> & { readonly name?: UsageCode } };
    const { url } = this.#platform;
    if (status === 400 && typeof error?.message === "string") {
      const { name: code = "control-invalid", message, hint = "", problems = [] } = error;
      throw mistake({ code, message, hint, problems });
    }
    throw new ExitError(
      exitCodes.unreachable,
      "platform-unreachable",
      `the server at ${url} is not the platform that was announced there (status ${status})`,
      "end it, then start `app-sim serve`",
    );
  }
}

function mistake({ code, message, hint, problems }: WireProblem): UsageError {
  return new UsageError(code, message, hint || "see --help", problems);
}

/** One action of a command: reads the platform's frames about it. */
class ClientRun {
  /** Returns the result, or throws what the action threw; null while it is running. */
  end: (() => unknown) | null = null;
  readonly #client: PlatformClient;
  readonly #listeners: ClientListeners;
  readonly #signal: AbortSignal;
  readonly #functions: AnyFunction[] = [];
  #rest: Buffer[] = [];
  #id: string | null = null;

  constructor(client: PlatformClient, listeners: ClientListeners, signal: AbortSignal) {
    this.#client = client;
    this.#listeners = listeners;
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort);
  }

  readonly numberOf = (called: AnyFunction): number => this.#functions.push(called) - 1;

  /** Receives the next bytes of the answer. */
  readonly take = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(start, end)]).toString("utf8");
      this.#rest = [];
      start = end + 1;
      this.#hear(JSON.parse(line) as Frame);
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  };

  readonly #callerOf =
    (call: number): AnyFunction =>
    (...args) =>
      this.#order({ call, args: args.map((arg) => toWire(arg, this.numberOf)) });

  readonly #abort = (): void => {
    // The platform may be ending itself: then the end of the answer reports it.
    this.#order({ abort: true }).catch(() => {});
  };

  async #order(order: Parameters<PlatformClient["order"]>[1]): Promise<unknown> {
    return this.#id === null || this.end !== null ? undefined : this.#client.order(this.#id, order);
  }

  #hear(frame: Frame): void {
    if ("started" in frame) {
      this.#id = frame.started;
      if (this.#signal.aborted) this.#abort();
    } else if ("record" in frame) this.#listeners.onRecord(frame.record);
    else if ("call" in frame) this.#listeners.onCall(frame.call);
    else if ("pause" in frame) this.#listeners.onPause(frame.pause);
    else if ("progress" in frame) this.#listeners.onProgress(frame.progress);
    else if ("event" in frame) {
      const called = this.#functions[frame.event] as ((...args: unknown[]) => unknown) | undefined;
      called?.(...frame.args.map((arg) => fromWire(arg, this.#callerOf)));
    } else {
      this.#signal.removeEventListener("abort", this.#abort);
      this.end = () => this.#ended(frame);
    }
  }

  #ended(frame: Extract<Frame, { result: unknown } | { failed: unknown }>): unknown {
    if ("result" in frame) return fromWire(frame.result, this.#callerOf);
    const { failed } = frame;
    if ("mistake" in failed) throw mistake(failed.mistake);
    if ("ended" in failed) throw this.#client.ended();
    const bug = new Error(failed.bug.split("\n", 1)[0]);
    bug.stack = failed.bug;
    throw bug;
  }
}
