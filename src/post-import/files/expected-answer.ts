import { access } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { problemsOf } from "../../protocol/problems.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import { type JobStrings, stringsOnDisk } from "./job-strings.ts";
import type { KeptLines } from "./kept-lines.ts";
import type { PlannedJob } from "./plan-jobs.ts";
import { readLinesOf } from "./read-lines.ts";
import { wireRecordAt } from "./wire-fixture.ts";
import { beginWhole } from "./write-whole.ts";

/** What an answer was, but for its strings: the first line of an expected answer. */
const answerHeadSchema = z.strictObject({
  outcome: z.enum(["imported", "not-modified", "failed"]),
  error: z.string().nullable(),
  preview: z.strictObject({ bytes: z.number().int(), sha256: z.string() }).nullable(),
});
export type AnswerHead = z.infer<typeof answerHeadSchema>;

/** The answer that was accepted as right for a job; its strings are to be closed. */
export interface ExpectedAnswer {
  readonly file: string;
  readonly head: AnswerHead;
  readonly strings: JobStrings;
}

const ENDING = ".expected.ndjson";

/** Whether a file is an expected answer, and no fixture. */
export function isExpectedAnswer(file: string): boolean {
  return file.endsWith(ENDING);
}

/**
 * Where the expected answer of a job lies: beside its fixture, `greetings.json` and `greetings.expected.ndjson`; with
 * the occasion and language of the job where they are not what the fixture says. null for a job at hand.
 */
export function expectedFileOf({
  fixture,
  occasion,
  job,
  isAsked,
}: Omit<PlannedJob, "strings" | "expected">): string | null {
  if (fixture.file === null) return null;
  const { dir, name } = path.parse(fixture.file);
  const languages = occasion === "translation-upload" ? job.targetLanguages.map(({ id }) => id) : [];
  // A whole job may call a language anything.
  const which = isAsked ? [occasion, ...languages].map((word) => `.${encodeURIComponent(word)}`).join("") : "";
  return path.join(dir, name + which + ENDING);
}

/**
 * Reads an expected answer; null where there is none.
 * @throws UsageError for a file that is none
 */
export async function readExpected(file: string): Promise<ExpectedAnswer | null> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const lines = readLinesOf(file);
  try {
    const first = await lines.next();
    const parsed = answerHeadSchema.safeParse(first.value?.value);
    if (!parsed.success) {
      throw new UsageError(
        "expected-invalid",
        `${file} is not an expected answer`,
        "--update writes it anew",
        problemsOf(parsed.error, first.value?.value),
      );
    }
    const recordAt = wireRecordAt(file);
    const records = async function* () {
      let position = 0;
      for await (const { value, line } of lines) yield recordAt(value, line, position++);
    };
    const strings = await stringsOnDisk(records(), (uniqId) => {
      throw new UsageError("expected-invalid", `${file} has the uniqId "${uniqId}" twice`, "--update writes it anew");
    });
    return { file, head: parsed.data, strings };
  } finally {
    await lines.return(undefined);
  }
}

/** Writes an expected answer, or leaves what was there before. */
export async function writeExpected(file: string, head: AnswerHead, strings: KeptLines): Promise<void> {
  const lines = async function* () {
    yield `${JSON.stringify({ ...head, error: head.error === null ? null : strings.hide(head.error) })}\n`;
    yield* strings.open();
  };
  // For whoever else works on the fixtures.
  const whole = await beginWhole(file, "the expected answer", 0o644);
  await whole.write(lines());
}

/** What differs between two answers beside their strings, in words; null where nothing does. */
export function headDifference(expected: AnswerHead, came: AnswerHead): string | null {
  if (expected.outcome !== came.outcome) {
    return `expected ${headText(expected)}, but it came ${headText(came)}`;
  }
  if (expected.error !== came.error) return `expected the error "${expected.error}", but it was "${came.error}"`;
  if (expected.preview?.sha256 === came.preview?.sha256) return null;
  return `expected ${previewText(expected)}, but there was ${previewText(came)}`;
}

function headText({ outcome, error }: AnswerHead): string {
  return error === null ? outcome : `${outcome} (${error})`;
}

function previewText({ preview }: AnswerHead): string {
  return preview === null
    ? "no preview"
    : `a preview of ${preview.bytes} bytes (SHA-256 ${preview.sha256.slice(0, 12)}…)`;
}
