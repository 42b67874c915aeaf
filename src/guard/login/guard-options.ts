import type { OptionsOf } from "../../action/define-action.ts";
import type { PageTrouble } from "../../browser/fill-form.ts";
import type { Return } from "../rules/callback.ts";
import { type LoginOptions, loginOptions } from "./login-options.ts";
import type { LoginView } from "./login-view.ts";

/** What a watcher of a login can do as its user, wherever the platform runs. */
export interface LoginUser {
  /** Completes the current stage, or fails it on purpose. */
  play(how: "right" | "wrong"): void;
  /** Comes back from the page of the guard that the login waits for, as that page would send the user back. */
  comeBack(outcome: Return): void;
  /** Leaves: the login ends without access. Resolves with the login after that. */
  leave(trouble: PageTrouble): Promise<LoginView>;
  /** Address of the login's page, once the platform is listening. */
  link(): Promise<string>;
}

/** Called when a login has started, and after every change. */
export type OnLogin = (view: LoginView, user: LoginUser) => void;

/** Options of `guard()`. */
export interface GuardOptions extends LoginOptions {
  /** Called when the login has started, and after every change, with the actions of its user. */
  readonly onLogin?: OnLogin | undefined;
}

/** Definitions of {@link GuardOptions}. */
export const guardOptions: OptionsOf<GuardOptions> = {
  ...loginOptions,
  onLogin: {
    help: "called when the login starts, and after every change",
    schema: (z) => z.custom<OnLogin>((value) => typeof value === "function", "expected a function"),
  },
};
