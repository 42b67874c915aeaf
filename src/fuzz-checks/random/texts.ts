import { type Arbitrary, array, constantFrom, integer, oneof } from "fast-check";

/** Letters of many scripts, of one to four bytes in UTF-8. */
const letters = [
  ..."aebcdzAZ",
  ..."éßøñÅžşİı",
  ..."їжакΩשלוםمرحبا",
  ..."日本語한नि",
  "\u{1D538}",
  "\u{20BB7}",
  "\u{10400}",
];

/** Characters that often break programs, except NUL, lone surrogates and U+FFFD. */
const oddities = [
  ..." 0.,-_:;'\"\\/`$&<>{}[]()%#@!?*+^|~=",
  "\n",
  "\r\n",
  "\t",
  "\u0001",
  "\u0007",
  "\u001b[31m",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u00ad",
  "\u0301",
  "\u200b",
  "\u200d",
  "\u200f",
  "\u202e",
  "\u2028",
  "\u2029",
  "\u3000",
  "\ufeff",
  "\uffff",
  "\u{1F389}",
  "\u{1F468}\u200d\u{1F469}\u200d\u{1F467}",
  "\u{1F1FA}\u{1F1E6}",
  "\\n",
  "\\u0041",
  "%s",
  "%1$d",
  "{name}",
  "$\u007bx}",
  "{n, plural, one {#} other {#}}",
  "<b>bold</b>",
  "</script>",
  "<!--",
  "]]>",
  "&amp;",
  "$1",
  "null",
  "true",
  "-1",
  "1e9",
  "__proto__",
  "constructor",
  "' OR 1=1 --",
];

const ASTRAL = 0x10000;

const character: Arbitrary<string> = oneof(
  integer({ min: 0x21, max: 0xd7ff }),
  integer({ min: 0xe000, max: 0xfffc }),
  integer({ min: ASTRAL, max: 0x10ffff }),
).map((code) => String.fromCodePoint(code));

const piece: Arbitrary<string> = oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: constantFrom(...letters) },
  { weight: 4, arbitrary: constantFrom(...oddities) },
  { weight: 2, arbitrary: character },
);

/** Legal texts with all that Unicode and markup have; they shrink to a few letters. */
export function oddText(fewest: number, most: number): Arbitrary<string> {
  return array(piece, { minLength: fewest, maxLength: most, size: "max" }).map((pieces) => pieces.join(""));
}

/** Words with a letter of the alphabet before and after: none of them is empty, a number or a placeholder. */
export function oddWord(most: number): Arbitrary<string> {
  const middle = array(constantFrom(...letters), { maxLength: most, size: "max" });
  return middle.map((pieces) => `n${pieces.join("")}o`);
}
