/**
 * A short text that a simple regular expression matches; null for unsupported syntax (look-around, back references). It
 * is a guess: it must be tried against the pattern.
 */
export function patternSample(pattern: string): string | null {
  const reader = { pattern, at: 0 };
  try {
    const sample = readAlternatives(reader);
    return reader.at === pattern.length ? sample : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

interface PatternReader {
  readonly pattern: string;
  at: number;
}

/** The sample of the first alternative; others are skipped. */
function readAlternatives(reader: PatternReader): string {
  const first = readSequence(reader);
  while (reader.pattern[reader.at] === "|") {
    reader.at += 1;
    readSequence(reader);
  }
  return first;
}

function readSequence(reader: PatternReader): string {
  let sample = "";
  while (reader.at < reader.pattern.length && !/[|)]/.test(reader.pattern[reader.at] ?? "")) {
    const atom = readAtom(reader);
    sample += atom.repeat(readCount(reader));
  }
  return sample;
}

function readAtom(reader: PatternReader): string {
  const { pattern } = reader;
  const character = pattern[reader.at] ?? "";
  reader.at += 1;
  if (character === "^" || character === "$") return "";
  if (character === ".") return "a";
  if (character === "\\") return escaped(pattern[reader.at++] ?? "");
  if (character === "[") {
    const end = pattern.indexOf("]", reader.at + 1);
    if (end < 0) throw new SyntaxError("an unterminated class");
    const characters = new RegExp(pattern.slice(reader.at - 1, end + 1));
    reader.at = end + 1;
    return [..."aA1_-. /"].find((each) => characters.test(each)) ?? (characters.source[1] as string);
  }
  if (character !== "(") return character;
  if (pattern[reader.at] === "?") {
    const opening = /^\?(?::|<[A-Za-z]\w*>)/.exec(pattern.slice(reader.at))?.[0];
    if (opening === undefined) throw new SyntaxError("a group of another kind");
    reader.at += opening.length;
  }
  const sample = readAlternatives(reader);
  if (pattern[reader.at] !== ")") throw new SyntaxError("an unterminated group");
  reader.at += 1;
  return sample;
}

function escaped(character: string): string {
  const known: Readonly<Record<string, string>> = {
    d: "1",
    w: "a",
    s: " ",
    D: "a",
    S: "a",
    W: "-",
    b: "",
    n: "\n",
    t: "\t",
  };
  const sample = known[character] ?? character;
  if (/[A-Za-z1-9]/.test(character) && known[character] === undefined)
    throw new SyntaxError("an escape of another kind");
  return sample;
}

/** The minimum number of repetitions of the last atom. */
function readCount(reader: PatternReader): number {
  const quantifier = /^(?:([*?+])|\{(\d{1,3})(?:,\d*)?\})\??/.exec(reader.pattern.slice(reader.at));
  if (quantifier === null) return 1;
  reader.at += quantifier[0].length;
  const [, sign, least] = quantifier;
  return least === undefined ? Number(sign === "+") : Number(least);
}
