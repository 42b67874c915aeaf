import { IMPORT_LIMIT_BYTES } from "../../protocol/limits.ts";
import type { ImportedJob } from "../import-result.ts";
import { jobWithPayload, type Payload } from "../rules/import-job.ts";
import type { PlannedJob } from "./plan-jobs.ts";
import type { RedactedLines } from "./redacted-lines.ts";
import type { SourceFile } from "./source-file.ts";

/** One job with the app's answer. */
export interface SavedJob {
  readonly planned: PlannedJob;
  readonly imported: ImportedJob;
  /** The strings of the answer, if they are kept; the caller closes them. */
  readonly received: RedactedLines | null;
  readonly preview: Buffer | null;
}

/**
 * Jobs and answers as one JSON document, `{"jobs": [{"fixture", "via", "job", "answer"}]}`, with the strings inline
 * however they were sent.
 */
export async function* savedDocument(saved: readonly SavedJob[]): AsyncGenerator<string | Uint8Array> {
  yield '{"jobs":[\n';
  for (const [position, each] of saved.entries()) {
    if (position > 0) yield ",\n";
    yield* entryOf(each);
  }
  yield "\n]}\n";
}

async function* entryOf({ planned, imported, received, preview }: SavedJob): AsyncGenerator<string | Uint8Array> {
  const { fixture, outcome, error, sent } = imported;
  const content = await contentOf(planned.fixture.sourceFile);
  const { strings: _, ...job } = jobWithPayload(planned.job, { strings: { strings: [] }, content });
  yield `{"fixture":${JSON.stringify(fixture)},"via":${JSON.stringify(sent.via)},"job":`;
  yield* withStrings(job, planned.strings.open());
  yield `,"answer":`;
  const answer = { outcome, error, via: imported.received.via, preview: null };
  yield* received === null
    ? [JSON.stringify(answer)]
    : withStrings({ ...answer, ...withoutSecrets(error, preview, received) }, received.open());
  yield "}";
}

function withoutSecrets(error: string | null, preview: Buffer | null, received: RedactedLines) {
  const html = preview?.toString() ?? "";
  const shown = received.redact(html);
  return {
    error: error && received.redact(error),
    preview: (shown === html ? preview : Buffer.from(shown))?.toString("base64") ?? null,
  };
}

/** The content of a source file if a job can hold it; else its address. */
async function contentOf({ size, url, base64 }: SourceFile): Promise<Payload["content"]> {
  const isHeld = size !== null && size <= IMPORT_LIMIT_BYTES["5MiB"];
  return isHeld ? { content: await base64() } : { contentUrl: url ?? "" };
}

/** An object whose last member holds strings given as newline-delimited JSON. */
async function* withStrings(object: object, lines: AsyncIterable<Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield `${JSON.stringify(object).slice(0, -1)},"strings":[\n`;
  let separator = "";
  for await (const chunk of lines) {
    const text = Buffer.from(chunk).toString("latin1");
    const isAtEnd = text.endsWith("\n");
    yield Buffer.from(separator + (isAtEnd ? text.slice(0, -1) : text).replaceAll("\n", ",\n"), "latin1");
    separator = isAtEnd ? ",\n" : "";
  }
  yield "\n]}";
}
