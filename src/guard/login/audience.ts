import type { Clock } from "../../app-client/ports.ts";
import type { LoginSession } from "./login-face.ts";

/** A browser that shows a login requests its last page immediately; one that was closed never does. */
const MAX_WAIT_MS = 2000;
/** Time for the files of a page: its styles and scripts. */
const PAGE_FILES_MS = 500;

/** The browsers that show logins, so that the platform does not stop before they have shown the end. */
export class Audience {
  readonly #clock: Clock;
  /** For each login that a browser shows: aborted once it has shown the end. */
  readonly #watched = new WeakMap<LoginSession, AbortController>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A page of the login was sent, or the browser was redirected to one. */
  served(login: LoginSession): void {
    const seen = this.#watched.get(login) ?? new AbortController();
    this.#watched.set(login, seen);
    if (login.view().result !== null) seen.abort();
  }

  /** Resolves when the browser has shown the end; immediately if there is none; early if the signal is aborted. */
  async hasSeenEnd(login: LoginSession, signal: AbortSignal): Promise<void> {
    const seen = this.#watched.get(login)?.signal;
    if (seen === undefined) return;
    await this.#clock.pause(MAX_WAIT_MS, AbortSignal.any([signal, seen]));
    if (seen.aborted) await this.#clock.pause(PAGE_FILES_MS, signal);
  }
}
