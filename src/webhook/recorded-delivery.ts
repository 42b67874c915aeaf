import { gunzipSync } from "node:zlib";
import type { App } from "../config/schema.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { appAt } from "../platform/app-at.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { LARGEST_WEBHOOK_BYTES } from "../protocol/limits.ts";
import { isHttpUrl } from "../protocol/url.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { changeableSchemas } from "./changeable.ts";
import { attemptOf, deliveryId, requireDelivery } from "./find-delivery.ts";
import type { DeliveryRequest } from "./rules/delivery-request.ts";

/** A delivery from the journal to an installed app. */
export interface RecordedDelivery {
  readonly app: App;
  readonly id: string;
  /** Number of its last attempt. */
  readonly attempts: number;
  /** Key of the module. */
  readonly module: string;
  readonly url: string;
  readonly chunked: boolean;
  readonly gzip: boolean;
  /**
   * As it was sent, without the headers that HTTP itself adds; the body may be truncated: see {@link requireWholeBody}.
   */
  readonly request: DeliveryRequest;
}

/** Headers that HTTP itself adds to each call. */
const ofHttp = ["host", "connection", "content-length", "transfer-encoding"];

/** @throws UsageError for a delivery that cannot be sent again, or did not go to a configured app (hardening S28) */
export function readDelivery(apps: readonly App[], exchange: Exchange): RecordedDelivery {
  const { id, module, request } = requireDelivery(exchange);
  const { url, headers } = request;
  const sent: DeliveryRequest = {
    headers: headers.filter(([name]) => !ofHttp.includes(name.toLowerCase())),
    body: bodyBytes(request.body),
  };
  const app = requireAppAt(apps, id, url);
  if (!isSendable(sent)) {
    throw new UsageError(
      "replay-damaged",
      `exchange ${id} has header lines that cannot have been sent`,
      "was the journal edited by hand? Send a new delivery with `app-sim webhook`",
    );
  }
  return {
    app,
    request: sent,
    id: deliveryId(exchange),
    attempts: attemptOf(exchange),
    module: module ?? "",
    url,
    chunked: headerValue(headers, "transfer-encoding") !== undefined,
    gzip: headerValue(headers, "content-encoding")?.toLowerCase() === "gzip",
  };
}

/** @throws UsageError if the journal kept only the beginning of the body */
export function requireWholeBody({ id, request: { body } }: Exchange): void {
  const kept = bodyBytes(body).length;
  if (kept >= body.size) return;
  throw new UsageError(
    "replay-cut-body",
    `of the ${withCommas(body.size)} bytes of exchange ${id} the journal kept ${withCommas(kept)}`,
    "send a new delivery with `app-sim webhook`, or supply the body with --data",
  );
}

/** The body before compression; null if it cannot be decompressed. */
export function unpacked({ request: { body }, gzip }: RecordedDelivery): Uint8Array | null {
  if (!gzip) return body;
  try {
    return gunzipSync(body, { maxOutputLength: LARGEST_WEBHOOK_BYTES });
  } catch {
    return null;
  }
}

/** @throws UsageError if the body cannot be decompressed */
export function unpackedBody(recorded: RecordedDelivery): Uint8Array {
  const body = unpacked(recorded);
  if (body !== null) return body;
  throw new UsageError(
    "replay-not-gzip",
    `the body of delivery ${recorded.id} is labelled as gzip, but is not`,
    "replay it as it is, or replace the body with --data",
  );
}

/**
 * The configured app to which a delivery went (hardening S28).
 * @param id of the exchange
 * @throws UsageError if it went elsewhere
 */
export function requireAppAt(apps: readonly App[], id: string, url: string): App {
  const app = isHttpUrl(url) ? appAt(apps, url) : null;
  if (app !== null) return app;
  const went = isHttpUrl(url) ? new URL(url).origin : url;
  const where = apps.map((one) => one.url).join(", ");
  throw new UsageError(
    "replay-elsewhere",
    `exchange ${id} went to ${harmlessLine(went)}, but the app is at ${where}: nothing was sent`,
    "only deliveries to a configured app are sent again: name that address with --app, or send a new delivery with `app-sim webhook`",
  );
}

/** Headers that app-sim does not send and that a call cannot have. */
const unsendable = /^(keep-alive|upgrade|expect)$/i;

function isSendable({ headers, body }: DeliveryRequest): boolean {
  return (
    changeableSchemas.delivery.safeParse({ headers, body }).success && !headers.some(([name]) => unsendable.test(name))
  );
}
