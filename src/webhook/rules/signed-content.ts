/** What is signed, in words: `1700000000. and the 154 bytes of the body`. */
export function signedContent(
  /** Bytes of the body as it is sent. */
  size: number,
  /** Seconds that are signed before the body; null: the body alone is. */
  timestamp: string | null,
  /** Which bytes of a compressed body are signed; null: it is not compressed. */
  gzip: "compressed" | "uncompressed" | null,
): string {
  const body =
    gzip === "uncompressed"
      ? "the body as it was before it was compressed"
      : `the ${size.toLocaleString("en-US")} bytes of the ${gzip === null ? "" : "compressed "}body`;
  return timestamp === null ? body : `${timestamp}. and ${body}`;
}
