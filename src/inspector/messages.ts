import { isUtf8 } from "node:buffer";
import { type Exchange, headerValue, type RecordedBody } from "../journal/exchange.ts";
import { bodyBytes } from "../journal/journal.ts";
import { gunzip, redactExchange } from "../journal/redact.ts";
import { mediaType } from "../protocol/media-type.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { splitAtHidden } from "./hidden-marks.ts";
import type { BodyView, HiddenPart, MessageView } from "./view.ts";

type Message = Exchange["request"] | NonNullable<Exchange["response"]>;

/** A request or an answer that is already redacted. */
export function messageView({ headers, body }: Pick<Message, "headers" | "body">): MessageView {
  return { headers, body: bodyView(body, mediaType(headerValue(headers, "content-type"))) };
}

function bodyView(body: RecordedBody, type: string): BodyView {
  const { bytes, isGzip } = decodedBytes(body);
  const isCut = body.size > bodyBytes(body).length;
  const text = textOf(bytes, isCut);
  return { size: body.size, isCut, text, base64: bytes.toString("base64"), isGzip, type };
}

function decodedBytes(body: RecordedBody): { readonly bytes: Buffer; readonly isGzip: boolean } {
  const bytes = bodyBytes(body);
  const content = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzip(bytes) : null;
  return content === null ? { bytes, isGzip: false } : { bytes: content, isGzip: true };
}

function textOf(bytes: Buffer, isCut: boolean): string | null {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  if (!isCut) return null;
  // The last character may be cut in two.
  const whole = [1, 2, 3].map((count) => bytes.subarray(0, -count)).find((shorter) => isUtf8(shorter));
  return whole?.toString("utf8") ?? null;
}

/**
 * One secret of an exchange, as it was sent: exactly what a person asked to see.
 * @throws UsageError if nothing is hidden there
 */
export function revealed(exchange: Exchange, secrets: readonly string[], part: HiddenPart): string {
  const shown = redactExchange(exchange, secrets);
  const [raw, hidden] = [textAt(exchange, part), textAt(shown, part)];
  if (raw === null || hidden === null || raw === hidden) throw notHidden();
  // A header has only one hidden part: the signature of a token and the like.
  if (part.place === "header") return raw;
  const found = hiddenTexts(raw, hidden)[part.nth];
  if (found === undefined) throw notHidden();
  return found;
}

function textAt(exchange: Exchange, { side, place, line }: HiddenPart): string | null {
  if (place === "url") return side === "request" ? exchange.request.url : null;
  const message = exchange[side];
  if (message === null) return null;
  if (place === "header") return message.headers[line]?.[1] ?? null;
  return decodedBytes(message.body).bytes.toString("utf8");
}

/** The hidden text of each placeholder in the shown text, found by the text between the placeholders. */
function hiddenTexts(raw: string, shown: string): string[] {
  const [first = "", ...rest] = splitAtHidden(shown).literals;
  if (!raw.startsWith(first)) return [];
  const texts: string[] = [];
  let at = first.length;
  for (const [index, literal] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = isLast ? raw.length - literal.length : literal === "" ? at : raw.indexOf(literal, at);
    if (end < at || !raw.startsWith(literal, end)) return texts;
    texts.push(raw.slice(at, end));
    at = end + literal.length;
  }
  return texts;
}

function notHidden(): UsageError {
  return new UsageError("control-invalid", "nothing is hidden there", "the exchange itself shows it");
}
