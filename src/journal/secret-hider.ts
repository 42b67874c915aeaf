// Escapes and percent signs are escaped again where JSON or a URL stands inside another. The counts are bounded,
// or a long row of backslashes would take quadratic time.
const jsonEscape = String.raw`\\{1,7}`;
const percent = "%(?:25){0,2}";
const backslashes = String.raw`(?:\\|u005[cC]|${percent}5[cC]){1,64}`;

/** A secret with this many parts hardly ever occurs in a text by chance. */
const TELLING_PARTS = 4;

export type Hide = (text: string) => string;

/** Replaces every secret in a text, in any spelling, by the marker; the longest first where one contains another. */
export function secretHider(secrets: readonly string[], marker: string): Hide {
  const known = [...new Set(secrets)].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  if (known.length === 0) return (text) => text;
  const plain = new RegExp(known.map(literally).join("|"), "g");
  let anyBeginning: RegExp | null = null;
  return (text) => {
    // Most texts hold nothing that could spell a character otherwise.
    if (!/[\\%+]/.test(text)) return text.replace(plain, marker);
    // The pattern of a whole secret is large and slow to compile: only what begins like a secret is worth it.
    anyBeginning ??= new RegExp(known.map(beginningInAnySpelling).join("|"));
    if (!anyBeginning.test(text)) return text;
    const near = known.filter((secret) => new RegExp(beginningInAnySpelling(secret)).test(text));
    return text.replace(new RegExp(near.map((secret) => inAnySpelling(partsOf(secret))).join("|"), "g"), marker);
  };
}

function beginningInAnySpelling(secret: string): string {
  return inAnySpelling(partsOf(secret).slice(0, TELLING_PARTS));
}

/** Characters, or rows of backslashes. */
function partsOf(text: string): readonly string[] {
  return text.match(/\\+|./gsu) ?? [];
}

/** The source of a pattern for a text whose characters may each be plain, JSON-escaped or percent-encoded. */
function inAnySpelling(parts: readonly string[]): string {
  return parts.map((part) => (part.startsWith("\\") ? backslashes : inAnySpellingOf(part))).join("");
}

function inAnySpellingOf(character: string): string {
  const shortEscape = JSON.stringify(character).slice(1, -1).replace(/^\\/, "");
  const spellings = [
    ...(character === " " ? [literally("+")] : []),
    literally(character),
    jsonEscape + literally(shortEscape),
    codeUnits(character)
      .map((unit) => `${jsonEscape}u${inAnyCase(unit)}`)
      .join(""),
    Array.from(Buffer.from(character), (byte) => percent + inAnyCase(hex(byte, 2))).join(""),
  ];
  return `(?:${spellings.join("|")})`;
}

function literally(text: string): string {
  return codeUnits(text)
    .map((unit) => `\\u${unit}`)
    .join("");
}

function codeUnits(text: string): string[] {
  return text.split("").map((unit) => hex(unit.charCodeAt(0), 4));
}

function inAnyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** Whether a text holds one of the secrets, in any spelling. */
export function secretFinder(secrets: readonly string[]): (text: string) => boolean {
  const hide = secretHider(secrets, "");
  return (text) => hide(text) !== text;
}
