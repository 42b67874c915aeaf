import { type Exchange, type HeaderLines, headerValue, type RecordedBody } from "./exchange.ts";
import { bodyBytes, bodyText, recordBody } from "./journal.ts";
import { gunzip } from "./redact.ts";

/** A decompressed body, as far as it was kept. */
export function readableBody(headers: HeaderLines, body: RecordedBody): RecordedBody {
  const isPacked = /^(?:x-)?gzip$/i.test(headerValue(headers, "content-encoding")?.trim() ?? "");
  const content = isPacked ? gunzip(bodyBytes(body)) : null;
  return content === null ? body : recordBody(content);
}

/** An answer, or a request, as the journal has it. */
interface Recorded {
  readonly headers: HeaderLines;
  readonly body: RecordedBody;
}

/** The bytes of a body as they were before it was packed. */
export function unpackedBytes({ headers, body }: Recorded): Buffer {
  return bodyBytes(readableBody(headers, body));
}

/** The same as UTF-8 text. */
export function unpackedText({ headers, body }: Recorded): string {
  return bodyText(readableBody(headers, body));
}

/** The body of an answer as JSON; undefined if it is not JSON. */
export function answeredJson({ response }: Exchange): unknown {
  if (response === null) return undefined;
  try {
    return JSON.parse(unpackedBytes(response).toString());
  } catch {
    return undefined;
  }
}
