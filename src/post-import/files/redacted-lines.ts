import { redactSecrets } from "../../journal/redact.ts";
import { LinesFile } from "./lines-file.ts";

/** Lines of an answer for the user's file, with secrets redacted: such files are shared (hardening S27). */
export class RedactedLines extends LinesFile {
  readonly #redact: (text: string) => string;
  /** Whether any of the texts held a secret. */
  hadSecrets = false;

  /** @param secrets the app's; complete JWTs are found without them */
  constructor(secrets: readonly string[]) {
    super();
    this.#redact = redactSecrets(secrets);
  }

  override add(line: string): number {
    return super.add(this.redact(line));
  }

  redact(text: string): string {
    const shown = this.#redact(text);
    this.hadSecrets ||= shown !== text;
    return shown;
  }
}
