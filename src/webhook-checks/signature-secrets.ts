import { createSecretKey } from "node:crypto";
import type { TwinCheck } from "../checking/check.ts";
import { type RequestParts, type SignatureParts, withSignature } from "../checking/request-parts.ts";
import { strangersSecret } from "../checking/token-twin.ts";
import type { App } from "../config/schema.ts";
import { recipientLine } from "./recipient.ts";

export const forgedDelivery =
  "Anybody who knows the address can send such a delivery. The app then acts on events that never happened.";
export const verifyDelivery =
  "Compute the HMAC-SHA256 of the raw body with the app secret, and answer 401 unless the header is exactly that.";

export const refuseCalmly =
  "Answer 401 to a missing or wrong signature before anything throws. In Node, timingSafeEqual throws if the lengths differ, so compare these first, and Buffer.from throws if the header is missing.";

type Twin = Pick<TwinCheck, "id" | "title"> & Partial<Omit<TwinCheck, "id" | "title" | "twin" | "right">>;

/** A twin with another signature. */
export function signatureTwin(
  facts: Twin,
  change: (signature: SignatureParts, request: RequestParts, app: App) => Partial<SignatureParts> | null,
): TwinCheck {
  return {
    area: "webhook",
    section: "5.1",
    severity: "must",
    why: forgedDelivery,
    fix: verifyDelivery,
    fixIfBroken: refuseCalmly,
    changes: "signature",
    ...facts,
    right: "refused",
    twin: (request, app) => withSignature(request, (signature) => change(signature, request, app)),
  };
}

/** Signs with another secret. */
export const withKey = (secret: string) => (): Partial<SignatureParts> => ({ key: createSecretKey(secret, "utf8") });

/** Signs with a word; null: it is the app's own secret. */
export const withWordAsKey =
  (word: string) =>
  ({ key }: SignatureParts): Partial<SignatureParts> | null => {
    const other = createSecretKey(word, "utf8");
    return key.equals(other) ? null : { key: other };
  };

/** Signs with what a header says of the recipient; null: there is no such header. */
const withRecipientAsKey = (end: "-id" | "-domain" | "-module-key") => (_: SignatureParts, request: RequestParts) => {
  const [, value] = recipientLine(request, end) ?? [];
  return value === undefined ? null : withKey(value)();
};

/** Deliveries signed with something other than the app secret. */
export const secretTwins: readonly TwinCheck[] = [
  signatureTwin(
    { id: "webhook.signature.other-secret", title: "The app refuses a delivery signed with another secret" },
    withKey(strangersSecret),
  ),
  signatureTwin(
    {
      id: "webhook.signature.empty-secret",
      title: "The app refuses a delivery signed with an empty secret",
      why: "If a setting is missing, code often continues with an empty string. Anybody can sign with that.",
      fix: "Let the app refuse to start without its issued secret, and have no default for it.",
    },
    withKey(""),
  ),
  signatureTwin(
    {
      id: "webhook.signature.weak-secret",
      title: 'The app refuses a delivery signed with the word "secret"',
      why: "A default that was left in the code is the first thing that attackers try. Anybody who knows it can send any event.",
      fix: "Let the app refuse to start without its issued secret, and have no default for it.",
    },
    withKey("secret"),
  ),
  signatureTwin(
    {
      id: "webhook.signature.client-secret",
      title: "The app refuses a delivery signed with its client secret",
      why: "The two secrets of an app have different purposes, and different people may know them. Each must open only one door.",
      fix: "Verify deliveries only with the app secret, and try no other.",
    },
    (_, __, { appSecret, clientSecret }) => (appSecret === clientSecret ? null : withKey(clientSecret)()),
  ),
  signatureTwin(
    {
      id: "webhook.signature.client-id",
      title: "The app refuses a delivery signed with its client id",
      why: "Anybody can know the client id: it is part of URLs. As a key, it lets anybody send any event.",
    },
    (_, __, { clientId }) => withKey(clientId)(),
  ),
  signatureTwin(
    {
      id: "webhook.signature.module-as-secret",
      title: "The app refuses a delivery signed with its module key",
      why: "A module key is not secret: every delivery names it. Anybody who has seen one could sign any event.",
    },
    withRecipientAsKey("-module-key"),
  ),
  signatureTwin(
    {
      id: "webhook.signature.organization-as-secret",
      title: "The app refuses a delivery signed with the id of its organization",
      why: "The id of an organization is not secret: every delivery names it. Anybody who has seen one could sign any event.",
    },
    withRecipientAsKey("-id"),
  ),
  signatureTwin(
    {
      id: "webhook.signature.domain-as-secret",
      title: "The app refuses a delivery signed with the domain of its organization",
      why: "The domain of an organization is not secret: it is a part of addresses, and every delivery names it. Anybody could sign any event with it.",
    },
    withRecipientAsKey("-domain"),
  ),
];
