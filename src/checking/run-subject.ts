import { waitUntilListening } from "../app-client/wait-for-app.ts";
import type { App } from "../config/schema.ts";
import type { Exchange, RecordedCheck } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { FileHost } from "../web/hosted-files.ts";
import { withCanary } from "./canary.ts";
import {
  type Check,
  type CheckFacts,
  isObservation,
  isTwin,
  type ObservationCheck,
  recordedId,
  type Trial,
  type TwinCheck,
} from "./check.ts";
import { CONTROL, PREPARATION, READ_OF, TWIN } from "./evidence.ts";
import type { RequestParts } from "./request-parts.ts";
import { NotPrepared, type Subject, sendAndFollow, taggedContext } from "./subject.ts";

/** How the checks of a subject are run. */
export interface SubjectRun {
  readonly context: SimulatorContext & { readonly files: FileHost };
  /** From 1. */
  readonly run: number;
  /** Milliseconds to wait for a crashed app to come back. */
  readonly waitMs: number;
  /** Whether no further check may start. */
  readonly isOver: () => boolean;
  /** Called before a check starts, and after it has ended. */
  readonly onCheck: (check: CheckFacts, what: "began" | "ended") => void;
}

/** How many twins in a row may be refused before the app must accept the right request again. */
const MOST_UNCONFIRMED = 3;

/** Milliseconds after which an app that caches its last answer looks again. */
const FORGETTING_MS = 1000;

/**
 * Runs the checks of a subject one after another, with the right request before and after each, or after a few refused
 * twins: they are then judged from the journal.
 * @returns why no check could be run; null: they were
 */
export async function runSubject<Tools extends Trial>(
  subject: Subject<Tools>,
  checks: readonly Check<Tools>[],
  given: SubjectRun,
): Promise<string | null> {
  const { isOver, onCheck } = given;
  const runner = new SubjectRunner(subject, given);
  try {
    if (!(await runner.begin())) return null;
  } catch (error) {
    if (error instanceof NotPrepared) return error.message;
    throw error;
  }
  const done = new Set<string>();
  for (const check of checks) {
    if (isOver()) break;
    onCheck(check, "began");
    if (isObservation(check) || done.has(recordedId(check))) {
      onCheck(check, "ended");
      continue;
    }
    done.add(recordedId(check));
    await runner.run(check);
  }
  await runner.confirmAll();
  return null;
}

/** Sends the requests of a subject's checks, and right requests between them. */
class SubjectRunner<Tools extends Trial> {
  readonly #subject: Subject<Tools>;
  readonly #given: SubjectRun;
  /** The last right request that the app accepted. */
  #right: Exchange | null = null;
  /** Whether an app that answers from a cache may have forgotten its last answer after a pause. */
  #forgets = true;
  /** Milliseconds to wait for an app that is gone. */
  #patienceMs: number;
  /** The checks since the last right request, which is still to confirm them. */
  readonly #unconfirmed: SendingCheck<Tools>[] = [];

  constructor(subject: Subject<Tools>, given: SubjectRun) {
    this.#subject = subject;
    this.#given = given;
    this.#patienceMs = given.waitMs;
  }

