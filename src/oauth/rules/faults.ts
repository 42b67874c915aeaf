import { parseDuration } from "../../protocol/duration.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";

const tokenKinds = ["400", "500", "503", "slow", "html", "garbage"] as const;

/** The kinds of faults at each place; `faultAnswer` makes the answer of each. */
export const faultKinds = {
  token: tokenKinds,
  refresh: ["refused", ...tokenKinds],
  api: ["401", "403", "404", "429", "500", "503", "slow", "html", "garbage"],
  consent: ["denied", "server_error", "temporarily_unavailable"],
} as const satisfies Record<string, readonly string[]>;

/**
 * Where the platform can go wrong: `token` is every request to the token endpoint, `refresh` those with the grant
 * type refresh_token only, `api` the REST API, `consent` the answer to an authorization request.
 */
export type FaultPlace = keyof typeof faultKinds;

/** What can go wrong at a place. */
export type FaultKindAt<Place extends FaultPlace> = (typeof faultKinds)[Place][number];

export type FaultKind = FaultKindAt<FaultPlace>;

/** A fault that the platform shows on demand. */
export interface Fault {
  readonly place: FaultPlace;
  /** One of `faultKinds` of the place. */
  readonly kind: FaultKind;
  /** How long the platform waits before it handles the request, in milliseconds; 0 for all kinds but `slow`. */
  readonly delayMs: number;
}

/** A fault, and how often it happens. */
export interface FaultRule extends Fault {
  /** How many requests it affects; null: all. */
  readonly times: number | null;
  /** Above 0, up to 1, which is every time. */
  readonly probability: number;
  /** As it was written. */
  readonly text: string;
}

const places = Object.keys(faultKinds) as FaultPlace[];

const DEFAULT_DELAY_MS = 5000;
// A timer set to more than 24.8 days would fire at once.
const MAX_DELAY_MS = 3_600_000;

/** PLACE, KIND, DURATION, TIMES, PERCENT%. */
const pattern = /^(.*?)=(.*?)(?::(.*?))?(?:x(\d+)|@(.*))?$/s;
const help = "PLACE=KIND[:DURATION], then xTIMES or @PERCENT%, as in token=500x2, api=429@25% or token=slow:3s";

/**
 * Reads `PLACE=KIND[:DURATION][xTIMES|@PERCENT%]`: `token=500`, `token=500x2` (the next two), `api=429@25%`,
 * `token=slow:3s`. Without TIMES and PERCENT the fault happens every time.
 * @throws UsageError `fault-invalid`, which says what is allowed at that place
 */
export function parseFault(text: string): FaultRule {
  const refuse = (what: string, hint: string) =>
    new UsageError("fault-invalid", `fault ${valueText(text)}: ${what}`, hint);
  const [matched, place = "", kind = "", duration, times, share] = pattern.exec(text) ?? [];
  if (matched === undefined) throw refuse("there is no =", help);
  if (!isPlace(place)) {
    throw refuse(`there is no place ${valueText(place)}.${didYouMean(place, places)}`, `places: ${places.join(", ")}`);
  }
  const kinds = faultKinds[place];
  if (!isKindOf(kind, kinds)) {
    throw refuse(
      `there is no kind ${valueText(kind)} at ${place}.${didYouMean(kind, kinds)}`,
      `at ${place}: ${kinds.join(", ")}; ${help}`,
    );
  }
  if (duration !== undefined && kind !== "slow") {
    throw refuse(`only slow takes a duration, not ${kind}`, "leave out the colon and what follows it, or ask for slow");
  }
  const count = times === undefined ? null : Number(times);
  if (count !== null && !(count >= 1 && Number.isSafeInteger(count))) {
    throw refuse(`x${times} is not a number of times`, "a whole number from 1, as in token=500x2");
  }
  const percent = share === undefined ? 100 : readPercent(share);
  if (!(percent > 0 && percent <= 100)) {
    throw refuse(`${valueText(`@${share}`)} is not a percentage`, "more than 0 and at most 100, as in api=429@25%");
  }
  const delayMs = kind === "slow" ? readDelay(duration, refuse) : 0;
  return { place, kind, delayMs, times: count, probability: percent / 100, text };
}

function isPlace(name: string): name is FaultPlace {
  return Object.hasOwn(faultKinds, name);
}

function isKindOf(name: string, kinds: readonly FaultKind[]): name is FaultKind {
  return kinds.some((kind) => kind === name);
}

/** NaN for anything but a number with a percent sign. */
function readPercent(share: string): number {
  return Number(/^(\d+(?:\.\d+)?)%$/.exec(share)?.[1] ?? Number.NaN);
}

function readDelay(duration: string | undefined, refuse: (what: string, hint: string) => UsageError): number {
  if (duration === undefined) return DEFAULT_DELAY_MS;
  const delayMs = readDuration(duration, refuse);
  if (delayMs > 0 && delayMs <= MAX_DELAY_MS) return delayMs;
  throw refuse(`${duration} is not a time to wait`, "more than 0 and at most 1h, as in token=slow:3s");
}

function readDuration(duration: string, refuse: (what: string, hint: string) => UsageError): number {
  try {
    return parseDuration(duration);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw refuse(error.message, error.hint);
  }
}
