import type { PageTrouble } from "../../browser/fill-form.ts";
import type { GuardResult } from "../guard-result.ts";
import type { Return } from "../rules/callback.ts";
import type { PlainStage } from "../rules/login.ts";
import type { StageInput } from "../rules/stages.ts";
import type { AuthenticatorCode } from "../rules/totp.ts";
import type { Interaction } from "./interaction.ts";
import type { LoginView } from "./login-view.ts";

/** A login that has started: to watch, and to act on as its user. */
export interface LoginSession {
  /** Unguessable: it is part of the address of the login's pages. */
  readonly id: string;
  /** The current login: the same object until something changes. */
  view(): LoginView;
  /** Calls the listener after every change; the returned function ends that. */
  subscribe(listener: () => void): () => void;
  /**
   * The user enters something at a stage that is not a guard. Does nothing if the login is at another stage.
   * @throws UsageError for input of another shape
   */
  enter(input: StageInput): void;
  /** The user completes the current stage, or fails it on purpose. Does nothing at a guard. */
  play(how: "right" | "wrong"): void;
  /**
   * The user comes back from the page of the guard that the login waits for, as that page would send them back. Does
   * nothing if it waits for none.
   */
  comeBack(outcome: Return): void;
  /** What the user's authenticator shows at this moment (RFC 6238). */
  authenticator(): AuthenticatorCode;
  /** The interaction at the page of a guard that the login waits for; null: it waits for none. */
  interaction(): Interaction | null;
  /** Address of the login's page, once the platform is listening. */
  link(): Promise<string>;
  /** The user leaves: the login ends without access. */
  leave(trouble: PageTrouble): void;
  /** Resolves with the result of the login. Rejects only for a bug. */
  readonly result: Promise<GuardResult>;
}

/** Plays the user: called when it is the user's turn; acts on the session then or later. */
export interface LoginPerson {
  atStage(login: LoginSession, stage: PlainStage, failures: number): void;
  /** Rejects only for a bug. */
  atPage(login: LoginSession, interaction: Interaction): void | Promise<void>;
}
