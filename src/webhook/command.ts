import path from "node:path";
import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import { exitCodeOfFailures, exitCodes } from "../output/exit-code.ts";
import { fold } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { shellWord } from "../output/shell-word.ts";
import { markOf, rightOnlyLine, strictLine, triedByLine } from "../output/text.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { WebhookFlags, WebhookMethods } from "./action.ts";
import { nobodyGets } from "./choose-modules.ts";
import { readData } from "./event-payloads.ts";
import { offerDiagnosis } from "./offer-diagnosis.ts";
import { refusedSignatures } from "./signature-text.ts";
import type { EventOptions, WebhookOptions } from "./webhook-options.ts";
import type { WebhookResult } from "./webhook-result.ts";
import { webhookText } from "./webhook-text.ts";

/** `app-sim webhook EVENT…` */
export async function webhookCommand(
  call: CommandCall<PlatformFace & WebhookMethods, WebhookFlags, WebhookOptions>,
): Promise<number> {
  const { invocation, args, flags } = call;
  const options = await withPayload(invocation, call.options);
  const isUnnamed = args.length === 0 && options.data === undefined;
  if (flags.explain !== undefined) {
    const { explainCommand } = await import("./explain-command.ts");
    // Every event is signed the same way.
    const names = isUnnamed ? ["project.translated"] : args;
    return explainCommand(call, names, options, flags.explain === true ? null : flags.explain);
  }
  if (isUnnamed) {
    throw new UsageError(
      "event-missing",
      "no event is named",
      "for example app-sim webhook project.translated; `app-sim manifest` shows the events of the app's webhooks",
    );
  }
  let deliver: (options: WebhookOptions) => Promise<WebhookResult>;
  const run = (simulator: WebhookMethods) => {
    deliver = (given) => simulator.webhook(args, given);
    return deliver(options);
  };
  return call.onSimulator(run, {
    text: (result, exchanges, simulator) => [
      ...webhookText(result, exchanges, invocation.paint, {
        signatures: refusedSignatures(simulator, result),
        isByChance: options.data !== undefined || disturbances.some((name) => options[name] !== undefined),
      }),
      ...unsentLines(unsentIn(result, args), invocation.paint),
      ...strictLine(isFailedBy(result, flags), invocation.paint),
      ...(result.outcome === "acknowledged"
        ? rightOnlyLine(`webhook ${tamperWords(args, unsentIn(result, args))} --tamper all`, invocation)
        : []),
      ...(result.outcome === "refused"
        ? triedByLine("To try more forgeries, such as half a signature:", "verify --only webhook", invocation)
        : []),
    ],
    exitCode: (result) => (isFailedBy(result, flags) ? exitCodes.failed : webhookExitCode(result)),
    afterwards: (result) => offerDiagnosis(invocation, options, result, deliver),
  });
}

/** The events as given, without those that were not sent. */
function tamperWords(events: readonly string[], unsent: readonly string[]): string {
  const sent = events.filter((event) => !unsent.includes(event));
  return sent.length === 0 ? "EVENT" : sent.map((event) => harmlessLine(shellWord(event))).join(" ");
}

/** The events of a run that no module received, although others were sent. */
function unsentIn({ warnings }: WebhookResult, events: readonly string[]): string[] {
  return events.filter((event) => warnings.some((warning) => warning.startsWith(`${nobodyGets(event)}: `)));
}

/** Shown last, where the report sums up what was sent. */
function unsentLines(events: readonly string[], paint: Paint): string[] {
  return events.flatMap((event) =>
    fold(`${markOf("warned", paint)} ${harmlessLine(event)} was not sent: no webhook module gets it`, paint.width, 2),
  );
}

/** Whether a warning is the only reason for the run to fail. */
function isFailedBy(result: WebhookResult, { strict = false }: WebhookFlags): boolean {
  return strict && result.warnings.length > 0 && webhookExitCode(result) === exitCodes.asExpected;
}

/** Options that involve randomness. */
const disturbances = ["duplicate", "drop", "shuffle", "delay", "tamper", "seed"] as const;

/** The exit code of a run of deliveries, or of a replay. */
export function webhookExitCode({ outcome, failure, deliveries }: WebhookResult): number {
  if (outcome === "acknowledged" || outcome === "refused") return exitCodes.asExpected;
  const unexpected = deliveries.filter(({ asExpected }) => !asExpected);
  return exitCodeOfFailures([failure, ...unexpected.map(({ attempts }) => attempts.at(-1)?.failure ?? null)]);
}

/** Reads the payload that `--data` names; files of events are looked up in the working directory. */
export async function withPayload<Options extends EventOptions>(
  invocation: Invocation,
  options: Options,
): Promise<Options> {
  const fixtures = path.resolve(invocation.cwd, "fixtures/events");
  if (options.data === undefined) return { ...options, fixtures };
  return { ...options, fixtures, data: await readData(invocation, String(options.data)) };
}
