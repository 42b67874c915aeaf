import type { Clock } from "../../app-client/ports.ts";
import type { User } from "../../config/schema.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { GuardResult } from "../guard-result.ts";
import type { LoginSession } from "../login/login-session.ts";
import type { Begun } from "../login/logins.ts";
import { rightInput, wrongInput } from "../rules/stages.ts";
import { beginWalk, step, type WalkEffect, type WalkEvent, type WalkState } from "./walk-state.ts";

/** What a walk needs of the simulator and of the world around it. */
export interface LoginParts {
  /** Begins a login; `again`: the stages before the guards have been passed once, and are passed by themselves. */
  begin(again: boolean): Promise<Begun>;
  /** Among whom is the one that logs in. */
  readonly users: readonly User[];
  /** How often a stage that is not a guard may be tried (choice `login.attempts`). */
  readonly attempts: number;
  /** The copy that may be shown, without secrets (hardening S27). */
  hide<T>(value: T): T;
  /** Opens an address in the browser; null: links are only shown. Never throws. */
  readonly open: ((url: string) => void) | null;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** Ends the walk at once; the login is ended by whoever ends the simulator. */
  readonly signal: AbortSignal;
}

/** How a walk ended. */
export interface Walked {
  /** Of the latest login; null: it had not ended yet. */
  readonly result: GuardResult | null;
  /** By Ctrl-C. */
  readonly interrupted: boolean;
}

/** A walk under way: what is seen, and what can be done. */
export interface Walk {
  state(): WalkState;
  /** The login that is shown. */
  login(): LoginSession | null;
  subscribe(listener: () => void): () => void;
  happen(event: WalkEvent): void;
  /** Ends the walk for a bug. */
  fail(bug: unknown): void;
  /** Rejects with a UsageError where a login cannot be begun, and for a bug. */
  readonly ended: Promise<Walked>;
}

/** Begins a login and keeps the state of the walk in step with it. */
export function startWalk(parts: LoginParts): Walk {
  const { clock } = parts;
  const listeners = new Set<() => void>();
  let state = beginWalk({ attempts: parts.attempts, canOpen: parts.open !== null });
  let login: LoginSession | null = null;
  let isOver = false;
  let resolve: (how: Walked) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const ended = new Promise<Walked>((onEnd, onError) => {
    resolve = onEnd;
    fail = onError;
  });

  const happen = (event: WalkEvent): void => {
    try {
      const next = step(state, event);
      state = next.state;
      for (const listener of [...listeners]) listener();
      for (const effect of next.effects) perform(effect);
    } catch (bug) {
      fail(bug);
    }
  };

  const perform = (effect: WalkEffect): void => {
    switch (effect.type) {
      case "begin":
        begin(effect.again).catch(fail);
        break;
      case "enter":
        enter(effect.isRight);
        break;
      case "link":
        if (login !== null) showLink(login).catch(fail);
        break;
      case "leave":
        leave(effect.isInterrupted);
    }
  };

  const begin = async (again: boolean) => {
    login = null;
    happen({ type: "login-asked", at: clock.monotonic() });
    const begun = await parts.begin(again);
    if (isOver) return;
    if (!begun.ok) {
      happen({ type: "login-refused", result: parts.hide(begun.result) });
      return;
    }
    const session = begun.login;
    login = session;
    session.result.catch(fail);
    const look = () => happen({ type: "login-changed", view: parts.hide(session.view()) });
    session.subscribe(look);
    look();
  };

  const enter = (isRight: boolean) => {
    const view = login?.view();
    const stage = view?.stages[view.current ?? -1]?.stage;
    const user = parts.users.find(({ id }) => id === view?.user.id);
    if (stage === undefined || stage === "guard" || user === undefined) return;
    login?.enter((isRight ? rightInput : wrongInput)(stage, user, clock.now()));
  };

  const showLink = async (session: LoginSession) => {
    try {
      const url = await session.link();
      if (isOver || session !== login) return;
      parts.open?.(url);
      happen({ type: "link-found", url, isOpened: parts.open !== null });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      happen({ type: "link-failed", trouble: { reason: error.message, hint: error.hint } });
    }
  };

  const leave = (isInterrupted: boolean) => {
    const reason = isInterrupted ? "interrupted" : "the user left before the end";
    login?.leave({ reason, hint: null, failure: isInterrupted ? "interrupted" : null });
    end(isInterrupted);
  };

  const end = (interrupted: boolean) => {
    parts.signal.removeEventListener("abort", stop);
    resolve({ result: state.refused ?? login?.view().result ?? null, interrupted });
    isOver = true;
  };

  const stop = () => end(false);
  begin(false).catch(fail);
  parts.signal.addEventListener("abort", stop);
  if (parts.signal.aborted) stop();
  return {
    state: () => state,
    login: () => login,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    happen,
    fail,
    ended,
  };
}
