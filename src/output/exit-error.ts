import type { UsageCode } from "../protocol/usage-codes.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** Ends a command with its own exit code: shown like a user's mistake, with a hint. */
export class ExitError extends UsageError {
  readonly exitCode: number;

  constructor(exitCode: number, code: UsageCode, summary: string, hint: string) {
    super(code, summary, hint);
    this.exitCode = exitCode;
  }
}
