import type { OAuthTools } from "./tools.ts";

/** Milliseconds by which the first of two exchanges is held up, so that the second overtakes it. */
const OVERTAKEN_MS = 150;

/** Does something while the platform holds up its first answer to a request for tokens, or for a refresh of them. */
export async function withOvertaking(
  { context: { oauth } }: OAuthTools,
  place: "token" | "refresh",
  work: () => Promise<unknown>,
): Promise<void> {
  oauth.faults.add(`${place}=slow:${OVERTAKEN_MS}msx1`);
  try {
    await work();
  } finally {
    // Where no request used it; those that somebody else asked for are kept.
    const others = oauth.faults.list().filter(({ fault }) => !fault.includes(`slow:${OVERTAKEN_MS}ms`));
    oauth.faults.clear();
    oauth.faults.add(...others.map(({ fault }) => fault));
  }
}
