/** Single quotes keep every character of a POSIX shell but the single quote itself. */
export function shellQuoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** A word of a command line, quoted where a shell would read it otherwise. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}
