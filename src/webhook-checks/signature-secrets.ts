import { createSecretKey } from "node:crypto";
import type { TwinCheck } from "../checking/check.ts";
import { type RequestParts, type SignatureParts, withSignature } from "../checking/request-parts.ts";
import { strangersSecret } from "../checking/token-twin.ts";
import type { App } from "../config/schema.ts";
import { headerValue } from "../journal/exchange.ts";

export const forgedDelivery =
  "Anybody who knows the address can send such a delivery. The app then acts on events that never happened.";
export const verifyDelivery =
  "Compute the HMAC-SHA256 of the raw body with the app secret, and answer 401 unless the header carries exactly that.";

export const refuseCalmly =
  "Answer 401 to a signature that is missing or wrong, before anything throws. In Node, timingSafeEqual throws because lengths differ, so compare these first, and Buffer.from where the header is missing.";

type Twin = Pick<TwinCheck, "id" | "title"> & Partial<Omit<TwinCheck, "id" | "title" | "twin" | "right">>;

/** A twin that has another signature. */
export function signatureTwin(
  facts: Twin,
  change: (signature: SignatureParts, request: RequestParts, app: App) => Partial<SignatureParts> | null,
): TwinCheck {
  return {
    area: "webhook",
    section: "5.1",
    severity: "must",
    why: forgedDelivery,
    mend: verifyDelivery,
    mendBroken: refuseCalmly,
    changes: "signature",
    ...facts,
    right: "refused",
    twin: (request, app) => withSignature(request, (signature) => change(signature, request, app)),
  };
}

/** Signs with another secret. */
export const withKey = (secret: string) => (): Partial<SignatureParts> => ({ key: createSecretKey(secret, "utf8") });

/** Deliveries that something else than the app secret signed. */
export const secretTwins: readonly TwinCheck[] = [
  signatureTwin(
    { id: "webhook.signature.other-secret", title: "The app refuses a delivery that another secret signed" },
    withKey(strangersSecret),
  ),
  signatureTwin(
    {
      id: "webhook.signature.empty-secret",
      title: "The app refuses a delivery that an empty secret signed",
      why: "Where a setting is missing, code often goes on with an empty text. Anybody can sign with that.",
      mend: "Let the app refuse to start without the secret that it was issued, and have no default for it.",
    },
    withKey(""),
  ),
  signatureTwin(
    {
      id: "webhook.signature.weak-secret",
      title: 'The app refuses a delivery that the word "secret" signed',
      why: "A default that stayed in the code is the first thing that is tried. Whoever knows it can send any event.",
      mend: "Let the app refuse to start without the secret that it was issued, and have no default for it.",
    },
    withKey("secret"),
  ),
  signatureTwin(
    {
      id: "webhook.signature.client-secret",
      title: "The app refuses a delivery that its client secret signed",
      why: "The two secrets of an app are for different things, and may be known to different people. Each opens one door.",
      mend: "Verify deliveries with the app secret alone, and try no other.",
    },
    (_, __, { appSecret, clientSecret }) => (appSecret === clientSecret ? null : withKey(clientSecret)()),
  ),
  signatureTwin(
    {
      id: "webhook.signature.client-id",
      title: "The app refuses a delivery that its client id signed",
      why: "Everybody can know the client id: it stands in addresses. As a key, it lets anybody send any event.",
    },
    (_, __, { clientId }) => withKey(clientId)(),
  ),
  signatureTwin(
    {
      id: "webhook.signature.module-as-secret",
      title: "The app refuses a delivery that the key of its module signed",
      why: "The key of a module is no secret: every delivery names it. Whoever has seen one could sign any event.",
    },
    (_, { headers }) => withKey(headerValue(headers, "x-module-key") ?? "")(),
  ),
];
