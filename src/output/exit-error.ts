import type { UsageCode } from "../protocol/usage-codes.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** What ends a command with an exit code of its own: told as a mistake of the user is, with a hint. */
export class ExitError extends UsageError {
  readonly exitCode: number;

  constructor(exitCode: number, code: UsageCode, summary: string, hint: string) {
    super(code, summary, hint);
    this.exitCode = exitCode;
  }
}
