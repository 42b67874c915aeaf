import type { App } from "../config/schema.ts";
import type { Exchange, RecordedCheck } from "../journal/exchange.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { FileHost } from "../web/hosted-files.ts";
import type { AppReturn } from "./app-return.ts";
import { withCanary } from "./canary.ts";
import {
  type Check,
  type CheckFacts,
  isTwin,
  type ObservationCheck,
  recordedId,
  type Trial,
  type TwinCheck,
} from "./check.ts";
import { CONTROL, PREPARATION, READ_OF, RECOVERY, TOGETHER, TWIN } from "./evidence.ts";
import type { RequestParts } from "./request-parts.ts";
import { NotPrepared, type Subject, sendAndFollow, taggedContext } from "./subject.ts";

/** How the checks of a subject are run. */
export interface SubjectRun {
  readonly context: SimulatorContext & { readonly files: FileHost };
  /** From 1. */
  readonly run: number;
  /** Whether an app is there; waits for one that a check brought down. */
  readonly isBack: AppReturn;
  /** Whether checks of a slow app may run in several lanes. */
  readonly mayUseLanes: boolean;
  /** Whether no further check may start. */
  readonly isOver: () => boolean;
  /** What was sent to the subject in this run so far; it grows. */
  readonly sent: readonly Exchange[];
  /** Called before a check starts, and after it has ended. */
  readonly onCheck: (check: CheckFacts, what: "began" | "ended") => void;
}

/** A check that sends requests. */
export type SendingCheck<Tools> = Exclude<Check<Tools>, ObservationCheck>;

/** How many twins in a row may be refused before the app must accept the correct request again. */
export const MOST_UNCONFIRMED = 3;

/** Milliseconds after which an app that caches its last answer looks again. */
const FORGETTING_MS = 1000;

/** Milliseconds: apps that limit requests, or block senders for a while, usually count by the minute. */
const RECOVERY_MS = 65_000;
/** Milliseconds between correct requests until the app has recovered. */
const RECOVERY_STEP_MS = 5000;

/** Sends the requests of a subject's checks, and correct requests between them. */
export class SubjectRunner<Tools extends Trial> {
  readonly #subject: Subject<Tools>;
  readonly #given: SubjectRun;
  readonly #lane: number | null;
  /** The last correct request that the app accepted. */
  #right: Exchange | null = null;
  /** How many milliseconds it took, with the pauses that the app asked for. */
  #rightMs = 0;
  /** Whether an app that answers from a cache may have forgotten its last answer after a pause. */
  #forgets = true;
  /** The checks since the last correct request, which is still to confirm them. */
  readonly #unconfirmed: SendingCheck<Tools>[] = [];

  /** @param lane from 1; null: outside of lanes */
  constructor(subject: Subject<Tools>, given: SubjectRun, lane: number | null) {
    this.#subject = subject;
    this.#given = given;
    this.#lane = lane;
  }

