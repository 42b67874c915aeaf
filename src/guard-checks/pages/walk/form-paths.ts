/** Shorter parts of a path are seldom a key. */
const KEY_CHARACTERS = 8;
/** Parts of this length are keys even if their lengths differ. */
const LONG_CHARACTERS = 20;

/**
 * Whether two paths lead to the same place of an app for two logins: they are the same, or differ only in keys or
 * numbers, as in `/confirm/f81d4fae`. Words that differ, as in `/confirm` and `/sign-in`, are two places.
 * @param isOwn whether each is the path of the page that names it; then long parts of the same length need not look
 * like keys, because a form that goes to its own page says nothing by its path
 */
export function isSamePath(one: string, other: string, isOwn = false): boolean {
  const theirs = other.split("/");
  const own = one.split("/");
  return own.length === theirs.length && own.every((part, index) => isSamePart(part, theirs[index] ?? "", isOwn));
}

function isSamePart(one: string, other: string, isOwn: boolean): boolean {
  if (one === other || (isNumber(one) && isNumber(other))) return true;
  const least = Math.min(one.length, other.length);
  if (least < KEY_CHARACTERS || (one.length !== other.length && least < LONG_CHARACTERS)) return false;
  // By chance, a key may have no digit.
  return isOwn || /\d/.test(one + other);
}

function isNumber(part: string): boolean {
  return /^\d+$/.test(part);
}
