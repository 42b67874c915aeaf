import { apiError, bearerRefusal } from "../../protocol/bearer.ts";
import { parseDuration } from "../../protocol/duration.ts";
import { type FaultPlace, type FaultRequest, faultKinds } from "../../protocol/fault-kinds.ts";
import { didYouMean } from "../../protocol/nearest.ts";
import { valueText } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { jsonAnswer, refusalAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";

type FaultKindAt<Place extends FaultPlace> = (typeof faultKinds)[Place][number];

type FaultKind = FaultKindAt<FaultPlace>;

/** A fault that the platform simulates on demand. */
export interface Fault {
  /** The platform's endpoint where it happens. */
  readonly place: FaultPlace;
  /** One of `faultKinds` of the place. */
  readonly kind: FaultKind;
  /** How long the platform waits before it handles the request, in milliseconds; 0 for all kinds except `slow`. */
  readonly delayMs: number;
}

/** A fault, and how often it happens. */
export interface FaultRule extends Fault {
  /** How many requests it affects; null: all. */
  readonly times: number | null;
  /** Above 0, up to 1 (always). */
  readonly probability: number;
  /** As written. */
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
  const several = text.split(/[\s,;]+/).filter((word) => word !== "");
  if (several.length > 1 && several.every(isFault))
    throw refuse("pass each fault as a separate argument", several.join(" "));
  const [matched, place = "", kind = "", duration, times, share] = pattern.exec(text) ?? [];
  if (matched === undefined) {
    const meant = text.replace(/[:/]/, "=");
    throw refuse("there is no =", isFault(meant) ? meant : help);
  }
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
    throw refuse(`only slow takes a duration, not ${kind}`, "remove the colon and what follows it, or use slow");
  }
  const count = times === undefined ? null : Number(times);
  if (count !== null && !(count >= 1 && Number.isSafeInteger(count))) {
    throw refuse(`x${times} is not a number of times`, "a whole number from 1, as in token=500x2");
  }
  const percent = share === undefined ? 100 : Number(/^(\d+(?:\.\d+)?)%$/.exec(share)?.[1]);
  if (!(percent > 0 && percent <= 100)) {
    throw refuse(`${valueText(`@${share}`)} is not a percentage`, "more than 0 and at most 100, as in api=429@25%");
  }
  const delayMs = kind === "slow" ? readDelay(duration, refuse) : 0;
  return { place, kind, delayMs, times: count, probability: percent / 100, text };
}

/** Whether a text is a fault that `parseFault` reads. */
export function isFault(text: string): boolean {
  try {
    parseFault(text);
    return true;
  } catch {
    return false;
  }
}

const members: readonly string[] = ["place", "kind", "duration", "times", "percent"] satisfies (keyof FaultRequest)[];

/**
 * The text of a fault given as text or as an object.
 * @throws UsageError `fault-invalid` for an object with other members, or with both times and a percentage
 */
export function writtenFault(fault: string | FaultRequest): string {
  if (typeof fault !== "object" || fault === null) return String(fault);
  const refuse = (what: string) =>
    new UsageError("fault-invalid", `fault ${valueText(fault)}: ${what}`, `members: ${members.join(", ")}`);
  const unknown = Object.keys(fault).find((name) => !members.includes(name));
  if (unknown !== undefined) throw refuse(`${valueText(unknown)} is not known.${didYouMean(unknown, members)}`);
  const { place, kind, duration, times, percent } = fault;
  if (times !== undefined && percent !== undefined) throw refuse("times and percent exclude each other");
  const often = times !== undefined ? `x${times}` : percent !== undefined ? `@${percent}%` : "";
  return `${place}=${kind}${duration === undefined ? "" : `:${duration}`}${often}`;
}

function isPlace(name: string): name is FaultPlace {
  return Object.hasOwn(faultKinds, name);
}

function isKindOf(name: string, kinds: readonly FaultKind[]): name is FaultKind {
  return kinds.some((kind) => kind === name);
}

function readDelay(duration: string | undefined, refuse: (what: string, hint: string) => UsageError): number {
  if (duration === undefined) return DEFAULT_DELAY_MS;
  try {
    const delayMs = parseDuration(duration);
    if (delayMs > 0 && delayMs <= MAX_DELAY_MS) return delayMs;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw refuse(error.message, error.hint);
  }
  throw refuse(`${duration} is not a time to wait`, "more than 0 and at most 1h, as in token=slow:3s");
}

/** Makes an answer that contains this explanation. */
type Answer = (why: string) => WireAnswer;

const tokenAnswers: Record<Exclude<FaultKindAt<"token">, "slow">, Answer> = {
  "400": (why) => refusalAnswer({ error: "invalid_request", description: why }),
  // RFC 6749 has these two codes only for redirects; token endpoints of real servers use them too.
  "500": (why) => jsonAnswer(500, { error: "server_error", error_description: why }),
  "503": (why) => jsonAnswer(503, { error: "temporarily_unavailable", error_description: why }),
  html: gatewayPage,
  garbage: () => truncated({ token_type: "bearer", access_token: "", refresh_token: "" }),
};

const answers = {
  token: tokenAnswers,
  refresh: {
    ...tokenAnswers,
    refused: (why) => refusalAnswer({ error: "invalid_grant", description: why }),
  } satisfies Record<Exclude<FaultKindAt<"refresh">, "slow">, Answer>,
  api: {
    "401": (why) => bearerRefusal("invalid_token", why),
    "403": (why) => bearerRefusal("insufficient_scope", why),
    "404": (why) => apiError(404, why),
    "429": (why) => apiError(429, why, { "retry-after": "1" }),
    "500": (why) => apiError(500, why),
    "503": (why) => apiError(503, why),
    html: gatewayPage,
    garbage: () => truncated({ pagination: { offset: 0, limit: 25 }, data: [{ data: { id: 0 } }] }),
  } satisfies Record<Exclude<FaultKindAt<"api">, "slow">, Answer>,
};

/**
 * The answer that replaces handling the request, which then consumes and changes nothing. Each answer except `garbage`
 * says that it was requested, so that nobody looks for the cause elsewhere.
 * @returns null for faults without an answer: `slow` delays the usual one, and `consent` is a redirect (RFC 6749
 * section 4.1.2.1)
 */
export function faultAnswer({ place, kind }: Fault): WireAnswer | null {
  if (place === "consent") return null;
  const byKind: Partial<Record<FaultKind, Answer>> = answers[place];
  return byKind[kind]?.(`app-sim was asked for this fault: ${place}=${kind}`) ?? null;
}

/** The error page of a load balancer. */
function gatewayPage(why: string): WireAnswer {
  const lines = [
    "<html>",
    "<head><title>502 Bad Gateway</title></head>",
    "<body>",
    "<center><h1>502 Bad Gateway</h1></center>",
    `<!-- ${why} -->`,
    "</body>",
    "</html>",
    "",
  ];
  return { status: 502, headers: { "content-type": "text/html" }, body: lines.join("\r\n") };
}

/** A success whose JSON body is truncated. */
function truncated(value: object): WireAnswer {
  const whole = jsonAnswer(200, value);
  return { ...whole, body: whole.body.slice(0, whole.body.length / 2) };
}