  /**
   * Whether the app accepts the correct request.
   * @throws NotPrepared if the app does not let it get that far
   */
  async begin(): Promise<boolean> {
    // A check of another module may have brought the app down.
    await this.#isBack();
    return (await this.sendRight()) || (await this.#sendRightLater());
  }

  /** Sends what a check sends, and the correct request if it is due. */
  async run(check: SendingCheck<Tools>): Promise<void> {
    this.#unconfirmed.push(check);
    const isRefused = await attempt(() => this.send(check));
    if (!isRefused || this.#unconfirmed.length === MOST_UNCONFIRMED) await this.confirmAll();
  }

  /** Sends the correct request after the checks that still need it. */
  async confirmAll(): Promise<void> {
    if (this.#unconfirmed.length === 0) return;
    const { isAccepted, isBack } = await this.#confirm();
    // Following each with the correct request shows which of them caused this.
    const again = isAccepted || !isBack || this.#unconfirmed.length === 1 ? [] : this.#unconfirmed;
    for (const check of again) {
      await attempt(() => this.send(check));
      await this.#confirm();
    }
    for (const check of this.#unconfirmed.splice(0)) this.#given.onCheck(check, "ended");
  }

  /** Each check needs a correct request before it: after a problem, the next one sends its own. */
  async #confirm(): Promise<{ readonly isAccepted: boolean; readonly isBack: boolean }> {
    if (await attempt(() => this.sendRight())) return { isAccepted: true, isBack: true };
    const isBack =
      (await this.#isBack()) && ((await attempt(() => this.sendRight())) || (await this.#sendRightLater()));
    return { isAccepted: false, isBack };
  }

  #isBack(): Promise<boolean> {
    return this.#given.isBack(this.#subject.app.url);
  }

  /** Sends the correct request. @returns whether the app accepts it */
  async sendRight(role = CONTROL): Promise<boolean> {
    const { exchange, ms } = await this.#timed(role, await this.#prepare());
    const isAccepted = this.#isRight(exchange);
    if (isAccepted) {
      this.#right = exchange;
      this.#rightMs = ms;
    }
    return isAccepted;
  }

  /**
   * Prepares this many correct requests, and then sends all of them at once.
   * @returns how many milliseconds each took, fastest first; null: the app did not accept them all
   * @throws NotPrepared if the app does not let all of them get that far
   */
  async sendTogether(count: number): Promise<readonly number[] | null> {
    const prepared = await Promise.allSettled(Array.from({ length: count }, () => this.#prepare()));
    const requests = prepared.map((each) => {
      if (each.status === "rejected") throw each.reason;
      return each.value;
    });
    const answers = await Promise.all(requests.map((request) => this.#timed(TOGETHER, request)));
    const areAccepted = answers.every(({ exchange }) => this.#isRight(exchange));
    return areAccepted ? answers.map(({ ms }) => ms).toSorted((a, b) => a - b) : null;
  }

  /** Waits until the app accepts the correct request again: requests at once may have been too much for it. */
  async recover(): Promise<void> {
    const { context, isOver } = this.#given;
    const deadline = context.clock.monotonic() + RECOVERY_MS;
    while (!(await attempt(() => this.sendRight(RECOVERY)))) {
      if (isOver() || context.clock.monotonic() >= deadline || !(await this.#isBack())) {
        // The checks from here on are then not the reason that the app refuses.
        await attempt(() => this.sendRight());
        return;
      }
      await this.#pause(RECOVERY_STEP_MS);
    }
  }

  /** Whether this is how the app is to answer the correct request. */
  #isRight(answer: Exchange): boolean {
    return this.#subject.read(answer, null).kind === (this.#subject.control ?? "accepted");
  }

  /** How many milliseconds the app took to answer the last correct request that it accepted. */
  answerMs(): number {
    return this.#rightMs;
  }

  #prepare(): Promise<RequestParts> {
    return this.#subject.prepare(this.#tagged(null, PREPARATION));
  }

  /** Sends a correct request. @returns the answer, and the time with redirects and the pauses that the app asked for */
  async #timed(role: string, request: RequestParts): Promise<{ readonly exchange: Exchange; readonly ms: number }> {
    const { clock } = this.#given.context;
    const started = clock.monotonic();
    const exchange = await sendAndFollow(this.#subject, (own) => this.#tagged(null, own), role, request);
    return { exchange, ms: Math.max(clock.monotonic() - started, exchange.timings.totalMs) };
  }

  /** A second try for an app that answers from a cache: a check will find that, but it must be able to run. */
  async #sendRightLater(): Promise<boolean> {
    if (!this.#forgets) return false;
    await this.#pause(FORGETTING_MS);
    this.#forgets = await attempt(() => this.sendRight());
    return this.#forgets;
  }

  /** Sends what a check sends. @returns whether it is a twin that the app refused */
  async send(check: SendingCheck<Tools>): Promise<boolean> {
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
    const first = await sendTwin(check, trial, subject.app, files);
    // A busy machine may be the reason, which is unlikely twice.
    const twin = first?.outcome.kind === "timed-out" ? await sendTwin(check, trial, subject.app, files) : first;
    return twin !== null && subject.read(twin, this.#right).kind === "refused";
  }

  #tagged(id: string | null, role: string, signed?: string): SimulatorContext {
    return taggedContext(this.#given.context, {
      ...this.#tag(id, role),
      ...(signed === undefined ? {} : { signed }),
    });
  }

  #tag(id: string | null, role: string): RecordedCheck {
    const lane = this.#lane === null ? {} : { lane: this.#lane };
    return { run: this.#given.run, subject: this.#subject.id, id, role, ...lane };
  }

  #pause(milliseconds: number): Promise<void> {
    const { clock, signal } = this.#given.context;
    return clock.pause(milliseconds, signal);
  }
}

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
export async function attempt<Done>(act: () => Promise<Done>): Promise<Done | false> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotPrepared) return false;
    throw error;
  }
}
