import { headerValue } from "../journal/exchange.ts";
import type { AppAnswer, AppGateway, AppResponse, Clock } from "./ports.ts";

/** An app that asks for a longer pause wants no more requests for now. */
const LONGEST_PAUSE_S = 2;
/** How often one request is repeated, at most. */
const MAX_REPEATS = 5;
/** After this many futile repetitions, the app's answer means something else. */
const MAX_FUTILE_REPEATS = 3;

/**
 * A gateway for an app that may limit how often it is called: a request answered with 429 or 503 and a short
 * Retry-After is repeated after that time (RFC 6585, 4; RFC 9110, 10.2.3 and 15.6.4). Such an answer decides nothing.
 */
export function retryAfterGateway(gateway: AppGateway, clock: Pick<Clock, "pause">): AppGateway {
  let inVain = 0;
  // While one request waits, the others wait too: they would use up what the app allows.
  let rest = Promise.resolve();
  return {
    async call(call) {
      const postponed: AppAnswer[] = [];
      await rest;
      let answer = await gateway.call(call);
      for (
        let pause = pauseAsked(answer.response);
        pause !== null && inVain < MAX_FUTILE_REPEATS;
        pause = pauseAsked(answer.response)
      ) {
        if (postponed.length === MAX_REPEATS) {
          inVain += 1;
          break;
        }
        rest = clock.pause(pause, call.signal);
        await rest;
        if (call.signal?.aborted === true) break;
        postponed.push(answer);
        // Deliberate pauses are not repeated.
        answer = await gateway.call({ ...call, pauses: undefined });
      }
      return postponed.length === 0 ? answer : { ...answer, postponed };
    },
  };
}

/**
 * How many milliseconds the app asks to wait before the request is repeated; null if it does not ask, or not for soon.
 */
export function pauseAsked(response: Pick<AppResponse, "status" | "headers"> | null): number | null {
  if (response === null || ![429, 503].includes(response.status)) return null;
  const seconds = headerValue(response.headers, "retry-after") ?? "";
  return /^\d+$/.test(seconds) && Number(seconds) <= LONGEST_PAUSE_S ? Number(seconds) * 1000 : null;
}
