import { IMPORT_LIMIT_BYTES } from "../../protocol/limits.ts";
import type { ImportedJob } from "../import-result.ts";
import { type Payload, withPayload } from "../rules/import-job.ts";
import type { KeptLines } from "./kept-lines.ts";
import type { PlannedJob } from "./plan-jobs.ts";
import type { SourceFile } from "./source-file.ts";

/** One job with what the app answered. */
export interface SavedJob {
  readonly planned: PlannedJob;
  readonly imported: ImportedJob;
  /** The strings that came, one on a line; null where none did. */
  readonly received: KeptLines | null;
  readonly preview: Buffer | null;
}

/**
 * Jobs and answers as one JSON document, `{"jobs": [{"fixture", "via", "job", "answer"}]}`, strings in their places
 * however they travelled.
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
  const { fixture, outcome, error, sent, received: came } = imported;
  const { strings: _, ...job } = withPayload(planned.job, {
    strings: { strings: [] },
    content: await contentOf(planned.fixture.sourceFile),
  });
  yield `{"fixture":${JSON.stringify(fixture)},"via":${JSON.stringify(sent.via)},"job":`;
  yield* withStrings(job, planned.strings.open());
  yield `,"answer":`;
  const answer = { outcome, error, via: came.via, preview: null };
  yield* received === null
    ? [JSON.stringify(answer)]
    : withStrings({ ...answer, ...withoutSecrets(error, preview, received) }, received.open());
  yield "}";
}

function withoutSecrets(error: string | null, preview: Buffer | null, { hide }: KeptLines) {
  const html = preview?.toString() ?? "";
  const shown = hide(html);
  return {
    error: error === null ? null : hide(error),
    preview: (shown === html ? preview : Buffer.from(shown))?.toString("base64") ?? null,
  };
}

/** A source file that a job can hold; of a larger one its name. */
async function contentOf({ size, url, base64 }: SourceFile): Promise<Payload["content"]> {
  const isHeld = size !== null && size <= IMPORT_LIMIT_BYTES["5MiB"];
  return isHeld ? { content: await base64() } : { contentUrl: url ?? "" };
}

/** An object with the strings of a file of newline-delimited JSON as its last member. */
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
