import type { OAuthTools } from "./tools.ts";

/** Milliseconds by which the first of two exchanges is delayed, so that the second overtakes it. */
const OVERTAKEN_MS = 150;

/** Does something while the platform delays its first answer to a token request or a refresh. */
export async function withOvertaking(
  tools: OAuthTools,
  place: "token" | "refresh",
  work: () => Promise<unknown>,
): Promise<void> {
  await tools.withFault(`${place}=slow:${OVERTAKEN_MS}msx1`, async () => void (await work()));
}
