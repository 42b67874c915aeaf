import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import type { WebhookResult } from "./webhook-result.ts";

/** The exit code of a run of deliveries, or of a replay. */
export function webhookExitCode({ outcome, failure, deliveries }: WebhookResult): number {
  if (outcome === "acknowledged" || outcome === "refused") return exitCodes.asExpected;
  const failures = deliveries.map(({ asExpected, attempts }) =>
    asExpected ? null : (attempts.at(-1)?.failure ?? null),
  );
  return exitCodeOfFailures([failure, ...failures]);
}
