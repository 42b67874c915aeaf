import type { AppAnswer, AppCall, AppGateway } from "./ports.ts";

/** A body of this many bytes may keep an app busy for some time. */
const LARGE_BYTES = 1024 * 1024;

/**
 * A gateway for many calls at the same time to an app that may handle one after another: while it takes a large body, no
 * other call is made to it, which would run out of time behind that one.
 */
export function largeAloneGateway(gateway: AppGateway): AppGateway {
  const origins = new Map<string, CallsUnderWay>();
  return {
    async call(call) {
      const { origin } = new URL(call.url);
      const underWay = origins.get(origin) ?? { large: new Set(), small: new Set() };
      origins.set(origin, underWay);
      const isLarge = call.body.length >= LARGE_BYTES;
      if (!isLarge) while (underWay.large.size > 0) await Promise.allSettled(underWay.large);
      const answer = isLarge ? callAfter(underWay.small, gateway, call) : gateway.call(call);
      const own = isLarge ? underWay.large : underWay.small;
      own.add(answer);
      try {
        return await answer;
      } finally {
        own.delete(answer);
      }
    },
  };
}

async function callAfter(others: Iterable<Promise<AppAnswer>>, gateway: AppGateway, call: AppCall): Promise<AppAnswer> {
  await Promise.allSettled(others);
  return gateway.call(call);
}

/** Calls to one app. Several large ones may be under way at once: that may be what is tested. */
interface CallsUnderWay {
  /** Those that wait for small ones to end, too. */
  readonly large: Set<Promise<AppAnswer>>;
  readonly small: Set<Promise<AppAnswer>>;
}
