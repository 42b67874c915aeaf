import { redactText } from "../journal/redact.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { holdsStackTrace } from "../protocol/stack-trace.ts";
import { answerWords } from "./answer-words.ts";
import { OWN_LOG } from "./explain-outcome.ts";
import type { Answer } from "./read-answer.ts";

/**
 * What a runtime says if a handler that verifies a signature throws, and what to check; the last text is added if the
 * signature was correct.
 */
const thrown: readonly (readonly [says: RegExp, hint: string, ofRightSignature?: string])[] = [
  [
    /(data|chunk)\W{1,6} argument must be of type string or an instance of Buffer/,
    'the app hashed something that is neither text nor bytes: was the body parsed first (app.use(express.json()) in Express), or not read at all (express.raw() needs { type: "application/json" })? Hash the raw body, before anything parses it',
  ],
  [
    /key\W{1,6} argument must be of type|\(\$key\) must be of type string, null given|key: expected bytes or bytearray, but got 'NoneType'/,
    "the app has no key for its HMAC: does it run with the PLATFORM_APP_SECRET that `app-sim env` prints?",
  ],
  [
    /first argument must be of type string or an instance of Buffer.{0,200}Received undefined/s,
    "Buffer.from throws if there is no signature: refuse such a delivery first",
    "; this one has a signature: does the app read its header under the right name (in Node.js, names in req.headers are in lower case)?",
  ],
  [
    /Input buffers must have the same (byte )?length/,
    "timingSafeEqual throws if the lengths differ: compare the lengths first",
    "; the app's own signature has a different length: `app-sim webhook --explain` shows how it is made",
  ],
];

const USUAL_CAUSES =
  "usual causes: a JSON parser consumed the body before it was hashed (app.use(express.json()) in Express), the app runs without PLATFORM_APP_SECRET (`app-sim env` prints it), or timingSafeEqual throws because lengths differ";

/** What to ask of an app that fails on a forged delivery. */
export const THROWS_FOR_SIGNATURE =
  "what does it throw if a signature is missing or wrong? timingSafeEqual of Node.js throws if the lengths differ, hmac.compare_digest of Python if one side is None";

/** The hint if the app acknowledged the same delivery before, correctly signed. */
const TAKEN_BEFORE = `it acknowledged the same delivery before, so its parser and its secret are correct: ${THROWS_FOR_SIGNATURE}`;

/** What says nothing about the cause: standard messages, addresses and times. */
const emptyWords =
  /^((internal )?server error|an? (unexpected|unknown|internal) .*|something went wrong.*|https?:.*|\/.*|\d{4}-\d\d-.*)$/i;
/** A longer body is a page. */
const WORDS_LIMIT_BYTES = 2000;
const SHOWN_CHARACTERS = 200;

/** The app's own message for what went wrong; null if there is none. Ids and codes do not count. */
function ownWords(answer: Answer): string | null {
  if (answer.body.length > WORDS_LIMIT_BYTES || /^\s*</.test(Buffer.from(answer.body).toString())) return null;
  const lines = answerWords(answer)
    .split("\n")
    .map((line) => line.trim());
  const said = lines.find((line) => /\S\s+\S/.test(line) && !emptyWords.test(line));
  return said === undefined ? null : clip(harmlessLine(redactText(said, [])), SHOWN_CHARACTERS);
}

/** What an answer with a stack trace says was thrown. */
function thrownText(words: string): string {
  const said = words.split("\n").find((line) => /^\W*[\w.]*(?:Error|Exception)\b.*:/.test(line));
  if (said === undefined) return "its answer says what was thrown, and where";
  return `its answer says what was thrown: ${clip(harmlessLine(redactText(said.trim(), [])), SHOWN_CHARACTERS)}`;
}

/**
 * What to check in an app whose handler of a signed call answered 500.
 * @param isTaken whether it acknowledged the same delivery before, correctly signed
 */
export function signatureFaultHint(answer: Answer, isTaken: boolean): string {
  const words = answerWords(answer);
  const [, known, ofRightSignature = ""] = thrown.find(([says]) => says.test(words)) ?? [];
  if (known !== undefined) return isTaken ? known : known + ofRightSignature;
  // Next to the app's own message, a guess would be misleading.
  if (holdsStackTrace(Buffer.from(answer.body).toString())) return `${thrownText(words)}; ${OWN_LOG}`;
  const said = ownWords(answer);
  if (said === null) return `${OWN_LOG}; ${isTaken ? TAKEN_BEFORE : USUAL_CAUSES}`;
  const isRefusal = /signature|hmac|digest|unauthori[sz]ed|forbidden/i.test(said);
  return `${isRefusal ? "catch what is thrown if a signature is wrong" : OWN_LOG}; its answer says: ${said}`;
}
