import type { ChoiceReader } from "../../config/choices.ts";
import type { User } from "../../config/schema.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { moduleToken } from "../../platform/module-token.ts";
import { joinUrl } from "../../protocol/url.ts";
import type { Return } from "../rules/callback.ts";
import type { LoginGuard } from "./login-plan.ts";
import type { LoginView, Trouble } from "./login-view.ts";

/** The interaction that a guard asked for, as the platform knows it (interface 3.1, awaiting user interaction). */
export interface Interaction {
  /** Unguessable; in the query of a redirect guard's page, and good for one return. */
  readonly state: string;
  readonly guard: LoginGuard;
  /** When the patience with the user is over, milliseconds since the epoch; the state is good for no less. */
  readonly expiresAt: number;
  /** Milliseconds of real time that the user still has, however the platform's clock was turned; at least 0. */
  timeLeft(): number;
  /** Ends when the user is back, or the login is over. */
  readonly signal: AbortSignal;
  /** `options.url` with a fresh `jwtToken`, and the `state` for a redirect guard (interface 4.2). */
  pageUrl(): Promise<string>;
  /** The user comes back from the page. Only the registry of interactions calls this, once. */
  comeBack(came: Return): void;
  /**
   * Ends the login where the lifetime of the state is over by the platform's clock. Only the registry of interactions
   * calls this, so that a return is never accepted in the moment before the login itself comes to see that.
   */
  expireIfDue(): void;
  /** Something about the page is not as it should be; the user may still come back. */
  report(trouble: Trouble): void;
  /** A request that was made in the user's place, by its id in the journal; it stays with the guard. */
  visited(exchange: string): void;
  /** Something about how the user came back is not as it should be; it stays with the guard. */
  warn(warning: string): void;
}

/** `options.url` as the user's browser gets it: with a fresh token, and the state for a redirect guard (interface 4.2). */
export async function guardPageUrl(
  context: SimulatorContext,
  choices: ChoiceReader,
  user: User,
  { key, module, installed: { app } }: LoginGuard,
  state: string,
): Promise<string> {
  const url = new URL(joinUrl(app.url, module.optionsUrl ?? ""));
  url.searchParams.set("jwtToken", await moduleToken(context, choices, { app, user, module: key }));
  if (module.type === "redirect") url.searchParams.set("state", state);
  return url.href;
}

/** What a running login shows of an interaction. */
export function interactionView(
  { guard, expiresAt }: Interaction,
  limitMs: number,
  troubles: readonly Trouble[],
): LoginView["interaction"] {
  const { module, installed } = guard;
  if (module.type === "direct") throw new TypeError("a direct guard has no interaction");
  const page = joinUrl(installed.app.url, module.optionsUrl ?? "");
  return { module: module.key, type: module.type, page, expiresAt, limitMs, troubles };
}
