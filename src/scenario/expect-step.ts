import type { Clock } from "../app-client/ports.ts";
import { type Exchange, headerValue, isIncoming } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { parameterOf, readTokenBody } from "../oauth/rules/oauth-parameters.ts";
import { isMeant, pathOf } from "../platform/exchange-matcher.ts";
import { NothingCameError, type WaitFor } from "../platform/wait-for.ts";
import { parseDuration } from "../protocol/duration.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { type ExpectAction, withinOf } from "./scenario-schema.ts";
import { callIn } from "./scenario-texts.ts";
import { failed, interrupted, passed, type StepOutcome } from "./step-outcome.ts";
import { wantedText } from "./step-text.ts";

/** What an expectation looks at. */
export interface Seen {
  readonly waitFor: WaitFor;
  readonly clock: Pick<Clock, "monotonic">;
  /** The app's calls to the platform since the scenario began, oldest first. */
  readonly calls: () => readonly Exchange[];
  /** Ids of those before the last step that did something. */
  readonly earlier: ReadonlySet<string>;
  /** Address of the platform. */
  readonly url: string;
}

/** Whether it was the app, or a browser that it sent, that called the platform. */
export function isCallOfApp({ purpose }: Exchange): boolean {
  return isIncoming(purpose) || purpose === "file";
}

/** Waits until the app's calls are as expected, or cannot be any more. */
export async function expectCalls(action: ExpectAction, seen: Seen): Promise<StepOutcome> {
  const within = withinOf(action);
  const { min, max } = bounds(action);
  const came: string[] = [];
  const deadline = seen.clock.monotonic() + parseDuration(within);
  const counts = (exchange: Exchange) =>
    isWanted(exchange, action) && !(action.kind === "no" && seen.earlier.has(exchange.id));
  // One more than the largest number shows that there are too many.
  const enough = max === undefined ? min : max + 1;
  try {
    while (came.length < enough) {
      const timeoutMs = Math.max(0, deadline - seen.clock.monotonic());
      came.push((await seen.waitFor(counts, { timeoutMs })).id);
    }
  } catch (error) {
    if (!(error instanceof NothingCameError)) throw error;
    if (error.why === "interrupted") return { ...interrupted, exchanges: came };
  }
  const wanted = wantedText(action);
  if (max !== undefined && came.length > max) {
    const reason = max === 0 ? `${wanted} came` : `${wanted} came ${times(came.length)}, not ${upTo(min, max)}`;
    return failed(reason, null, came);
  }
  if (came.length >= min) return passed(came);
  const reason =
    came.length === 0
      ? `${wanted} did not come within ${within}`
      : `${wanted} came ${times(came.length)} within ${within}, not ${max === min ? "" : "at least "}${times(min)}`;
  return failed(reason, hintFor(action, seen, came), came);
}

function bounds(action: ExpectAction): { readonly min: number; readonly max: number | undefined } {
  if (action.kind === "no") return { min: 0, max: 0 };
  return { min: action.times?.min ?? 1, max: action.times?.max };
}

function isWanted(exchange: Exchange, action: ExpectAction, status = statusOf(action)): boolean {
  if (!isCallOfApp(exchange)) return false;
  if (status !== undefined && exchange.response?.status !== status) return false;
  if (action.kind === "token") return exchange.purpose === "token" && grantTypeOf(exchange) === action.token;
  const { method, path } = callIn(action.kind === "call" ? action.call : action.no);
  return isMeant(exchange, { path, ...(method === undefined ? {} : { method }) });
}

function statusOf(action: ExpectAction): number | undefined {
  return action.kind === "no" ? undefined : action.status;
}

/** What a request for tokens asks for (interface 5.2, 5.3); null where that cannot be read. */
function grantTypeOf({ request }: Exchange): string | null {
  const body = readTokenBody(headerValue(request.headers, "content-type"), bodyBytes(request.body), "json-and-form");
  return body.ok ? parameterOf(body.value, "grant_type") : null;
}

/** Why it did not come, as far as the calls that did come tell. */
function hintFor(action: ExpectAction, { calls, url }: Seen, came: readonly string[]): string | null {
  const all = calls();
  if (all.length === 0) return `the app called nothing of the platform: does it know the address ${url}?`;
  const others = all.filter(({ id }) => !came.includes(id));
  const otherwise = others.find((exchange) => isWanted(exchange, action, exchange.response?.status));
  if (otherwise !== undefined) {
    const status = otherwise.response?.status;
    return statusOf(action) === undefined || status === statusOf(action)
      ? "it came before, but an earlier step has matched it"
      : `it was answered with ${status}: app-sim log ${otherwise.id} shows why`;
  }
  if (action.kind === "token") return null;
  const made = others.map((exchange) => `${exchange.request.method} ${pathOf(exchange)}`);
  const near = didYouMean(wantedText({ ...action, ...(action.kind === "call" ? { status: undefined } : {}) }), made);
  return near === "" ? null : `the app called something like it.${near}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function upTo(min: number, max: number): string {
  return min === max ? times(max) : `at most ${times(max)}`;
}
