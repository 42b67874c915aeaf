/** How a part of a job travels: in the request, or as a file that the request names (interface 2.3, 8). */
export type Via = "inline" | "url";

export interface JobSizes {
  /** Bytes of the request without strings and content. */
  readonly rest: number;
  /** Bytes that the strings add; null: they can only be named. */
  readonly strings: number | null;
  /** Bytes that the source file adds; null: it can only be named. */
  readonly content: number | null;
}

export interface Transport {
  readonly strings: Via;
  readonly content: Via;
}

/** More than an address takes in a request. */
const ADDRESS_BYTES = 300;

/**
 * How strings and source file travel. `auto` names as few of them as brings the request under the limit, the larger
 * one first (interface 8: what is large is passed by URL).
 * @param limit bytes of the largest request
 */
export function chooseTransport(via: Via | "auto", sizes: JobSizes, limit: number): Transport {
  const { rest, strings, content } = sizes;
  const asWanted = (size: number | null): Via => (size === null ? "url" : via === "url" ? "url" : "inline");
  const wanted: Transport = { strings: asWanted(strings), content: asWanted(content) };
  if (via !== "auto") return wanted;
  const bytesOf = (part: Via, size: number | null) => (part === "inline" ? (size ?? 0) : ADDRESS_BYTES);
  const fits = (transport: Transport) =>
    rest + bytesOf(transport.strings, strings) + bytesOf(transport.content, content) <= limit;
  const larger = (strings ?? 0) >= (content ?? 0) ? "strings" : "content";
  return [wanted, { ...wanted, [larger]: "url" as const }].find(fits) ?? { strings: "url", content: "url" };
}

/** Bytes of a file in base64. */
export function base64Size(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}
