const quoted = /^(["'])(.*)\1$/s;

/** Whether a text stands in quotes of one kind. */
export function isQuoted(text: string): boolean {
  return quoted.test(text);
}

/** A text without the quotes and the white space around it, such as an env file or the end of a line leaves there. */
export function unwrapped(text: string): string {
  const trimmed = text.trim();
  return quoted.exec(trimmed)?.[2] ?? trimmed;
}
