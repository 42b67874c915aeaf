import { redactSecrets } from "../../journal/redact.ts";
import { createLinesFile, type LinesFile } from "./lines-file.ts";

/** What came, to be kept in a file of the user's: the strings, and whatever else goes there with them. */
export interface KeptLines extends Pick<LinesFile, "open" | "close"> {
  add(line: string): void;
  /** The text without the secrets in it. */
  hide(text: string): string;
  /** Whether there was a secret in any of it, which is not kept: such files are shared (hardening S27). */
  readonly hadSecrets: boolean;
}

/** @param secrets of the app; whole JWTs are found without them */
export function keepLines(secrets: readonly string[]): KeptLines {
  const file = createLinesFile();
  const redact = redactSecrets(secrets);
  let hadSecrets = false;
  const hide = (text: string) => {
    const shown = redact(text);
    hadSecrets ||= shown !== text;
    return shown;
  };
  return {
    add: (line) => void file.add(hide(line)),
    hide,
    get hadSecrets() {
      return hadSecrets;
    },
    open: file.open,
    close: file.close,
  };
}
