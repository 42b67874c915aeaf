import { createSecretKey } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { ChoiceReader } from "../../config/choices.ts";
import type { Organization } from "../../config/schema.ts";
import { type SignatureScheme, signatureHeaders, signatureScheme } from "./signature.ts";

/** A delivery as it is sent (interface 2.6). */
export interface DeliveryRequest {
  /** In the order in which they are sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The bytes on the wire, after any content coding. */
  readonly body: Uint8Array;
}

/** Makes signed requests for one module. */
export interface DeliveryMaker {
  readonly scheme: SignatureScheme;
  /**
   * @param json the body before any content coding
   * @param now seconds since the epoch
   * @param id of the delivery, for the header of the choice `webhook.delivery.header`
   */
  make(json: Uint8Array, now: number, id: string): DeliveryRequest;
}

/** The module that receives deliveries, and how they are sent. */
export interface DeliveryParts {
  readonly organization: Organization;
  readonly appSecret: string;
  /** Key of the module. */
  readonly module: string;
  readonly gzip?: boolean;
}

/** The header lines of interface 2.6 and the bytes, signed. */
export function deliveryMaker(
  { organization, appSecret, module, gzip = false }: DeliveryParts,
  choices: ChoiceReader,
): DeliveryMaker {
  const unsigned = unsignedHeaders({ organization, module, gzip }, choices);
  const scheme = signatureScheme(choices);
  const key = createSecretKey(appSecret, "utf8");
  const signsCompressed = gzip && choices.get("webhook.signature.gzip") === "compressed";
  return {
    scheme,
    make(json, now, id) {
      const body = gzip ? gzipSync(json) : json;
      const signed = { body: signsCompressed ? body : json, now, id };
      return { headers: [...unsigned(id), ...signatureHeaders(scheme, key, signed)], body };
    },
  };
}

/** Makes the header lines of interface 2.6 without the signature, given the delivery's id. */
export function unsignedHeaders(
  { organization, module, gzip = false }: Omit<DeliveryParts, "appSecret">,
  choices: ChoiceReader,
): (id: string) => [name: string, value: string][] {
  const names = choices.get("wire.headerPrefix");
  const idHeader = choices.get("webhook.delivery.header");
  const fixed: [string, string][] = [
    ["User-Agent", choices.get("wire.userAgent")],
    ["Content-Type", "application/json"],
    ...(gzip ? [["Content-Encoding", "gzip"] satisfies [string, string]] : []),
    ["Accept-Encoding", "identity"],
    [`${names}Id`, String(organization.id)],
    ...(organization.domain === null ? [] : [[`${names}Domain`, organization.domain] satisfies [string, string]]),
    ["X-Module-Key", module],
  ];
  return (id) => [...fixed, ...(idHeader === "" ? [] : [[idHeader, id] satisfies [string, string]])];
}
