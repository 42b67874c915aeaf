import type { TrialCheck } from "../checking/check.ts";
import type { GuardTrial } from "./trial.ts";

export type CallCheck = TrialCheck<GuardTrial>;

/** Roles of requests about somebody who is let in, and about somebody who is not. */
export const LET_IN = "let in";
export const DENIED = "denied";
/** A request about somebody who is not let in, with something changed that must not matter. */
export const TRIED = "tried";

/** Why a check about somebody who is denied cannot be tried. */
export const NOBODY = "nobody was found whom it does not let in: config verify.guards.KEY.denies names somebody";

/** Why nobody may be let in who was not before, whatever else a call says. */
export const bypass =
  "Who calls the guard writes the request, and a login that was refused is tried again. What is no reason to be let in must not become one.";
