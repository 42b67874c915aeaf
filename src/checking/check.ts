import type { ChoiceId } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { Exchange, RecordedCheck } from "../journal/exchange.ts";
import type { Reply } from "./reply.ts";
import type { RequestParts } from "./request-parts.ts";

/** The verified area of an app; the first part of a check's id. */
export const areas = ["manifest", "guard", "page", "import", "webhook", "oauth"] as const;
export type Area = (typeof areas)[number];

/** The result of a check. `inconclusive`: the app did not accept the control, so the twin proves nothing. */
export const results = ["pass", "warn", "fail", "skip", "inconclusive"] as const;
export type Result = (typeof results)[number];

/** What is known about a check before it runs. */
export interface CheckFacts {
  /** Such as `guard.token.alg-none`: area, what is checked, and what is tried. */
  readonly id: string;
  readonly area: Area;
  /** What a correct app does, as a sentence without a full stop. */
  readonly title: string;
  /** The section of the interface, or the RFC, such as `5.1` or `RFC 7519, 4.1.4`. */
  readonly section: string;
  /** `must`: an app that does not comply fails; `should`: it gets a warning. */
  readonly severity: "must" | "should";
  /** Why it matters: two sentences. */
  readonly why: string;
  /** How to fix an app: one or two sentences. */
  readonly fix: string;
  /** How to fix an app that breaks on a request that it should refuse, if that differs. */
  readonly fixIfBroken?: string;
  /** Choices that the verdict relies on, because the interface does not show what is right. */
  readonly choices?: readonly ChoiceId[];
  /** Its findings cause others, so they are reported first. */
  readonly isCause?: boolean;
  /** Runs only with `--slow`. */
  readonly isSlow?: boolean;
  /** Why, as a sentence without a full stop; default: it waits for a time limit. */
  readonly whySlow?: string;
  /** Sends random requests: runs only with `--fuzz`. */
  readonly isRandom?: boolean;
  /** Sends wrong passwords, after which some apps refuse their user: it runs after the other checks of its subject. */
  readonly mayLockOut?: boolean;
  /** Loads the app: nothing else runs at the same time. */
  readonly needsQuiet?: boolean;
}

/**
 * The answer to a correct request: `accepted`, or `asked` if the best possible answer at this point is that the user
 * must do something first (interface 3.1).
 */
export type ControlKind = "accepted" | "asked";

/** A request of a check, as the journal has it. */
export interface CheckStep {
  /** `twin`, or another name given by the check. */
  readonly role: string;
  readonly exchange: Exchange;
}

/** Everything that a verdict depends on. */
export interface Evidence {
  /** The app whose secrets are redacted. */
  readonly app: App;
  /** The app's answer to the accepted request before, and again after; null: there is none. */
  readonly before: Exchange | null;
  readonly after: Exchange | null;
  /** Whether no other check's request was sent between its own requests and the accepted one after them. */
  readonly isAfterNext: boolean;
  /** The answer to this subject's correct request. */
  readonly control: ControlKind;
  /** The check's own requests, in the order in which they ended. */
  readonly steps: readonly CheckStep[];
  /** Where a browser ended up after redirects within the app; else the exchange itself. */
  landing(exchange: Exchange): Exchange;
  /** What an answer of this subject means. */
  read(exchange: Exchange): Reply;
}

export interface Verdict {
  readonly result: Result;
  /** What happened, and why that is wrong; for a skip, why it was not tried. Null for a pass. */
  readonly reason: string | null;
  /** For a skip: how to enable the check, such as lines of configuration; else a fix that replaces the check's own. */
  readonly hint?: string;
}

/** What a check may do while it runs. */
export interface Trial {
  /** Performs the steps before, and resolves with the request that the app accepts. */
  prepare(): Promise<RequestParts>;
  /** Sends a request, which the journal tags with this role; resolves with the last exchange if it was redirected. */
  send(role: string, request: RequestParts): Promise<Exchange>;
  /**
   * The meaning of the answer to a request. @param control the answer to the correct request; null: this is that answer
   */
  read(exchange: Exchange, control: Exchange | null): Reply;
  /** Resolves after this many milliseconds of real time, for something to expire. */
  pause(milliseconds: number): Promise<void>;
  /** Keys of the other modules of the app. */
  readonly otherModules: readonly string[];
  /** The journal's tag for exchanges that are not made by `send`. */
  tag(role: string): RecordedCheck;
}

/** A check with arbitrary requests; its verdict depends only on these. */
export interface TrialCheck<Tools = Trial> extends CheckFacts {
  /** A name for its requests: checks with the same name send them once, and each judges all of them. */
  readonly trial?: string;
  /** A pass requires that the correct request is accepted afterwards. */
  readonly isAboutAfter?: boolean;
  run(tools: Tools): Promise<void>;
  /** A pure function of the evidence; called only if the control was accepted before and after. */
  judge(evidence: Evidence): Verdict;
}

/** A check with one request that differs from the accepted one in a single property. */
export interface TwinCheck extends CheckFacts {
  /** The property, as `changedProperties` names it: `token.claims.exp`, `headers.content-type`, `json.userId`. */
  readonly changes: string;
  /** What a correct app does with the twin; `decided`: either, as long as it answers without a server error. */
  readonly right: "refused" | "accepted" | "decided";
  /** The file at the address that the twin names, which a correct app does not request; absent: it names none. */
  readonly canary?: (twin: RequestParts) => string;
  /**
   * The twin; null if this request has nothing to change.
   * @param app whose secrets a token may be confused with
   * @param canary the address that it names, if the twin has a canary
   */
  twin(control: RequestParts, app: App, canary: string): RequestParts | null;
}

/** A check without its own requests: it looks at everything that was sent to its subject. */
export interface ObservationCheck extends CheckFacts {
  /** Whether an exchange shows the finding: the first one is reported; default any. */
  shows?(exchange: Exchange): boolean;
  /** @param app whose secrets are redacted */
  observe(exchanges: readonly Exchange[], app: App): Verdict;
}

export type Check<Tools = Trial> = TwinCheck | TrialCheck<Tools> | ObservationCheck;

export function isTwin(check: CheckFacts): check is TwinCheck {
  return "twin" in check;
}

/** The journal's tag for the requests of a check. */
export function recordedId(check: TwinCheck | TrialCheck<never>): string {
  return "trial" in check && check.trial !== undefined ? check.trial : check.id;
}

export function isObservation(check: CheckFacts): check is ObservationCheck {
  return "observe" in check;
}

/** Whether a pass requires that the correct request is accepted afterwards. */
export function isAboutAfter(check: CheckFacts): check is TwinCheck | TrialCheck<never> {
  return "isAboutAfter" in check && check.isAboutAfter === true;
}
