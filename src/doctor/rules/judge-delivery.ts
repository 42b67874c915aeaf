import type { CallResult } from "../../app-client/call-app.ts";
import type { Explanation } from "../../app-client/explain-outcome.ts";
import { shellWord } from "../../output/shell-word.ts";
import type { WebhookModule } from "../../platform/manifest.ts";
import type { Diagnosis } from "../doctor-result.ts";

/** What two deliveries show; whether the app refused the correct one as not authentic. */
export type TriedDelivery = Omit<Diagnosis, "check"> & {
  readonly isRefused: boolean;
};

type Webhook = Pick<WebhookModule, "key" | "events">;

/** A signed delivery without events that the app did not acknowledge. */
export function judgeRefused(module: Webhook, status: number, { reason, hint }: Explanation): TriedDelivery {
  const isRefused = status === 401 || status === 403;
  if (!isRefused && status !== 404 && status !== 405)
    return untried(module, `webhook ${module.key} answered ${status} to a signed delivery without events`);
  const failure = undelivered(module, { reason, hint });
  if (!isRefused) return failure;
  const diagnose = `\`${command(module)} --diagnose\` finds out what it accepts instead`;
  return { ...failure, hint: [hint, diagnose].filter((text) => text !== null).join(" "), isRefused };
}

/** What the app did with a forged delivery, after it accepted a correct one. */
export function judgeForged(module: Webhook, forged: CallResult): TriedDelivery {
  const accepts = `webhook ${module.key} accepts a signed delivery`;
  const status = forged.ok ? forged.answer.status : null;
  if (status !== null && status >= 400 && status < 500)
    return { result: "passed", message: `${accepts}, and refuses a forged one`, hint: null, isRefused: false };
  const isAccepted = status !== null && status >= 200 && status < 300;
  const what = status === null ? "gave no answer" : `answered ${status}`;
  return {
    result: "warned",
    message: isAccepted ? `${accepts}, but a forged one as well` : `${accepts}, but ${what} to a forged one`,
    hint: isAccepted ? `does it check the signature? Try ${command(module)} --tamper all` : "answer it with 401",
    isRefused: false,
  };
}

/** What the app did with correctly signed, reformatted JSON, after it told a correct delivery from a forged one. */
export function judgeReformatted(module: Webhook, passed: TriedDelivery, reformatted: CallResult): TriedDelivery {
  const status = reformatted.ok ? reformatted.answer.status : null;
  if (status !== 401 && status !== 403) return passed;
  return {
    result: "warned",
    message: `webhook ${module.key} accepts a signed delivery, but not the same JSON reformatted: it hashes JSON that it parsed and serialized again`,
    hint: "hash the raw body, before anything parses it",
    isRefused: false,
  };
}

/** A signed delivery that failed. */
export function undelivered({ key }: Webhook, { reason, hint }: Explanation): TriedDelivery {
  return { result: "failed", message: `a signed delivery to webhook ${key} failed: ${reason}`, hint, isRefused: false };
}

/** Nothing was found out. */
export function untried(module: Webhook, message: string): TriedDelivery {
  return { result: "skipped", message, hint: `try it with: ${command(module)} --tamper all`, isRefused: false };
}

function command({ events }: Webhook): string {
  return `app-sim webhook ${shellWord(events[0] ?? "EVENT")}`;
}
