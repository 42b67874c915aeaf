import { type SignatureScheme, standardWebhooks } from "./signature.ts";

/** A scheme, and the choices that select it, such as `webhook.signature.encoding=base64`. */
interface OtherScheme {
  readonly scheme: SignatureScheme;
  readonly choices: readonly string[];
}

/**
 * The usual schemes except this one: hex or base64, bare or after `sha256=`, of the body or of the time and the body,
 * and Standard Webhooks.
 */
export function otherSchemes(configured: SignatureScheme): OtherScheme[] {
  if (configured.idHeader !== undefined) return [];
  const { encoding, prefix, timestampHeader, header } = configured;
  const timestamped = header.replace(/Signature$/, "Timestamp");
  const schemes = (["hex", "base64", "base64url"] as const).flatMap((encoding) =>
    ["", "sha256="].flatMap((prefix) =>
      [null, timestamped].map((timestampHeader): SignatureScheme => ({ header, encoding, prefix, timestampHeader })),
    ),
  );
  const standard = { scheme: standardWebhooks, choices: ["webhook.signature.content=id.timestamp.body"] };
  return schemes
    .map((scheme) => ({
      scheme,
      choices: [
        ...(scheme.encoding === encoding ? [] : [`webhook.signature.encoding=${scheme.encoding}`]),
        ...(scheme.prefix === prefix ? [] : [`webhook.signature.prefix=${scheme.prefix}`]),
        ...((scheme.timestampHeader === null) === (timestampHeader === null)
          ? []
          : [`webhook.signature.content=${scheme.timestampHeader === null ? "body" : "timestamp.body"}`]),
      ],
    }))
    .filter(({ choices }) => choices.length > 0)
    .concat(standard);
}
