import type { ChoiceId } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { Exchange, RecordedCheck } from "../journal/exchange.ts";
import type { Reply } from "./reply.ts";
import type { RequestParts } from "./request-parts.ts";

/** What of an app is verified; the first part of a check's id. */
export const areas = ["manifest", "guard", "page", "import", "webhook", "oauth"] as const;
export type Area = (typeof areas)[number];

/** How a check ended. `inconclusive`: the app did not accept the control, so that the twin says nothing. */
export const results = ["pass", "warn", "fail", "skip", "inconclusive"] as const;
export type Result = (typeof results)[number];

/** What is known of a check before it runs. */
export interface CheckFacts {
  /** Such as `guard.token.alg-none`: area, what is looked at, and what is tried. */
  readonly id: string;
  readonly area: Area;
  /** What a right app does, as a sentence without a full stop. */
  readonly title: string;
  /** The section of the interface, or the RFC, such as `5.1` or `RFC 7519, 4.1.4`. */
  readonly section: string;
  /** `must`: an app that does otherwise fails; `should`: it is warned. */
  readonly severity: "must" | "should";
  /** Why it matters: two sentences. */
  readonly why: string;
  /** How an app is mended: one or two sentences. */
  readonly mend: string;
  /** How one is mended that breaks on what it should refuse, where that is another matter. */
  readonly mendBroken?: string;
  /** Choices on which the verdict rests, because the interface does not show what is right. */
  readonly choices?: readonly ChoiceId[];
  /** Other findings follow from what it finds, so it is told before them. */
  readonly isCause?: boolean;
  /** Takes long, because something has to time out: runs with `--slow` only. */
  readonly isSlow?: boolean;
  /** Sends random requests: runs with `--fuzz` only. */
  readonly isRandom?: boolean;
  /** Loads the app: nothing else runs beside it. */
  readonly needsQuiet?: boolean;
}

/**
 * What a right request is answered: `accepted`, or `asked` where the best that an app says at this point is that the
 * user has to do something first (interface 3.1).
 */
export type ControlKind = "accepted" | "asked";

/** A request of a check, as the journal has it. */
export interface CheckStep {
  /** `twin`, or what else the check calls it. */
  readonly role: string;
  readonly exchange: Exchange;
}

/** All that a verdict rests on. */
export interface Evidence {
  /** Whose secrets must not show. */
  readonly app: App;
  /** What the app answered to the accepted request before, and again after; null: there is none. */
  readonly before: Exchange | null;
  readonly after: Exchange | null;
  /** Whether nothing of other checks was sent between its own requests and the accepted one after them. */
  readonly isAfterNext: boolean;
  /** What the right request of this subject is answered. */
  readonly control: ControlKind;
  /** The requests of the check itself, in the order in which they ended. */
  readonly steps: readonly CheckStep[];
  /** Where a browser ended up that was redirected within the app; else the exchange itself. */
  landing(exchange: Exchange): Exchange;
  /** What an answer of this subject means. */
  read(exchange: Exchange): Reply;
}

export interface Verdict {
  readonly result: Result;
  /** What came, and why that is not right; for a skip, why it was not tried. Null for a pass. */
  readonly reason: string | null;
  /** For a skip: what enables the check, such as lines of configuration; else what mends it, in place of the check's own. */
  readonly hint?: string;
}

/** What a check may do while it runs. */
export interface Trial {
  /** Does what has to come first, and resolves with the request that the app accepts. */
  prepare(): Promise<RequestParts>;
  /** Sends a request, which the journal tags with this role; resolves with the last exchange where it was redirected. */
  send(role: string, request: RequestParts): Promise<Exchange>;
  /** What the answer to a request means. @param control what the right request was answered; null: it is that one */
  read(exchange: Exchange, control: Exchange | null): Reply;
  /** Resolves after so many milliseconds of real time: for what has to expire. */
  pause(milliseconds: number): Promise<void>;
  /** Keys of the other modules of the app. */
  readonly otherModules: readonly string[];
  /** What the journal is to tag exchanges with that are made in another way than by `send`. */
  tag(role: string): RecordedCheck;
}

/** A check with any requests; what it found is judged by its steps alone. */
export interface TrialCheck<Tools = Trial> extends CheckFacts {
  /** A name for what it runs: checks with the same one run it once, and each judges all that was sent. */
  readonly trial?: string;
  /** What it says is right includes that the right request is accepted afterwards. */
  readonly isAboutAfter?: boolean;
  run(tools: Tools): Promise<void>;
  /** A pure function of the evidence; called only where the control was accepted before and after. */
  judge(evidence: Evidence): Verdict;
}

/** A check with one request that differs from the accepted one in a single property. */
export interface TwinCheck extends CheckFacts {
  /** The property, as `changedProperties` names it: `token.claims.exp`, `headers.content-type`, `json.userId`. */
  readonly changes: string;
  /** What a right app does with the twin; `decided`: either, but it answers, and not with a server error. */
  readonly right: "refused" | "accepted" | "decided";
  /** What is served at the address that the twin names, and that a right app does not request; none: it names none. */
  readonly canary?: (twin: RequestParts) => string;
  /**
   * The twin; null where this request has nothing to change.
   * @param app whose secrets a token may be confused with
   * @param canary the address that it names, of a twin that has a canary
   */
  twin(control: RequestParts, app: App, canary: string): RequestParts | null;
}

/** A check that sends nothing of its own: it looks at everything that was sent to its subject. */
export interface ObservationCheck extends CheckFacts {
  /** Whether an exchange shows what the check is about: the first such one is reported; default any. */
  shows?(exchange: Exchange): boolean;
  /** @param app whose secrets must not show */
  observe(exchanges: readonly Exchange[], app: App): Verdict;
}

export type Check<Tools = Trial> = TwinCheck | TrialCheck<Tools> | ObservationCheck;

export function isTwin(check: CheckFacts): check is TwinCheck {
  return "twin" in check;
}

/** What the journal tags the requests of a check with. */
export function recordedId(check: TwinCheck | TrialCheck<never>): string {
  return "trial" in check && check.trial !== undefined ? check.trial : check.id;
}

export function isObservation(check: CheckFacts): check is ObservationCheck {
  return "observe" in check;
}
