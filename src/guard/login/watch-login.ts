import type { PageTrouble } from "../../browser/fill-form.ts";
import type { GuardResult } from "../guard-result.ts";
import type { GuardOptions, LoginUser, OnLogin } from "./guard-options.ts";
import type { LoginSession } from "./login-face.ts";
import type { LoginOptions } from "./login-options.ts";
import type { LoginView } from "./login-view.ts";

/** A login that is watched. */
export interface WatchedLogin
  extends Pick<LoginSession, "view" | "subscribe" | "result" | "play" | "comeBack" | "link"> {
  /** The user leaves; the return value may have to be awaited. */
  leave(trouble: PageTrouble): unknown;
}

/** A watched login, or the result of one that could not start. */
export type WatchedStart =
  | { readonly ok: true; readonly login: WatchedLogin }
  | { readonly ok: false; readonly result: GuardResult };

/** Notifies a watcher of every change of a login, including its start. */
export function tellWatcher(login: LoginSession, onLogin: OnLogin): void {
  const user: LoginUser = {
    play: (how) => login.play(how),
    comeBack: (outcome) => login.comeBack(outcome),
    leave: async (trouble) => {
      login.leave(trouble);
      return login.view();
    },
    link: () => login.link(),
  };
  const tell = () => onLogin(login.view(), user);
  login.subscribe(tell);
  tell();
}

/**
 * Starts a login and watches it; resolves once it has started.
 * @param guard the method of a simulator, in this process or in another
 */
export function beginWatchedLogin(
  guard: (options: GuardOptions) => Promise<GuardResult>,
  options: LoginOptions,
): Promise<WatchedStart> {
  return new Promise((resolve, reject) => {
    const listeners = new Set<() => void>();
    let view: LoginView | null = null;
    const change = (next: LoginView) => {
      // Ignore changes that arrive after the user has left.
      if (view?.result != null) return;
      view = next;
      for (const listener of [...listeners]) listener();
    };
    const onLogin: OnLogin = (first, user) => {
      const isNew = view === null;
      change(first);
      if (!isNew) return;
      const login: WatchedLogin = {
        view: () => view ?? first,
        subscribe: (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        play: (how) => user.play(how),
        comeBack: (outcome) => user.comeBack(outcome),
        leave: async (trouble) => change(await user.leave(trouble)),
        link: () => user.link(),
        result,
      };
      resolve({ ok: true, login });
    };
    let result: Promise<GuardResult>;
    result = guard({ ...options, onLogin });
    result.then((ended) => resolve({ ok: false, result: ended }), reject);
  });
}
