import { demand, parseJson, Refusal } from "./request.ts";

const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** The largest line; no string that fits in an inline job is larger. */
const MAX_LINE_BYTES = 5 * 1024 * 1024;

interface Line {
  /** From 1; blank lines count. */
  readonly number: number;
  readonly bytes: Buffer;
}

/** The value of one line. */
export interface Entry {
  readonly line: number;
  readonly value: unknown;
}

/**
 * Reads newline-delimited JSON while it arrives, so that a file of any size takes no more memory than a line of it.
 * Blank lines, a byte-order mark and a missing end of the last line are fine. A line that is not JSON, or larger than
 * 5 MiB, is refused with its number.
 */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  for await (const { number, bytes } of splitLines(chunks)) {
    const json = number === 1 ? withoutMark(bytes) : bytes;
    if (!isBlank(json)) yield { line: number, value: parseLine(json, number) };
  }
}

/** Lines end with LF alone: a CR on either side of it is white space to JSON, and U+2028 may stand in a string. */
async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let number = 1;
  let begun: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      demandLength(size + end - start, number);
      yield { number, bytes: Buffer.concat([...begun, bytes.subarray(start, end)]) };
      begun = [];
      size = 0;
      number += 1;
      start = end + 1;
    }
    begun.push(bytes.subarray(start));
    size += bytes.length - start;
    demandLength(size, number);
  }
  yield { number, bytes: Buffer.concat(begun) };
}

function demandLength(size: number, number: number): void {
  demand(size <= MAX_LINE_BYTES, `Line ${number} is larger than ${MAX_LINE_BYTES} bytes.`);
}

function withoutMark(bytes: Buffer): Buffer {
  const { length } = BYTE_ORDER_MARK;
  return bytes.subarray(0, length).equals(BYTE_ORDER_MARK) ? bytes.subarray(length) : bytes;
}

/** Holds nothing but what JSON takes for white space. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function parseLine(bytes: Buffer, number: number): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(error.status, `Line ${number} is not JSON in UTF-8.`);
    throw error;
  }
}
