import type { TrialCheck } from "../checking/check.ts";
import type { GuardTrial } from "./trial.ts";

export type CallCheck = TrialCheck<GuardTrial>;

/** Roles of requests about somebody who is let in, and about somebody who is not. */
export const LET_IN = "let in";
export const DENIED = "denied";
/** A request about somebody who is not let in, with an irrelevant change. */
export const TRIED = "tried";

/** Why a check about somebody who is denied cannot be tried. */
export const NOBODY =
  "nobody was found whom it does not let in: name somebody in verify.guards.KEY.denies of the configuration";

/** Why a denied user stays denied, whatever else a call says. */
export const bypass =
  "The caller of the guard decides what the request contains, and may retry a refused login. An irrelevant change must not let anybody in.";
