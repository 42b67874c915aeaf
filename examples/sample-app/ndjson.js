import { demand, Refusal } from "./http.js";

const LF = 0x0a;
const MAX_LINE_BYTES = 5 * 1024 * 1024;

/**
 * Reads newline-delimited JSON as it arrives, so that a file of any size takes no more memory than its longest line.
 * Blank lines, a byte order mark and a missing line feed at the end are allowed.
 */
export async function* readNdjson(chunks) {
  for await (const { line, bytes } of splitLines(chunks)) {
    const value = parseLine(bytes, line);
    if (value !== undefined) yield { line, value };
  }
}

/** Only LF ends a line: a CR next to it is white space in JSON, and U+2028 may occur in a string. */
async function* splitLines(chunks) {
  let line = 1;
  let pieces = [];
  let size = 0;
  const add = (piece) => {
    pieces.push(piece);
    size += piece.length;
    demand(size <= MAX_LINE_BYTES, `Line ${line} is larger than ${MAX_LINE_BYTES} bytes.`);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      add(chunk.subarray(start, end));
      yield { line, bytes: Buffer.concat(pieces) };
      line += 1;
      pieces = [];
      size = 0;
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  yield { line, bytes: Buffer.concat(pieces) };
}

/** undefined for a blank line. */
function parseLine(bytes, line) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: line > 1 }).decode(bytes);
    return /[^ \t\r]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    throw new Refusal(400, `Line ${line} is not JSON in UTF-8.`);
  }
}
