import { waitUntilListening } from "../app-client/wait-for-app.ts";
import type { App } from "../config/schema.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { HostedFiles } from "../web/hosted-files.ts";
import { withCanary } from "./canary.ts";
import { type Check, type CheckFacts, isObservation, isTwin, recordedId, type Trial } from "./check.ts";
import { CONTROL, PREPARATION, READ_OF, TWIN } from "./evidence.ts";
import type { RequestParts } from "./request-parts.ts";
import { NotPrepared, type Subject, sendAndFollow, taggedContext } from "./subject.ts";

/** How the checks of a subject are run. */
export interface SubjectRun {
  readonly context: SimulatorContext & { readonly files: HostedFiles };
  /** From 1. */
  readonly run: number;
  /** Milliseconds that an app which is gone gets to come back. */
  readonly waitMs: number;
  /** Whether no further check is to begin. */
  readonly isOver: () => boolean;
  /** Runs before a check begins, and after it ended. */
  readonly onCheck: (check: CheckFacts, what: "began" | "ended") => void;
}

/**
 * Runs the checks of a subject one after another, with the right request before and after each: what the journal then
 * has is what they are judged by.
 * @returns why no check could be run; null: they were
 */
export async function runSubject<Tools extends Trial>(
  subject: Subject<Tools>,
  checks: readonly Check<Tools>[],
  { context, run, waitMs, isOver, onCheck }: SubjectRun,
): Promise<string | null> {
  const tag = (id: string | null, role: string) => ({ run, subject: subject.id, id, role });
  const tagged = (id: string | null, role: string) => taggedContext(context, tag(id, role));
  const control = async (): Promise<boolean> => {
    const request = await subject.prepare(tagged(null, PREPARATION));
    const exchange = await sendAndFollow(subject, (role) => tagged(null, role), CONTROL, request);
    return subject.read(exchange, null).kind === (subject.control ?? "accepted");
  };
  const waitForApp = () => waitUntilListening(subject.app.url, waitMs, context.clock, context.signal);
  try {
    if (!(await control())) return null;
  } catch (error) {
    if (error instanceof NotPrepared) return error.message;
    throw error;
  }
  const done = new Set<string>();
  for (const check of checks) {
    if (isOver()) return null;
    onCheck(check, "began");
    if (!isObservation(check) && !done.has(recordedId(check))) {
      const id = recordedId(check);
      done.add(id);
      const contextOf = (role: string) => tagged(id, role);
      const trial: Trial = {
        prepare: () => subject.prepare(contextOf(PREPARATION)),
        send: (role, request) => sendAndFollow(subject, contextOf, role, request),
        read: (exchange, right) => subject.read(exchange, right),
        pause: (milliseconds) => context.clock.pause(milliseconds, context.signal),
        otherModules: subject.otherModules ?? [],
        tag: (role) => tag(id, role),
      };
      const isAccepted = await attempt(async () => {
        await runCheck(check, subject.tools(trial, contextOf), trial, subject.app, context.files);
        return control();
      });
      // Each check needs a right request before it: the first after a trouble is that of the next.
      if (!isAccepted && (await waitForApp())) await attempt(control);
    }
    onCheck(check, "ended");
  }
  return null;
}

async function runCheck<Tools>(
  check: Check<Tools>,
  tools: Tools,
  trial: Trial,
  app: App,
  files: HostedFiles,
): Promise<void> {
  if (isObservation(check)) return;
  if (!isTwin(check)) return check.run(tools);
  const control = await trial.prepare();
  const send = (twin: RequestParts) => trial.send(TWIN, twin);
  if (check.canary !== undefined) {
    return withCanary(files, check.canary, trial.tag(TWIN + READ_OF), (url) => check.twin(control, app, url), send);
  }
  const twin = check.twin(control, app, "");
  if (twin !== null) await send(twin);
}

/** False where the app did not let the simulator come so far. */
async function attempt(act: () => Promise<boolean>): Promise<boolean> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotPrepared) return false;
    throw error;
  }
}
