import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import type { Exchange } from "../journal/exchange.ts";
import { notFound, readOwnJournal } from "../journal/read-journal.ts";
import type { JournalRecord } from "../journal/record.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { ReplayFlags, WebhookMethods } from "./action.ts";
import { webhookExitCode } from "./command.ts";
import { editBody } from "./edit-body.ts";
import { readData } from "./event-payloads.ts";
import { findDelivery } from "./find-delivery.ts";
import { readDelivery, requireWholeBody, unpackedBody } from "./recorded-delivery.ts";
import { refusedSignatures } from "./signature-text.ts";
import type { ReplayOptions } from "./webhook-options.ts";
import { webhookText } from "./webhook-text.ts";

/** `app-sim replay ID` */
export async function replayCommand({
  invocation,
  args: [id = ""],
  flags,
  options,
  onSimulator,
}: CommandCall<PlatformFace & WebhookMethods, ReplayFlags, ReplayOptions>): Promise<number> {
  return onSimulator(
    async (simulator, { loaded }) => {
      const records = await (await readOwnJournal(loaded)).records(invocation.signal);
      const exchange = findDelivery(records, id) ?? throwNotFound(id, records);
      const recorded = readDelivery(loaded.config.apps, exchange);
      const body = await otherBody(invocation, exchange, () => unpackedBody(recorded), flags);
      return simulator.replay(exchange, body === undefined ? options : { ...options, body });
    },
    {
      text: (result, exchanges, simulator) =>
        webhookText(result, exchanges, invocation.paint, { signatures: refusedSignatures(simulator, result) }),
      exitCode: webhookExitCode,
    },
  );
}

function throwNotFound(id: string, records: readonly JournalRecord[]): never {
  if (id !== "last") {
    throw notFound(
      id,
      records.map((record) => record.id),
    );
  }
  throw new UsageError("unknown-id", "the journal has no delivery", "`app-sim webhook project.translated` sends one");
}

/** The replacement for the body, which needs a new signature; undefined if there is none. */
async function otherBody(
  invocation: Invocation,
  exchange: Exchange,
  body: () => Uint8Array,
  { edit = false, data }: ReplayFlags,
): Promise<Uint8Array | undefined> {
  if (data !== undefined) return Buffer.from(JSON.stringify(await readData(invocation, data)));
  if (!edit) return undefined;
  requireWholeBody(exchange);
  return editBody(invocation, body());
}
