import { holdsStackTrace } from "../protocol/stack-trace.ts";
import { answerWords } from "./answer-words.ts";
import { OWN_LOG } from "./explain-outcome.ts";
import type { Answer } from "./read-answer.ts";

/** What a runtime says where a handler that verifies a signature throws, and what to look at. */
const thrown: readonly (readonly [says: RegExp, hint: string])[] = [
  [
    /(data|chunk)\W{1,6} argument must be of type string or an instance of Buffer/,
    'what the app hashed is neither text nor bytes: did a parser take the body before (app.use(express.json()) in Express), or did none read it (express.raw() wants { type: "application/json" })? Hash the raw body, before anything parses it',
  ],
  [
    /key\W{1,6} argument must be of type|\(\$key\) must be of type string, null given|key: expected bytes or bytearray, but got 'NoneType'/,
    "the app has no key for its HMAC: does it run with the PLATFORM_APP_SECRET that `app-sim env` prints?",
  ],
  [
    /Input buffers must have the same (byte )?length/,
    "timingSafeEqual throws where lengths differ: compare the lengths first; if the right signature has another length, the app makes it otherwise (app-sim webhook --explain shows how)",
  ],
];

const USUAL_CAUSES =
  "usual causes: a JSON parser took the body before it was hashed (app.use(express.json()) in Express), the app runs without PLATFORM_APP_SECRET (`app-sim env` prints it), or timingSafeEqual throws because lengths differ";

/** What an app should look at whose handler of a signed call answered 500. */
export function signatureFaultHint(answer: Answer): string {
  const words = answerWords(answer);
  const known = thrown.find(([says]) => says.test(words))?.[1];
  if (known !== undefined) return known;
  // A guess beside the app's own words would lead astray.
  if (holdsStackTrace(Buffer.from(answer.body).toString()))
    return `its answer names what was thrown, and where; ${OWN_LOG}`;
  return `${OWN_LOG}; ${USUAL_CAUSES}`;
}
