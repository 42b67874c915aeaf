import type { AppAnswer, AppGateway } from "./ports.ts";

/**
 * A gateway for many calls to an app on a machine that may be very busy: a call that runs out of time before it is
 * connected is made once more, if the app has answered before. Nothing was sent, so it says nothing of the app.
 */
export function reconnectingGateway(gateway: AppGateway): AppGateway {
  const answered = new Set<string>();
  return {
    async call(call) {
      const { origin } = new URL(call.url);
      const answer = await gateway.call(call);
      if (answer.response !== null) answered.add(origin);
      if (!isUnsent(answer) || !answered.has(origin)) return answer;
      return { ...(await gateway.call(call)), postponed: [answer] };
    },
  };
}

function isUnsent(answer: AppAnswer): boolean {
  return !answer.ok && answer.outcome.kind === "timed-out" && answer.outcome.phase === "connect";
}