  /**
   * Whether the app accepts the right request.
   * @throws NotPrepared if the app does not let it get that far
   */
  async begin(): Promise<boolean> {
    return (await this.#sendRight()) || (await this.#sendRightLater());
  }

  /** Sends what a check sends, and the right request if it is due. */
  async run(check: SendingCheck<Tools>): Promise<void> {
    this.#unconfirmed.push(check);
    const isRefused = await attempt(() => this.#send(check));
    if (!isRefused || this.#unconfirmed.length === MOST_UNCONFIRMED) await this.confirmAll();
  }

  /** Sends the right request after the checks that still need it. */
  async confirmAll(): Promise<void> {
    if (this.#unconfirmed.length === 0) return;
    const { isAccepted, isBack } = await this.#confirm();
    // Following each with the right request shows which of them caused this.
    const again = isAccepted || !isBack || this.#unconfirmed.length === 1 ? [] : this.#unconfirmed;
    for (const check of again) {
      await attempt(() => this.#send(check));
      await this.#confirm();
    }
    for (const check of this.#unconfirmed.splice(0)) this.#given.onCheck(check, "ended");
  }

  /** Each check needs a right request before it: after a problem, the next one sends its own. */
  async #confirm(): Promise<{ readonly isAccepted: boolean; readonly isBack: boolean }> {
    const { context, waitMs } = this.#given;
    if (await attempt(() => this.#sendRight())) return { isAccepted: true, isBack: true };
    const { url } = this.#subject.app;
    const isThere = await waitUntilListening(url, this.#patienceMs, context.clock, context.signal);
    // If nobody restarts the app in this time, later checks do not wait again.
    this.#patienceMs = isThere ? waitMs : 0;
    const isBack = isThere && ((await attempt(() => this.#sendRight())) || (await this.#sendRightLater()));
    return { isAccepted: false, isBack };
  }

  async #sendRight(): Promise<boolean> {
    const request = await this.#subject.prepare(this.#tagged(null, PREPARATION));
    const exchange = await sendAndFollow(this.#subject, (role) => this.#tagged(null, role), CONTROL, request);
    const isAccepted = this.#subject.read(exchange, null).kind === (this.#subject.control ?? "accepted");
    if (isAccepted) this.#right = exchange;
    return isAccepted;
  }

  /** A second try for an app that answers from a cache: a check will find that, but it must be able to run. */
  async #sendRightLater(): Promise<boolean> {
    if (!this.#forgets) return false;
    await this.#pause(FORGETTING_MS);
    this.#forgets = await attempt(() => this.#sendRight());
    return this.#forgets;
  }

  /** Whether the check is a twin that the app refused. */
  async #send(check: SendingCheck<Tools>): Promise<boolean> {
    const subject = this.#subject;
    const id = recordedId(check);
    const contextOf = (role: string, signed?: string) => this.#tagged(id, role, signed);
    const trial: Trial = {
      prepare: () => subject.prepare(contextOf(PREPARATION)),
      send: (role, request) => sendAndFollow(subject, contextOf, role, request),
      read: (exchange, control) => subject.read(exchange, control),
      pause: (milliseconds) => this.#pause(milliseconds),
      otherModules: subject.otherModules ?? [],
      tag: (role) => this.#tag(id, role),
    };
    const { files } = this.#given.context;
    const tools = subject.tools(trial, contextOf);
    if (!isTwin(check)) {
      await check.run(tools);
      return false;
    }
    const twin = await sendTwin(check, trial, subject.app, files);
    return twin !== null && subject.read(twin, this.#right).kind === "refused";
  }

  #tagged(id: string | null, role: string, signed?: string): SimulatorContext {
    return taggedContext(this.#given.context, {
      ...this.#tag(id, role),
      ...(signed === undefined ? {} : { signed }),
    });
  }

  #tag(id: string | null, role: string): RecordedCheck {
    return { run: this.#given.run, subject: this.#subject.id, id, role };
  }

  #pause(milliseconds: number): Promise<void> {
    const { clock, signal } = this.#given.context;
    return clock.pause(milliseconds, signal);
  }
}

type SendingCheck<Tools> = Exclude<Check<Tools>, ObservationCheck>;

/** @returns the answer to the twin; null: there is none, or its effect shows only later */
async function sendTwin(check: TwinCheck, trial: Trial, app: App, files: FileHost): Promise<Exchange | null> {
  const control = await trial.prepare();
  const send = (twin: RequestParts) => trial.send(TWIN, twin);
  if (check.canary !== undefined) {
    const twinAt = (url: string) => check.twin(control, app, url);
    await withCanary(files, { twinAt, content: check.canary }, trial.tag(TWIN + READ_OF), send);
    return null;
  }
  const twin = check.twin(control, app, "");
  return twin === null ? null : send(twin);
}

/** False if the app did not let the simulator get that far. */
async function attempt(act: () => Promise<boolean>): Promise<boolean> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotPrepared) return false;
    throw error;
  }
}
