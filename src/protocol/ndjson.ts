import { collectBytes } from "./byte-collector.ts";
import { withoutByteOrderMark } from "./byte-order-mark.ts";
import { type ParsedJson, parseJson } from "./json.ts";
import { withCommas } from "./with-commas.ts";

/** One line that is not blank. */
export interface Line {
  /** From 1; blank lines count. */
  readonly number: number;
  /** Without surrounding white space. May be a view of the chunk that was pushed: read it before the chunk changes. */
  readonly bytes: Uint8Array;
}

export interface LineLimits {
  /** Bytes of one line without its LF; white space and CR count. */
  readonly lineLimit: number;
  /** Total number of lines; blank ones count. */
  readonly lineCount: number;
}

interface SplitLines {
  readonly lines: readonly Line[];
  /** Why reading stopped, in one line that names the line of the file; null if nothing is wrong. */
  readonly fault: string | null;
}

/** Splits newline-delimited JSON into lines while it streams. */
export interface LineSplitter {
  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): SplitLines;
  /** The last line, if it does not end in LF. */
  end(): SplitLines;
}

const LF = 0x0a;

/**
 * A splitter for one file: lines end with LF, CR LF or LF CR, which the last may lack; a byte order mark at the very
 * start and blank lines are skipped (interface 2.3, stringsUrl; hardening S25, I3). It buffers at most one unfinished
 * line.
 */
export function createLineSplitter({ lineLimit, lineCount }: LineLimits): LineSplitter {
  const beginning = collectBytes();
  let number = 1;
  let fault: string | null = null;

  const isWithin = (length: number): boolean => {
    if (number > lineCount) fault = `line ${number} is beyond the limit of ${withCommas(lineCount)} lines`;
    else if (length > lineLimit) fault = `line ${number} is longer than ${withCommas(lineLimit)} bytes`;
    return fault === null;
  };
  const trimmed = (bytes: Uint8Array): Line | null => {
    const content = withoutSpace(number === 1 ? withoutByteOrderMark(bytes) : bytes);
    return content.length === 0 ? null : { number, bytes: content };
  };

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      while (fault === null && start < chunk.length) {
        // There may be hundreds of millions of blank lines: each costs no more than looking at its bytes.
        const content = beginning.length === 0 ? skipSpace(chunk, start) : start;
        const lineEnd = chunk[content] === LF ? content : chunk.indexOf(LF, content);
        const end = lineEnd === -1 ? chunk.length : lineEnd;
        if (!isWithin(beginning.length + end - start)) break;
        if (lineEnd === -1) beginning.append(chunk.subarray(start));
        else {
          const isBlank = beginning.length === 0 && content === lineEnd;
          const line = isBlank ? null : trimmed(completed(beginning, chunk.subarray(start, lineEnd)));
          if (line !== null) lines.push(line);
          number += 1;
        }
        start = end + 1;
      }
      return { lines, fault };
    },
    end() {
      const line = fault === null ? trimmed(beginning.take()) : null;
      return { lines: line === null ? [] : [line], fault };
    },
  };
}

/** The JSON value of a line; a failure's reason names the line. */
export function parseLine({ number, bytes }: Line): ParsedJson {
  const parsed = parseJson(bytes, `line ${number}`);
  // JSON.parse counts lines too; this one is always its first.
  return parsed.ok ? parsed : { ok: false, reason: parsed.reason.replace("(line 1 column", "(column") };
}

function completed(beginning: ReturnType<typeof collectBytes>, rest: Uint8Array): Uint8Array {
  if (beginning.length === 0) return rest;
  beginning.append(rest);
  return beginning.take();
}

function withoutSpace(bytes: Uint8Array): Uint8Array {
  const start = skipSpace(bytes, 0);
  let end = bytes.length;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** JSON's white space, within a line (RFC 8259 2). */
function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
