import { redactSecrets } from "../../journal/redact.ts";
import { LinesFile } from "./lines-file.ts";

/** Lines of an answer for a file of the user, without the secrets in them: such files are shared (hardening S27). */
export class RedactedLines extends LinesFile {
  readonly #redact: (text: string) => string;
  /** Whether there was a secret in any of the texts. */
  hadSecrets = false;

  /** @param secrets of the app; whole JWTs are found without them */
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
