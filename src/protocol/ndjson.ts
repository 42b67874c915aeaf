import { collectBytes } from "./byte-collector.ts";
import { type ParsedJson, parseJson } from "./json.ts";
import { withCommas } from "./with-commas.ts";

/** One line that is not blank. */
export interface Line {
  /** From 1, blank lines counted too. */
  readonly number: number;
  /** Without white space around. They may be a part of the chunk that was pushed: read them before it changes. */
  readonly bytes: Uint8Array;
}

export interface LineLimits {
  /** Bytes of one line without its LF, white space and CR counted. */
  readonly lineLimit: number;
  /** Lines in all, blank ones counted. */
  readonly lineCount: number;
}

interface SplitLines {
  readonly lines: readonly Line[];
  /** Why nothing more is read, in one line that names the line; null as long as all is well. */
  readonly fault: string | null;
}

/** Splits newline-delimited JSON into lines while it streams. */
export interface LineSplitter {
  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): SplitLines;
  /** The last line, if no LF ended it. */
  end(): SplitLines;
}

const LF = 0x0a;

/**
 * A splitter for one file: lines end with LF, CR LF or LF CR, the last also without; a byte order mark at the very
 * start and blank lines are passed over (interface 2.3, stringsUrl; hardening S25, I3). It keeps no more than the
 * beginning of one line.
 */
export function createLineSplitter({ lineLimit, lineCount }: LineLimits): LineSplitter {
  const beginning = collectBytes();
  let number = 1;
  let fault: string | null = null;

  const isWithin = (length: number): boolean => {
    if (number > lineCount) fault = `line ${number} is one more than the ${withCommas(lineCount)} lines that are read`;
    else if (length > lineLimit) fault = `line ${number} is longer than ${withCommas(lineLimit)} bytes`;
    return fault === null;
  };
  const trimmed = (bytes: Uint8Array): Line | null => {
    const content = withoutSpace(number === 1 ? withoutMark(bytes) : bytes);
    return content.length === 0 ? null : { number, bytes: content };
  };

  return {
    push(chunk) {
      const lines: Line[] = [];
      let start = 0;
      while (fault === null && start < chunk.length) {
        // Blank lines may come by the hundred million: they cost nothing but a look at each byte.
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

/** The JSON value of a line; the reason names the line. */
export function parseLine({ number, bytes }: Line): ParsedJson {
  const parsed = parseJson(bytes, `line ${number}`);
  // JSON.parse counts lines too, and this one is always its first.
  return parsed.ok ? parsed : { ok: false, reason: parsed.reason.replace("(line 1 column", "(column") };
}

function completed(beginning: ReturnType<typeof collectBytes>, rest: Uint8Array): Uint8Array {
  if (beginning.length === 0) return rest;
  beginning.append(rest);
  return beginning.take();
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
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

/** White space as JSON has it within a line (RFC 8259 2). */
function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
