import type { GuardType } from "../../platform/manifest.ts";
import type { PageOption } from "../login/login-options.ts";
import type { LoginRow } from "../rules/login-table.ts";
import type { RowEvidence } from "./explore-result.ts";

/** How an interaction is to end (interface 3.1): with the page's error, with a code that is refused, or with one that passes. */
export type Aim = "error" | "refusal" | "passage";

/** What is done at the page of a guard. */
export interface PlannedVisit {
  readonly aim: Aim;
  readonly play: NonNullable<RowEvidence["page"]>;
  readonly page: PageOption;
  /** The same in words, as the beginning of a sentence. */
  readonly what: string;
}

/** The error that is sent to the app in the user's place. */
const PAGE_ERROR = "app-sim explores: the user did not complete this page";

/**
 * What is done at the page of a guard, in an order that spoils as little as possible: an app may remember for a
 * while that somebody passed, so this comes last.
 * @param page how the app's own page is walked to a code; default for redirect: its form as it is
 */
export function visitsOf(type: GuardType, page: PageOption | undefined, madeUpCode: string): PlannedVisit[] {
  if (type === "direct") return [];
  const passage = passageOf(type, page);
  return [
    { aim: "error", play: "error", page: { error: PAGE_ERROR }, what: "an error from its page" },
    { aim: "refusal", play: "made-up-code", page: { code: madeUpCode }, what: "a made-up code" },
    ...(passage === null ? [] : [passage]),
  ];
}

/** A page in a frame reports by script, so that filling in its form leads nowhere. */
function passageOf(type: "redirect" | "frame", page: PageOption | undefined): PlannedVisit | null {
  const aim = "passage";
  if (page !== undefined && page !== "wait") {
    if ("browser" in page) return { aim, play: "browser", page, what: "its page in a browser" };
    if ("code" in page) return { aim, play: "code", page, what: "the given code" };
    if ("fill" in page && type === "redirect") return { aim, play: "form", page, what: "the form of its page" };
  }
  if (type === "frame") return null;
  return { aim, play: "form", page: { fill: {} }, what: "the form of its page as it is" };
}

/** What has to be done to take a row of those after the first call. */
export function aimOf({ state, next }: LoginRow): Aim {
  if (state === "awaiting user") return next === "access denied" ? "error" : "refusal";
  return next === "access denied" ? "refusal" : "passage";
}
