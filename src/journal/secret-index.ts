/** Length of the prefix by which secrets are looked up. */
const PREFIX_CHARACTERS = 8;

/** Finds the longest of many secrets at a position in a text, in time independent of their number. */
export class SecretIndex {
  /** By the length of the prefix, then by the prefix: the secrets of each length, the longest first. */
  readonly #byPrefix = new Map<number, Map<string, Map<number, Set<string>>>>();
  /** The first code units of all secrets: at most positions of a text, none can begin. */
  readonly #beginnings = new Set<number>();

  constructor(secrets: readonly string[]) {
    const known = [...new Set(secrets)].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
    for (const secret of known) {
      this.#beginnings.add(secret.charCodeAt(0));
      const prefixLength = Math.min(secret.length, PREFIX_CHARACTERS);
      const prefixes = entry(this.#byPrefix, prefixLength, () => new Map());
      const lengths = entry(prefixes, secret.slice(0, prefixLength), () => new Map<number, Set<string>>());
      entry(lengths, secret.length, () => new Set()).add(secret);
    }
  }

  get isEmpty(): boolean {
    return this.#byPrefix.size === 0;
  }

  /** The length of the longest secret at this position; 0 if there is none. */
  lengthAt(text: string, at: number): number {
    if (!this.#beginnings.has(text.charCodeAt(at))) return 0;
    let longest = 0;
    for (const [prefixLength, prefixes] of this.#byPrefix) {
      const lengths = prefixes.get(text.slice(at, at + prefixLength));
      for (const [length, secrets] of lengths ?? []) {
        if (length > longest && secrets.has(text.slice(at, at + length))) longest = length;
      }
    }
    return longest;
  }
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
