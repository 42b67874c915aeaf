// Escapes and percent signs are escaped again where JSON or a URL stands inside another. The counts are bounded,
// or a long row of backslashes would take quadratic time.
const jsonEscape = String.raw`\\{1,7}`;
const percent = "%(?:25){0,2}";
const backslashes = String.raw`(?:\\|u005[cC]|${percent}5[cC]){1,64}`;

export type Hide = (text: string) => string;

/** Replaces every secret in a text, in any spelling, by the marker; the longest first where one contains another. */
export function secretHider(secrets: readonly string[], marker: string): Hide {
  const known = [...new Set(secrets)].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  if (known.length === 0) return (text) => text;
  const plain = new RegExp(known.map(literally).join("|"), "g");
  // Large and slow to compile, and most texts hold nothing that could spell a character otherwise.
  let thorough: RegExp | null = null;
  return (text) => {
    if (!/[\\%+]/.test(text)) return text.replace(plain, marker);
    thorough ??= new RegExp(known.map(inAnySpelling).join("|"), "g");
    return text.replace(thorough, marker);
  };
}

/** The source of a pattern for a text whose characters may each be plain, JSON-escaped or percent-encoded. */
function inAnySpelling(text: string): string {
  const parts = text.match(/\\+|./gsu) ?? [];
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
