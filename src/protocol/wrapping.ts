const quoted = /^(["'])(.*)\1$/s;

/** Whether a text is in quotes of one kind. */
export function isQuoted(text: string): boolean {
  return quoted.test(text);
}

/** A text without surrounding quotes and white space, such as an env file or a line ending may leave. */
export function unwrapped(text: string): string {
  const trimmed = text.trim();
  return quoted.exec(trimmed)?.[2] ?? trimmed;
}
