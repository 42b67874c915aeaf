import { isUtf8 } from "node:buffer";
import { createHmac } from "node:crypto";
import { appSecretKey } from "../config/app-variables.ts";
import { type Choices, readChoices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { gunzip } from "../journal/redact.ts";
import type { Hide } from "../journal/secret-hider.ts";
import { plural } from "../output/text.ts";
import { appAt } from "../platform/app-at.ts";
import { signatureScheme, signCommand, signedContent } from "./rules/signature.ts";

/** How the signature of a delivery is derived from its bytes, shown without secrets. */
export interface SignatureSteps {
  readonly steps: readonly { readonly title: string; readonly text: string; readonly isCode: boolean }[];
  readonly isRight: boolean;
  readonly verdict: string;
}

/** Enough of a signature to compare it with another, but too little to use it (hardening S27). */
const SHOWN_CHARACTERS = 12;

/**
 * Whether the app must refuse a delivery: its signature is missing or wrong (interface 5.1). Null if unknown: it is not
 * a delivery, or its body was not kept whole.
 */
export function isForged(exchange: Exchange, apps: readonly App[], choices: Choices): boolean | null {
  const { body } = exchange.request;
  if (exchange.purpose !== "webhook" || bodyBytes(body).length < body.size) return null;
  return signatureSteps(exchange, apps, choices, (text) => text)?.isRight !== true;
}

/**
 * How the signature of a delivery is made, step by step, from the bytes that were sent (interface 2.6, 5.1); null if
 * the delivery has none.
 */
export function signatureSteps(
  exchange: Exchange,
  apps: readonly App[],
  choices: Choices,
  hide: Hide,
): SignatureSteps | null {
  const { url, headers, body } = exchange.request;
  const reader = readChoices(choices);
  const { header, encoding, prefix, timestampHeader, idHeader } = signatureScheme(reader);
  const sent = headerValue(headers, header);
  const app = appAt(apps, url) ?? apps[0];
  if (exchange.purpose !== "webhook" || sent === undefined || app === undefined) return null;
  const isGzip = headerValue(headers, "content-encoding")?.toLowerCase() === "gzip";
  const coding = isGzip ? choices["webhook.signature.gzip"] : null;
  const bytes = bodyBytes(body);
  const signedBody = coding === "uncompressed" ? (gunzip(bytes) ?? bytes) : bytes;
  const before = [idHeader, timestampHeader].flatMap((name) =>
    name == null ? [] : (headerValue(headers, name) ?? []),
  );
  const start = before.map((text) => `${text}.`).join("");
  const signatureWith = (key: string) =>
    prefix + createHmac("sha256", key).update(start).update(signedBody).digest(encoding);
  const expected = signatureWith(app.appSecret);
  const short = (signature: string) => `${signature.slice(0, prefix.length + SHOWN_CHARACTERS)}…`;
  const key = appSecretKey(apps, app);
  const isRight = sent === expected;
  return {
    steps: [
      { title: "The bytes that are signed", text: signedContent(body.size, before, coding), isCode: false },
      ...(isUtf8(signedBody)
        ? [
            {
              title: "These bytes, with nothing before or after them",
              text: hide(start + signedBody.toString("utf8")),
              isCode: true,
            },
          ]
        : []),
      {
        title: "The key",
        text: `${key.setting} (${plural(app.appSecret.length, "character")}), which app-sim env prints as ${key.variable}`,
        isCode: false,
      },
      {
        title: "The signature",
        text: `HMAC-SHA256 of these bytes with this key, in ${encoding}${prefix === "" ? "" : `, after ${prefix}`}`,
        isCode: false,
      },
      {
        title: "In a shell, over a file with these bytes",
        text: `${signCommand(encoding, key.variable)} < body`,
        isCode: true,
      },
      { title: "The result", text: short(expected), isCode: true },
      { title: `What was sent as ${header}`, text: short(sent), isCode: true },
    ],
    isRight,
    verdict: isRight
      ? "The signature matches: the app must acknowledge this delivery"
      : `The signature does not match${body.size > bytes.length ? " the beginning of the body that was kept" : wrongBecause(sent, signatureWith(app.clientSecret))}`,
  };
}

function wrongBecause(sent: string, withClientSecret: string): string {
  if (sent === withClientSecret) return ": it was made with the client secret";
  return ": it was made from other bytes or with another key, so the app must refuse this delivery";
}
