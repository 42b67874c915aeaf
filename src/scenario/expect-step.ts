import type { Clock } from "../app-client/ports.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { isIncoming } from "../journal/purposes.ts";
import { parameterOf, readTokenBody } from "../oauth/rules/oauth-parameters.ts";
import { isMeant, pathOf } from "../platform/exchange-matcher.ts";
import { NothingCameError, type WaitFor } from "../platform/wait-for.ts";
import { parseDuration } from "../protocol/duration.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { type ExpectAction, withinOf } from "./scenario-schema.ts";
import { callIn } from "./scenario-texts.ts";
import { failed, interrupted, passed, type StepOutcome } from "./step-outcome.ts";
import { wantedText } from "./step-text.ts";

/** What an expectation needs from the scenario. */
export interface ExpectationContext {
  readonly waitFor: WaitFor;
  readonly clock: Pick<Clock, "monotonic">;
  /** The app's calls to the platform since the scenario started, oldest first. */
  readonly calls: () => readonly Exchange[];
  /** Ids of the calls before the last step that did something. */
  readonly earlier: ReadonlySet<string>;
  /** Address of the platform. */
  readonly url: string;
}

/** Whether the app, or a browser that it sent, called the platform. */
export function isCallOfApp({ purpose }: Exchange): boolean {
  return isIncoming(purpose) || purpose === "file";
}

/** Waits until the app's calls are as expected, or can no longer be. */
export async function expectCalls(action: ExpectAction, context: ExpectationContext): Promise<StepOutcome> {
  const { clock, earlier, waitFor } = context;
  const within = withinOf(action);
  const { min = 1, max } = action.kind === "no" ? { min: 0, max: 0 } : { ...action.times };
  const found: string[] = [];
  const deadline = clock.monotonic() + parseDuration(within);
  const counts = (exchange: Exchange) =>
    isWanted(exchange, action) && !(action.kind === "no" && earlier.has(exchange.id));
  // One more than the maximum shows that there are too many.
  const enough = max === undefined ? min : max + 1;
  try {
    while (found.length < enough) {
      const timeoutMs = Math.max(0, deadline - clock.monotonic());
      found.push((await waitFor(counts, { timeoutMs })).id);
    }
  } catch (error) {
    if (!(error instanceof NothingCameError)) throw error;
    if (error.why === "interrupted") return { ...interrupted, exchanges: found };
  }
  const wanted = wantedText(action);
  const came = `${wanted} came ${times(found.length)}`;
  if (max !== undefined && found.length > max) {
    const allowed = min === max ? times(max) : `at most ${times(max)}`;
    return failed(max === 0 ? `${wanted} came` : `${came}, not ${allowed}`, null, found);
  }
  if (found.length >= min) return passed(found);
  const reason =
    found.length === 0
      ? `${wanted} did not arrive within ${within}`
      : `${came} within ${within}, not ${max === min ? "" : "at least "}${times(min)}`;
  return failed(reason, hintFor(action, context, found), found);
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

/** The grant type of a token request (interface 5.2, 5.3); null if the body cannot be read. */
function grantTypeOf({ request }: Exchange): string | null {
  const body = readTokenBody(headerValue(request.headers, "content-type"), bodyBytes(request.body), "json-and-form");
  return body.ok ? parameterOf(body.value, "grant_type") : null;
}

/** The probable reason, judging by the calls that the app did make. */
function hintFor(action: ExpectAction, { calls, url }: ExpectationContext, found: readonly string[]): string | null {
  const all = calls();
  if (all.length === 0) return `the app did not call the platform at all: does it know the address ${url}?`;
  const others = all.filter(({ id }) => !found.includes(id));
  const otherwise = others.find((exchange) => isWanted(exchange, action, exchange.response?.status));
  if (otherwise !== undefined) {
    const status = otherwise.response?.status;
    return statusOf(action) === undefined || status === statusOf(action)
      ? "it arrived, but an earlier step has already matched it"
      : `it was answered with ${status}: app-sim log ${otherwise.id} shows why`;
  }
  if (action.kind === "token") return null;
  const made = others.map((exchange) => `${exchange.request.method} ${pathOf(exchange)}`);
  const near = didYouMean(wantedText({ ...action, ...(action.kind === "call" ? { status: undefined } : {}) }), made);
  return near === "" ? null : `the app made a similar call.${near}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
