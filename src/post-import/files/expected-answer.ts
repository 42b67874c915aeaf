import { access } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { requireFile } from "../../config/user-file.ts";
import { problemsOf } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { type JobStrings, stringsOnDisk } from "./job-strings.ts";
import { readLinesOf } from "./read-lines.ts";
import type { RedactedLines } from "./redacted-lines.ts";
import { wireRecordAt } from "./wire-fixture.ts";
import { openWhole } from "./write-whole.ts";

/** The first line of an expected answer: everything except its strings. */
const answerHeadSchema = z.strictObject({
  outcome: z.enum(["imported", "not-modified", "failed"]),
  error: z.string().nullable(),
  preview: z.strictObject({ bytes: z.number().int(), sha256: z.string() }).nullable(),
});
export type AnswerHead = z.infer<typeof answerHeadSchema>;

/** The accepted answer for a job. */
export interface ExpectedAnswer {
  readonly file: string;
  readonly head: AnswerHead;
  /** The caller closes them. */
  readonly strings: JobStrings;
}

const ENDING = ".expected.ndjson";

/** Whether a file is an expected answer rather than a fixture. */
export function isExpectedAnswer(file: string): boolean {
  return file.endsWith(ENDING);
}

/**
 * Where an expected answer belongs: next to its fixture, `greetings.json` and `greetings.expected.ndjson`.
 * @param words the occasion and language of the job, if they differ from the fixture's
 */
export function expectedFileOf(fixture: string, words: readonly string[]): string {
  const { dir, name } = path.parse(fixture);
  // A whole job may call a language anything.
  const which = words.map((word) => `.${encodeURIComponent(word)}`).join("");
  return path.join(dir, name + which + ENDING);
}

/**
 * Reads an expected answer; null if there is no such file.
 * @throws UsageError for a file that is not an expected answer
 */
export async function readExpected(file: string): Promise<ExpectedAnswer | null> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  await requireFile(file, "the expected answer");
  const lines = readLinesOf(file);
  try {
    const first = await lines.next();
    const parsed = answerHeadSchema.safeParse(first.value?.value);
    if (!parsed.success) {
      throw new UsageError(
        "expected-invalid",
        `${file} is not an expected answer`,
        "--update writes it again",
        problemsOf(parsed.error, first.value?.value),
      );
    }
    const recordAt = wireRecordAt(file);
    const records = async function* () {
      let position = 0;
      for await (const { value, line } of lines) yield recordAt(value, line, position++);
    };
    const strings = await stringsOnDisk(records(), (uniqId) => {
      throw new UsageError("expected-invalid", `${file} has the uniqId "${uniqId}" twice`, "--update writes it again");
    });
    return { file, head: parsed.data, strings };
  } finally {
    await lines.return(undefined);
  }
}

/** Writes an expected answer, or leaves the file as it was. */
export async function writeExpected(file: string, head: AnswerHead, strings: RedactedLines): Promise<void> {
  const lines = async function* () {
    yield `${JSON.stringify({ ...head, error: head.error && strings.redact(head.error) })}\n`;
    yield* strings.open();
  };
  // Readable for others who work on the fixtures.
  const whole = await openWhole(file, "the expected answer", 0o644);
  await whole.write(lines());
}

/** How two answers differ apart from their strings, in words; null: they do not. */
export function headDifference(expected: AnswerHead, received: AnswerHead): string | null {
  if (expected.outcome !== received.outcome) {
    const [wanted, was] = [expected, received].map(
      ({ outcome, error }) => outcome + (error === null ? "" : ` (${error})`),
    );
    return `expected ${wanted}, but it was ${was}`;
  }
  if (expected.error !== received.error)
    return `expected the error "${expected.error}", but it was "${received.error}"`;
  if (expected.preview?.sha256 === received.preview?.sha256) return null;
  return `expected ${previewText(expected)}, but there was ${previewText(received)}`;
}

function previewText({ preview }: AnswerHead): string {
  if (preview === null) return "no preview";
  return `a preview of ${preview.bytes} bytes (SHA-256 ${preview.sha256.slice(0, 12)}…)`;
}
