import type { HeaderLines } from "../journal/exchange.ts";
import { LENGTH_MISMATCH } from "./call-faults.ts";

/** undici gives raw headers as a flat list of names and values, whatever its types say. */
export function headerLines(raw: unknown): HeaderLines {
  const flat = (raw as Buffer[]).map((text) => text.toString("latin1"));
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""] as const] : []));
}

/** A 304 may give the length of the body it does not have (RFC 9110, 8.6); undici waits for that body. */
export function hasNoBody(status: number | undefined, error: NodeJS.ErrnoException): boolean {
  return error.code === LENGTH_MISMATCH && (status === 304 || status === 204);
}
