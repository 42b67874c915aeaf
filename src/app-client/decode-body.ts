import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { FailedOutcome, HeaderLines } from "../journal/exchange.ts";
import { type AppCall, StopReading } from "./ports.ts";

type Take = NonNullable<AppCall["take"]>;

/** Chunk size for decoding: larger than Node's default of 16 KiB, so that a large answer takes fewer steps. */
const GUNZIP_CHUNK_BYTES = 65_536;

/**
 * Passes the body to `take` as it streams, with at most one layer of gzip decoded (hardening S16, S17), each chunk once
 * the previous one was processed. An empty body has no coding, whatever its headers say. Resolves with null at the end,
 * or with the reason why the end was not reached; rejects with what `take` throws, except StopReading.
 * @param limit largest decoded body, in bytes; reading ends if a body exceeds it
 */
export async function decodeBody(
  body: Readable,
  headers: HeaderLines,
  limit: number,
  take: Take,
): Promise<FailedOutcome | null> {
  const encoding = contentCoding(headers);
  if (encoding === "") return handOver(body, limit, take);
  if (encoding === "gzip" || encoding === "x-gzip") return unpack(body, encoding, limit, take);
  for await (const _ of body)
    return { kind: "undecodable", encoding, detail: "app-sim decodes at most one layer of gzip" };
  return null;
}

function contentCoding(headers: HeaderLines): string {
  return headers
    .flatMap(([name, value]) => (name.toLowerCase() === "content-encoding" ? value.toLowerCase().split(",") : []))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
    .join(", ");
}

async function unpack(body: Readable, encoding: string, limit: number, take: Take): Promise<FailedOutcome | null> {
  const unpacked = body.pipe(createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES }));
  body.once("close", () => {
    if (!body.readableEnded) unpacked.destroy();
  });
  try {
    return await handOver(unpacked, limit, take);
  } catch (error) {
    if (error !== unpacked.errored) throw error;
    if (!body.readableDidRead) return null;
    return { kind: "undecodable", encoding, detail: (error as Error).message };
  }
}

async function handOver(decoded: Readable, limit: number, take: Take): Promise<FailedOutcome | null> {
  let size = 0;
  for await (const chunk of decoded as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return { kind: "too-large", limit, decoded: true };
    try {
      await take(chunk);
    } catch (error) {
      if (error instanceof StopReading) return { kind: "cut-off", detail: error.message };
      throw error;
    }
  }
  return null;
}
