import { type HeaderLines, headerValue, type RecordedBody } from "./exchange.ts";
import { bodyBytes, recordBody } from "./journal.ts";
import { gunzip } from "./redact.ts";

/** A decompressed body, as far as it was kept. */
export function readableBody(headers: HeaderLines, body: RecordedBody): RecordedBody {
  const isPacked = /^(?:x-)?gzip$/i.test(headerValue(headers, "content-encoding")?.trim() ?? "");
  const content = isPacked ? gunzip(bodyBytes(body)) : null;
  return content === null ? body : recordBody(content);
}
