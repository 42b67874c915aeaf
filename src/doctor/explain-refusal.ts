import { answerWords } from "../app-client/answer-words.ts";
import { LOG_THE_VERIFIER } from "../app-client/doctor-words.ts";
import type { Answer } from "../app-client/read-answer.ts";
import { doubtsToken, installedHint } from "../app-client/refusal-hints.ts";
import { readChoices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { sentences } from "../protocol/sentences.ts";
import type { RefusalCause } from "./rules/judge-secrets.ts";
import { usualMistakes } from "./rules/usual-mistakes.ts";
import { examinedGuard, rightCall, sendCall } from "./wrong-calls.ts";

const notTried: RefusalCause = { isFound: false, hint: null };

/**
 * Finds out what an app accepts if it refuses a guard's valid call: it is sent the calls that apps with common mistakes
 * accept, one after another, until it accepts one.
 */
export async function explainRefusal(given: SimulatorContext, key: string): Promise<RefusalCause> {
  const called = await examinedGuard(given, key);
  if (called === null) return notTried;
  const { context, guard } = called;
  for (const { takes, fix, call } of usualMistakes(guard.installed.app, context.baseUrl())) {
    // Each with its own jti.
    const wrong = call(await rightCall(called));
    if (wrong === null) continue;
    const answered = await sendCall(called, wrong);
    if (!answered.ok) return notTried;
    if (isAccepted(answered.answer)) return { isFound: true, hint: `the app accepts the call if ${takes}: ${fix}` };
  }
  const hasInstallEvent = readChoices(context.choices).get("install.event") === "on";
  const hints = [shortSecret(guard.installed.app), elsewhere(key, hasInstallEvent)];
  return { isFound: false, hint: sentences(hints) };
}

/** An app may deny although it means to refuse. */
function isAccepted(answer: Answer): boolean {
  return answer.status === 200 && !doubtsToken(answerWords(answer));
}

/** RFC 7518, 3.2 */
const LEAST_KEY_BYTES = 32;

/** The likely cause if a library for JWTs refuses the secret itself; null: it is long enough. */
function shortSecret({ clientSecret }: App): string | null {
  const bytes = Buffer.byteLength(clientSecret);
  return bytes >= LEAST_KEY_BYTES
    ? null
    : `the clientSecret has ${bytes} bytes: strict JWT libraries refuse an HS256 key of fewer than ${LEAST_KEY_BYTES} (RFC 7518, 3.2); configure a longer one, here and in the app.`;
}

/** Causes that none of those calls reveals. */
function elsewhere(key: string, hasInstallEvent: boolean): string {
  const installed = installedHint(hasInstallEvent);
  return `none of the usual mistakes explains it: the app also refuses calls that fit them (another secret or form of it, another place for the JWT, another aud, other times or units of exp and iat, sub as a number, claims with other names). ${LOG_THE_VERIFIER} Most likely it has a secret or an audience of its own, or none at all: \`app-sim dev -- COMMAND\` starts it with the correct ones. If not, compare: the JWT has no iss, its module is ${JSON.stringify(key)}, and the body of the call is JSON.${installed}`;
}
