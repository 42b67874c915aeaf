/** In single quotes, a POSIX shell changes nothing; only the single quote itself has to be escaped. */
export function shellQuoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

/** A word of a command line, quoted if a shell would read it differently. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuoted(word);
}
