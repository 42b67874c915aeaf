/** Deep enough for every real payload, shallow enough that no recursive reader of ours overflows (hardening S24). */
const DEPTH_LIMIT = 64;

interface Level {
  /** null in an array. */
  readonly keys: Set<string> | null;
  /** Whether the next string is a key. */
  atKey: boolean;
}

/**
 * What JSON.parse lets through, but different readers read differently: nesting without end, and an object with
 * one key twice (RFC 8259 4). Null when there is neither; the text may turn out to be no JSON at all.
 */
export function jsonHazard(text: string): string | null {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        if (level?.keys != null && level.atKey) {
          const key = unescaped(text.slice(at, end + 1));
          if (level.keys.has(key)) return `has the key ${JSON.stringify(key)} twice in one object`;
          level.keys.add(key);
          level.atKey = false;
        }
        at = end;
        break;
      }
      case "{":
      case "[":
        levels.push(text[at] === "{" ? { keys: new Set(), atKey: true } : { keys: null, atKey: false });
        if (levels.length > DEPTH_LIMIT) return `is nested deeper than ${DEPTH_LIMIT} levels`;
        break;
      case "}":
      case "]":
        levels.pop();
        break;
      case ",":
        if (level !== undefined) level.atKey = level.keys !== null;
        break;
    }
  }
  return null;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** The same key may be spelt in several ways: `"a"` and `"\u0061"`. */
function unescaped(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal;
  }
}
