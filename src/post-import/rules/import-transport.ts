import type { Via } from "../import-result.ts";

/** Sizes of the parts of a job in a request; null: the part can only be sent by its address. */
export interface JobSizes {
  /** The request without strings and content. */
  readonly rest: number;
  readonly strings: number | null;
  readonly content: number | null;
}

export interface Transport {
  readonly strings: Via;
  readonly content: Via;
}

/** Maximum size of an address in a request. */
const ADDRESS_BYTES = 300;

/**
 * How strings and source file are sent. `auto` sends as few of them by URL as needed to stay within the limit, the
 * larger one first (interface 8: large data is passed by URL).
 * @param limit bytes of the largest request
 */
export function chooseTransport(via: Via | "auto", { rest, strings, content }: JobSizes, limit: number): Transport {
  const asWanted = (size: number | null): Via => (size === null || via === "url" ? "url" : "inline");
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
