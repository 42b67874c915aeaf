import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { Occasion } from "../../protocol/occasion.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { SourceFile } from "./source-file.ts";

/** The job of a fixture, without its strings and file content, which are sent inline or by URL. */
export interface Fixture {
  readonly name: string;
  /** The file that it was read from; null for an object. */
  readonly file: string | null;
  readonly occasion: Occasion | undefined;
  readonly job: ImportJob;
  readonly sourceFile: SourceFile;
  readonly strings: FixtureStrings;
  /** What is sent differently from the fixture. */
  readonly warnings: readonly string[];
}

/** The strings of a fixture: inside it, in a file of any length, or at an address. */
export type FixtureStrings =
  | { readonly kind: "embedded"; readonly records: readonly StringRecord[] }
  | { readonly kind: "file"; readonly file: string; readonly recordAt: RecordAt }
  | { readonly kind: "url"; readonly url: string };

/** Makes a record from one line of a file. @throws UsageError naming the line and every problem */
export type RecordAt = (value: unknown, line: number, position: number) => StringRecord;

/** The error for a fixture, or one of its strings, that is not valid. */
export function invalid(what: string, why: string, problems: UsageError["problems"]): UsageError {
  return new UsageError(
    "fixture-invalid",
    `${what} ${why}`,
    problems.some(({ path, message }) => path === "file" && message.startsWith("is missing"))
      ? 'a fixture names its localization file, such as "file": { "path": "en.json" }; `app-sim post-import --help` shows a whole one'
      : "a fixture is a complete job or the short form; `app-sim post-import --help` shows both",
    problems,
  );
}
