/** Whether bytes begin with the byte order mark of UTF-8 (RFC 3629, 6). */
export function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The bytes after a byte order mark, if they begin with one. */
export function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes;
}
