// The linear congruential generator of java.util.Random: its documentation prescribes the formula.
const MULTIPLIER = 0x5_deec_e66dn;
const INCREMENT = 0xbn;
const STATE_BITS = 48n;
const STATE_MASK = (1n << STATE_BITS) - 1n;
const WORD_MASK = 0xffff_ffffn;
/** The bits of the state that an output of 32 bits does not show. */
const HIDDEN_BITS = 16n;

/**
 * Whether each of these texts is what java.util.Random printed: a `nextLong()` in decimal or hex, or the bytes of
 * `nextBytes()` in hex or base64. All further outputs of such a generator follow from one of 64 bits.
 */
export function areOfJavaRandom(texts: readonly string[]): boolean {
  return texts.length > 0 && texts.every((text) => wordsOf(text).some(isSequence));
}

/** The 32-bit outputs that a text may consist of, for each way to print them. */
function wordsOf(text: string): bigint[][] {
  const number = printedLong(text);
  return [
    ...(number === null ? [] : [wordsOfLong(number)]),
    ...(["hex", "base64"] as const).flatMap((encoding) => {
      const bytes = Buffer.from(text, encoding);
      const isWhole = bytes.toString(encoding).replaceAll("=", "") === inAlphabetOf(encoding, text);
      return isWhole && bytes.length >= 8 ? [wordsOfBytes(bytes)] : [];
    }),
  ];
}

/** The text as Node writes that encoding, without padding. */
function inAlphabetOf(encoding: "hex" | "base64", text: string): string {
  return encoding === "hex" ? text.toLowerCase() : text.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "");
}

/** Few numbers of 64 bits are shorter than these. */
const DECIMAL = /^-?\d{15,19}$/;
const HEX = /^[\da-f]{13,16}$/i;

/** The 64 bits of a printed `nextLong()`; null: it is none. */
function printedLong(text: string): bigint | null {
  if (DECIMAL.test(text)) return BigInt.asUintN(64, BigInt(text));
  return HEX.test(text) ? BigInt(`0x${text}`) : null;
}

/** `nextLong()` adds its second output, with a sign, to its first one. */
function wordsOfLong(number: bigint): bigint[] {
  const low = BigInt.asIntN(32, number);
  return [((number - low) >> 32n) & WORD_MASK, number & WORD_MASK];
}

/** `nextBytes()` writes each output from its lowest byte on; what is left of the last one does not matter. */
function wordsOfBytes(bytes: Buffer): bigint[] {
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => BigInt(bytes.readUInt32LE(index * 4)));
}

/** Whether some state of the generator has these outputs, one after another. */
function isSequence([first = 0n, ...others]: readonly bigint[]): boolean {
  for (let hidden = 0n; hidden < 1n << HIDDEN_BITS; hidden += 1n) {
    let state = (first << HIDDEN_BITS) | hidden;
    const isNext = (word: bigint) => {
      state = (state * MULTIPLIER + INCREMENT) & STATE_MASK;
      return state >> HIDDEN_BITS === word;
    };
    if (others.every(isNext)) return true;
  }
  return false;
}
