import type { Clock } from "../../app-client/ports.ts";
import type { LoginSession } from "./login-session.ts";

/** A browser that shows a login requests its last page at once; one that was closed never does. */
const MAX_WAIT_MS = 2000;
/** For the files of a page: its style and its scripts. */
const PAGE_FILES_MS = 500;

/** The browsers that show logins, so that the platform does not stop before they have shown the end. */
export interface Audience {
  /** A page of the login was sent, or the browser was sent on to one. */
  served(login: LoginSession): void;
  /** Resolves when the browser has shown the end; at once if there is none; early when the signal is aborted. */
  hasSeenEnd(login: LoginSession, signal: AbortSignal): Promise<void>;
}

/** Creates the audience of all logins. */
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
      await clock.pause(MAX_WAIT_MS, AbortSignal.any([signal, watcher.seen.signal]));
      if (watcher.seen.signal.aborted) await clock.pause(PAGE_FILES_MS, signal);
    },
  };
}
