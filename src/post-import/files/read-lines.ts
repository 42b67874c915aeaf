import { createReadStream } from "node:fs";
import { LINE_COUNT_LIMIT, LINE_LIMIT_BYTES } from "../../protocol/limits.ts";
import { createLineSplitter, parseLine } from "../../protocol/ndjson.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { CHUNK_BYTES } from "../../web/hosted-files.ts";

/** Limits for any file of newline-delimited JSON (hardening S25). */
export const lineLimits = { lineLimit: LINE_LIMIT_BYTES, lineCount: LINE_COUNT_LIMIT };

/** A value of newline-delimited JSON, and the number of its line. */
export interface NumberedValue {
  readonly value: unknown;
  readonly line: number;
}

/**
 * The values of the user's newline-delimited JSON, one at a time.
 * @param name of the file, for messages
 * @throws UsageError naming the line that is not JSON
 */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<NumberedValue, void> {
  const splitter = createLineSplitter(lineLimits);
  const valuesOf = function* ({ lines, fault }: ReturnType<typeof splitter.push>) {
    for (const line of lines) {
      const parsed = parseLine(line);
      if (!parsed.ok) throw notLines(name, parsed.reason);
      yield { value: parsed.value, line: line.number };
    }
    if (fault !== null) throw notLines(name, fault);
  };
  for await (const chunk of chunks) yield* valuesOf(splitter.push(chunk));
  yield* valuesOf(splitter.end());
}

/** The same for a file on disk. */
export async function* readLinesOf(file: string): AsyncGenerator<NumberedValue, void> {
  yield* readLines(createReadStream(file, { highWaterMark: CHUNK_BYTES }), file);
}

function notLines(name: string, reason: string): UsageError {
  return new UsageError("not-json", `${name}, ${reason}`, "one JSON object per line");
}
