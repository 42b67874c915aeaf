import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { Occasion } from "../../protocol/occasion.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { SourceFile } from "./source-file.ts";

/** A job as a fixture has it; its strings and its file travel as the transport says. */
export interface Fixture {
  readonly name: string;
  /** The file that it was read from; null for a job at hand. */
  readonly file: string | null;
  readonly occasion: Occasion | undefined;
  /** The job but for its strings and the content of its file. */
  readonly job: ImportJob;
  readonly sourceFile: SourceFile;
  readonly strings: FixtureStrings;
  /** What is odd in it, and is not sent as it stands there. */
  readonly warnings: readonly string[];
}

/** The strings of a fixture: at hand, in a file of any length, or at an address that the fixture gives. */
export type FixtureStrings =
  | { readonly kind: "here"; readonly records: readonly StringRecord[] }
  | { readonly kind: "file"; readonly file: string; readonly recordAt: RecordAt }
  | { readonly kind: "elsewhere"; readonly url: string };

/** Makes a record of one line of a file. @throws UsageError naming the line and every problem */
export type RecordAt = (value: unknown, line: number, position: number) => StringRecord;

/** What is wrong with a fixture, or with one of its strings. */
export function invalid(what: string, why: string, problems: UsageError["problems"]): UsageError {
  return new UsageError(
    "fixture-invalid",
    `${what} ${why}`,
    "a fixture is a whole job or the short form; `app-sim post-import --help` shows both",
    problems,
  );
}
