import type { UsageCode } from "./usage-codes.ts";

/** One thing that is wrong with the user's input: where, and what. */
export interface Problem {
  /** Where: a path such as `modules.auth-guard[1].options.url`, or "" for the input as a whole. */
  readonly path: string;
  /** What is wrong there, in words. */
  readonly message: string;
  /** A warning does not stop anything from working; absent: an error. */
  readonly severity?: "warning";
}

/**
 * The user's own mistake: a wrong flag, value, file or manifest. Shown as one line, more lines if there are several
 * problems, and a hint, never as a stack trace; the process exits with 2.
 */
export class UsageError extends Error {
  /** Stable, for programs: `unknown-choice`, `config-invalid` … (docs/errors.md has them all). */
  readonly code: UsageCode;
  /** What to try next. */
  readonly hint: string;
  /** The message without the problems. */
  readonly summary: string;
  /** What is wrong where; empty if the message says it all. */
  readonly problems: readonly Problem[];

  constructor(code: UsageCode, summary: string, hint: string, problems: readonly Problem[] = []) {
    super(
      [summary, problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ")].filter(Boolean).join(": "),
    );
    this.name = "UsageError";
    this.code = code;
    this.summary = summary;
    this.hint = hint;
    this.problems = problems;
  }
}
