import { headerValue } from "../journal/exchange.ts";
import type { AppAnswer, AppGateway, AppResponse, Clock } from "./ports.ts";

/** An app that asks for a longer pause wants nothing more for now. */
const LONGEST_PAUSE_S = 2;
/** How often one request is sent again, at most. */
const MOST_AGAIN = 5;
/** After this many requests that were sent again in vain, the app means something else by its answer. */
const MOST_IN_VAIN = 3;

/**
 * The gateway for an app that may limit how often it is asked: what it answers with 429 or 503, and with a short
 * Retry-After, is sent again after that time (RFC 6585, 4; RFC 9110, 10.2.3 and 15.6.4). Such an answer decides nothing.
 */
export function patientGateway(gateway: AppGateway, clock: Pick<Clock, "pause">): AppGateway {
  let inVain = 0;
  // While one request waits, the others do: they would take what the app has room for.
  let rest = Promise.resolve();
  return {
    async call(call) {
      const postponed: AppAnswer[] = [];
      await rest;
      let answer = await gateway.call(call);
      for (
        let pause = pauseAsked(answer.response);
        pause !== null && inVain < MOST_IN_VAIN;
        pause = pauseAsked(answer.response)
      ) {
        if (postponed.length === MOST_AGAIN) {
          inVain += 1;
          break;
        }
        rest = clock.pause(pause, call.signal);
        await rest;
        if (call.signal?.aborted === true) break;
        postponed.push(answer);
        // Whatever it waited for on the way is over.
        answer = await gateway.call({ ...call, pauses: undefined });
      }
      return postponed.length === 0 ? answer : { ...answer, postponed };
    },
  };
}

/** The milliseconds after which the app asks for the request again; null: it does not, or not soon. */
export function pauseAsked(response: Pick<AppResponse, "status" | "headers"> | null): number | null {
  if (response === null || ![429, 503].includes(response.status)) return null;
  const seconds = headerValue(response.headers, "retry-after") ?? "";
  return /^\d+$/.test(seconds) && Number(seconds) <= LONGEST_PAUSE_S ? Number(seconds) * 1000 : null;
}
