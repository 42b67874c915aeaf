import { isIP } from "node:net";
import { withoutUndefined } from "../../action/flags.ts";
import type { Clock } from "../../app-client/ports.ts";
import type { Role } from "../../config/roles.ts";
import type { User } from "../../config/schema.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { GuardResult } from "../guard-result.ts";
import type { WatchedLogin, WatchedStart } from "../login/watch-login.ts";
import { type AuthenticatorCode, currentCode } from "../rules/totp.ts";
import {
  beginWalk,
  hasPassedPlainStages,
  type LoginWish,
  needsLink,
  nextState,
  shownGuard,
  type WalkAction,
  type WalkEvent,
  type WalkPrompt,
  type WalkState,
} from "./walk-state.ts";

/** What a walk needs from the simulator and the system. */
export interface LoginParts {
  /** The configured users; one of them logs in. */
  readonly users: readonly User[];
  /** Starts a login; `again`: the stages before the guards were passed once, so no keys are needed for them. */
  begin(again: boolean, wish: LoginWish): Promise<WatchedStart>;
  /** How often a stage that is not a guard may be tried (choice `login.attempts`). */
  readonly attempts: number;
  /** A copy without secrets (hardening S27). */
  hide<T>(value: T): T;
  /** Opens an address in the browser; null: links are only shown. Never throws. */
  readonly open: ((url: string) => void) | null;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** Ends the walk at once; closing the simulator then ends the login. */
  readonly signal: AbortSignal;
}

/** How a walk ended: `result` of the latest login, null if it had not ended yet; `interrupted` by Ctrl-C. */
export interface Walked {
  readonly result: GuardResult | null;
  readonly interrupted: boolean;
}

/** A walk in progress: holds the state, carries out the effects, and starts the first login when it is created. */
export class Walk {
  /** Rejects with a UsageError if a login cannot be started, and for a bug. */
  readonly ended: Promise<Walked>;
  readonly #parts: LoginParts;
  readonly #listeners = new Set<() => void>();
  #state: WalkState;
  #login: WatchedLogin | null = null;
  #isOver = false;
  #resolve: (how: Walked) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(parts: LoginParts) {
    this.#parts = parts;
    this.#state = beginWalk({ attempts: parts.attempts, canOpen: parts.open !== null });
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#begin(false).catch(this.fail);
    parts.signal.addEventListener("abort", this.#stop);
    if (parts.signal.aborted) this.#stop();
  }

  readonly state = (): WalkState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** What the user's authenticator shows now. */
  authenticator(): AuthenticatorCode | null {
    const id = this.#login?.view().user.id;
    const user = this.#parts.users.find((each) => each.id === id);
    return user === undefined ? null : currentCode(user.totpSecret, this.#parts.clock.now());
  }

  dispatch(event: WalkEvent): void {
    try {
      const before = this.#state;
      this.#state = nextState(before, event);
      for (const listener of [...this.#listeners]) listener();
      if (needsLink(before, this.#state)) this.#showLink(this.#state.canOpen).catch(this.fail);
      if (event.type === "acted") this.#effects[event.action]?.();
    } catch (bug) {
      this.fail(bug);
    }
  }

  /** The user types into the open line. */
  type(typed: string): void {
    const { prompt } = this.#state;
    if (prompt === null) return;
    if (typed === "enter") {
      this.#enter(prompt);
    } else if (typed === "escape") {
      this.dispatch({ type: "typed", prompt: null });
    } else {
      const text = typed === "erase" ? [...prompt.text].slice(0, -1).join("") : prompt.text + typed;
      this.dispatch({ type: "typed", prompt: { ...prompt, text, trouble: null } });
    }
  }

  #enter(prompt: WalkPrompt): void {
    const { what, text } = prompt;
    const trouble =
      text === ""
        ? `Type the ${what} first.`
        : what === "address" && isIP(text) === 0
          ? "That is not an IP address."
          : null;
    if (trouble !== null) {
      this.dispatch({ type: "typed", prompt: { ...prompt, trouble } });
      return;
    }
    this.dispatch({ type: "typed", prompt: null });
    if (what === "address") this.#beginAgain({ ipAddress: text });
    else this.#login?.comeBack(what === "code" ? { code: text } : { error: text });
  }

  /** Starts another login that differs from the current one in this. */
  #beginAgain(change: { readonly [Name in keyof LoginWish]: LoginWish[Name] | undefined }): void {
    const again = hasPassedPlainStages(this.#state);
    const wish = withoutUndefined({ ...this.#state.wish, ...change }) as LoginWish;
    this.#login?.leave({ reason: "the user started another login", hint: null, failure: null });
    this.dispatch({ type: "wished", wish });
    this.#begin(again).catch(this.fail);
  }

  #nextRole(): Role | undefined {
    const { users } = this.#parts;
    const roles = [...new Set(users.map(({ role }) => role))];
    const present = this.#state.login?.user.role ?? this.#state.refused?.user.role;
    return roles[(present === undefined ? 0 : roles.indexOf(present) + 1) % roles.length];
  }

  /** Ends the walk because of a bug. */
  readonly fail = (bug: unknown): void => this.#reject(bug);

  /** What actions do to the login; other actions only change the screen. */
  readonly #effects: Partial<Record<WalkAction, () => unknown>> = {
    "do-right": () => this.#login?.play("right"),
    "do-wrong": () => this.#login?.play("wrong"),
    open: () => this.#showLink(true).catch(this.fail),
    link: () => this.#showLink(false).catch(this.fail),
    retry: () => this.#beginAgain({}),
    "next-user": () => this.#beginAgain({ user: this.#nextRole() }),
    "only-guard": () => this.#beginAgain({ only: shownGuard(this.#state) ?? this.#state.wish.only }),
    "all-guards": () => this.#beginAgain({ only: undefined }),
    quit: () => this.#leave("the user left before the end", null).catch(this.fail),
    interrupt: () => this.#leave("interrupted", "interrupted").catch(this.fail),
  };

  async #begin(again: boolean): Promise<void> {
    const { begin, hide, clock } = this.#parts;
    this.#login = null;
    this.dispatch({ type: "login-asked", at: clock.monotonic() });
    const begun = await begin(again, this.#state.wish);
    if (this.#isOver) return;
    if (!begun.ok) return this.dispatch({ type: "login-refused", result: hide(begun.result) });
    const { login } = begun;
    this.#login = login;
    login.result.catch(this.fail);
    const look = () => this.dispatch({ type: "login-changed", view: hide(login.view()) });
    login.subscribe(look);
    look();
  }

  /** Finds the link of the login, and opens it if `opens`. */
  async #showLink(opens: boolean): Promise<void> {
    const login = this.#login;
    try {
      const url = await login?.link();
      if (url === undefined || this.#isOver || login !== this.#login) return;
      if (opens) this.#parts.open?.(url);
      this.dispatch({ type: "link-found", url, isOpened: opens });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.dispatch({ type: "link-failed", trouble: { reason: error.message, hint: error.hint } });
    }
  }

  async #leave(reason: string, failure: "interrupted" | null): Promise<void> {
    await this.#login?.leave({ reason, hint: null, failure });
    this.#end(failure !== null);
  }

  readonly #stop = (): void => this.#end(false);

  #end(interrupted: boolean): void {
    this.#parts.signal.removeEventListener("abort", this.#stop);
    this.#resolve({ result: this.#state.refused ?? this.#login?.view().result ?? null, interrupted });
    this.#isOver = true;
  }
}
