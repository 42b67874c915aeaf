/** The variables that a dotenv file sets. */
export function variablesInDotenv(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=[ \t]*(.*)$/gm)];
  return new Map(pairs.map(([, name = "", value = ""]) => [name, valueIn(value.trim())]));
}

/** Without its quotes, or without the comment after it. */
function valueIn(written: string): string {
  const [, , quoted] = /^(["'`])(.*?)\1\s*(?:#.*)?$/.exec(written) ?? [];
  return quoted ?? written.replace(/\s+#.*$/, "");
}
