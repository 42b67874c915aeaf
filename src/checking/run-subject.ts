import { waitUntilListening } from "../app-client/wait-for-app.ts";
import type { App } from "../config/schema.ts";
import type { Exchange } from "../journal/exchange.ts";
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
  { context, run, waitMs, isOver, onCheck }: SubjectRun,
): Promise<string | null> {
  const tag = (id: string | null, role: string) => ({ run, subject: subject.id, id, role });
  const tagged = (id: string | null, role: string) => taggedContext(context, tag(id, role));
  let right: Exchange | null = null;
  const control = async (): Promise<boolean> => {
    const request = await subject.prepare(tagged(null, PREPARATION));
    const exchange = await sendAndFollow(subject, (role) => tagged(null, role), CONTROL, request);
    const isAccepted = subject.read(exchange, null).kind === (subject.control ?? "accepted");
    if (isAccepted) right = exchange;
    return isAccepted;
  };
  let forgets = true;
  /** A second try for an app that answers from a cache: a check will find that, but it must be able to run. */
  const laterAgain = async (): Promise<boolean> => {
    if (!forgets) return false;
    await context.clock.pause(FORGETTING_MS, context.signal);
    forgets = await attempt(control);
    return forgets;
  };
  let patienceMs = waitMs;
  /** Each check needs a right request before it: after a problem, the next one sends its own. */
  const confirm = async (): Promise<{ readonly isAccepted: boolean; readonly isBack: boolean }> => {
    if (await attempt(control)) return { isAccepted: true, isBack: true };
    const isThere = await waitUntilListening(subject.app.url, patienceMs, context.clock, context.signal);
    // If nobody restarts the app in this time, later checks do not wait again.
    patienceMs = isThere ? waitMs : 0;
    return { isAccepted: false, isBack: isThere && ((await attempt(control)) || (await laterAgain())) };
  };
  /** Whether the check is a twin that the app refused. */
  const send = async (check: SendingCheck<Tools>): Promise<boolean> => {
    const id = recordedId(check);
    const contextOf = (role: string, signed?: string) =>
      taggedContext(context, { ...tag(id, role), ...(signed === undefined ? {} : { signed }) });
    const trial: Trial = {
      prepare: () => subject.prepare(contextOf(PREPARATION)),
      send: (role, request) => sendAndFollow(subject, contextOf, role, request),
      read: (exchange, control) => subject.read(exchange, control),
      pause: (milliseconds) => context.clock.pause(milliseconds, context.signal),
      otherModules: subject.otherModules ?? [],
      tag: (role) => tag(id, role),
    };
    const twin = await runCheck(check, subject.tools(trial, contextOf), trial, subject.app, context.files);
    return twin !== null && subject.read(twin, right).kind === "refused";
  };
  try {
    if (!(await control()) && !(await laterAgain())) return null;
  } catch (error) {
    if (error instanceof NotPrepared) return error.message;
    throw error;
  }
  const unconfirmed: SendingCheck<Tools>[] = [];
  const confirmAll = async () => {
    const { isAccepted, isBack } = await confirm();
    // Following each with the right request shows which of them caused this.
    const again = isAccepted || !isBack || unconfirmed.length === 1 ? [] : unconfirmed;
    for (const check of again) {
      await attempt(() => send(check));
      await confirm();
    }
    for (const check of unconfirmed.splice(0)) onCheck(check, "ended");
  };
  const done = new Set<string>();
  for (const check of checks) {
    if (isOver()) break;
    onCheck(check, "began");
    if (isObservation(check) || done.has(recordedId(check))) {
      onCheck(check, "ended");
      continue;
    }
    done.add(recordedId(check));
    unconfirmed.push(check);
    const isRefused = await attempt(() => send(check));
    if (!isRefused || unconfirmed.length === MOST_UNCONFIRMED) await confirmAll();
  }
  if (unconfirmed.length > 0) await confirmAll();
  return null;
}

type SendingCheck<Tools> = Exclude<Check<Tools>, ObservationCheck>;

/**
 * Sends what a check sends.
 * @returns the answer to a twin; null: not a twin, or its effect shows only later
 */
async function runCheck<Tools>(
  check: SendingCheck<Tools>,
  tools: Tools,
  trial: Trial,
  app: App,
  files: FileHost,
): Promise<Exchange | null> {
  if (!isTwin(check)) {
    await check.run(tools);
    return null;
  }
  const control = await trial.prepare();
  const send = (twin: RequestParts) => trial.send(TWIN, twin);
  if (check.canary !== undefined) {
    await withCanary(files, check.canary, trial.tag(TWIN + READ_OF), (url) => check.twin(control, app, url), send);
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
