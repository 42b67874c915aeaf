import type { Clock } from "../../app-client/ports.ts";
import type { LoginSession } from "./login-session.ts";

/** A browser that shows a login asks for its end at once; one that was closed never does. */
const LONGEST_WAIT_MS = 2000;
/** For what belongs to a page: its style and its script. */
const PAGE_LOADS_MS = 500;

/** Whether somebody watches a login in a browser, so that the platform does not go away before they see its end. */
export interface Audience {
  /** A page of the login was sent, or the browser was sent on to one. */
  served(login: LoginSession): void;
  /** Resolves when whoever watches has seen the end, at once where nobody does, and early when the signal is aborted. */
  hasSeenEnd(login: LoginSession, signal: AbortSignal): Promise<void>;
}

/** Nobody watches yet. */
export function createAudience(clock: Clock): Audience {
  const watched = new WeakMap<LoginSession, { readonly seen: AbortController }>();
  return {
    served(login) {
      const watcher = watched.get(login) ?? { seen: new AbortController() };
      watched.set(login, watcher);
      if (login.view().result !== null) watcher.seen.abort();
    },
    async hasSeenEnd(login, signal) {
      const watcher = watched.get(login);
      if (watcher === undefined) return;
      await clock.pause(LONGEST_WAIT_MS, AbortSignal.any([signal, watcher.seen.signal]));
      if (watcher.seen.signal.aborted) await clock.pause(PAGE_LOADS_MS, signal);
    },
  };
}
