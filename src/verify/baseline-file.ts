import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { readJsonFile } from "../config/json-file.ts";
import { meantHint } from "../config/user-file.ts";
import { knownFindingSchema } from "../config/verify-settings.ts";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { KnownFinding } from "./rules/known-findings.ts";

const baselineSchema = z.strictObject({ findings: z.array(knownFindingSchema) });

const WRITES_ONE = "`app-sim verify --baseline FILE --update-baseline` writes one";

/**
 * Reads a list of known findings.
 * @throws UsageError for a file that cannot be read, or holds anything else
 */
export async function readBaseline(file: string): Promise<readonly KnownFinding[]> {
  if (!existsSync(file)) {
    const message = `baseline ${file} cannot be read: there is no such file`;
    throw new UsageError("file-unreadable", message, meantHint(file) ?? WRITES_ONE);
  }
  const value = await readJsonFile(file, "baseline");
  const parsed = baselineSchema.safeParse(value);
  if (parsed.success) return parsed.data.findings;
  throw new UsageError(
    "baseline-invalid",
    `the baseline ${file} is not valid`,
    WRITES_ONE,
    problemsOf(parsed.error, value),
  );
}

/**
 * Writes a list of known findings.
 * @throws UsageError for a file that cannot be written
 */
export async function writeBaseline(file: string, findings: readonly KnownFinding[]): Promise<void> {
  await writeFile(file, `${JSON.stringify({ findings }, null, 2)}\n`).catch((error: Error) => {
    throw new UsageError(
      "file-unwritable",
      `the baseline cannot be written: ${error.message}`,
      "give a file in an existing folder",
    );
  });
}
