import { headerValue } from "../journal/exchange.ts";
import { sentences } from "../protocol/sentences.ts";
import { answerWords } from "./answer-words.ts";
import { ASK_DOCTOR, DOCTOR_TRIES_ALL, LOG_THE_VERIFIER, withoutDoctor } from "./doctor-words.ts";
import { OWN_LOG } from "./explain-outcome.ts";
import { csrfCookieHint, csrfHint, silentPageHint } from "./framework-hints.ts";
import type { Answer } from "./read-answer.ts";
import { firstHint, ownFaultHints, type SentToken, saysNoKey, tokenHints, type WordHint } from "./token-hints.ts";
import { comparedDenialHint, type VerificationCall, verificationHint } from "./verification-hints.ts";

/** How a call was authenticated, and what else is known about it that may explain a refusal. */
export interface CallFacts {
  readonly by: "token" | "signature" | "body" | "page" | "none";
  /** For `token`. */
  readonly token?: SentToken;
  /** For `token`: what is known about the call if it is a guard's. */
  readonly verification?: VerificationCall;
  /**
   * What the app accepted just before: for `token` the guard's call with such a JWT, or the page with this very one;
   * for `signature` the same delivery, correctly signed.
   */
  readonly tookBefore?: "call" | "page" | "delivery";
  /** For `signature`: the name of its header. */
  readonly header?: string;
  /** What was called. */
  readonly url?: string;
  /** The method; default POST for `signature` and `body`. */
  readonly method?: string;
  /** The Content-Type of a form; null or missing: no form was sent. */
  readonly contentType?: string | null;
  /** Why the platform refused a request of the app during the call; null if it refused none. */
  readonly refusedMeanwhile?: string | null;
  /** false: the app was uninstalled. */
  readonly isInstalled?: boolean;
}

const signatureHints: readonly WordHint<string>[] = [
  [
    /(missing|no|without|required|empty)\b.{0,30}\b(signature|header)|signature.{0,30}(missing|required|not (found|provided|present))/i,
    (header) => `the signature is in ${header}: does the app read that header?`,
  ],
  [
    /timestamp|too old|stale|tolerance|expired/i,
    () =>
      "does the app expect a signed timestamp? The choice webhook.signature.content says what is signed; `app-sim clock` shows the platform's time",
  ],
];

/** What may be wrong if the app's own message does not say. */
function usualHint(answer: Answer, { by, token, tookBefore }: CallFacts): string {
  switch (by) {
    case "token":
      return token === undefined
        ? "does the app verify the JWT as the platform signs it?"
        : usualTokenHint(answer, token, tookBefore);
    case "signature":
      return "does the app verify the signature over the raw bytes of the body, with the PLATFORM_APP_SECRET that `app-sim env` prints?";
    case "body":
      return "nothing but the PLATFORM_APP_SECRET in its body authenticates this call: it has no Authorization header and no signature";
    case "page":
      return "neither the address nor the form passed on the page's JWT: if the app identifies its user by a cookie instead, did the page set it?";
    case "none":
      return "this call carries no credentials";
  }
}

/** Whether the message of a guard that denies is about the token it received, rather than about its user. */
export function doubtsToken(words: string): boolean {
  const about = /\b(?:jwt|bearer|token|signature)\b/i;
  const doubt =
    /\b(?:invalid|not valid|malformed|missing|wrong|bad|mismatch|verif\w+ fail\w*|(?:not|n't) (?:be )?verif\w+|rejected)\b/i;
  return (about.test(words) && doubt.test(words)) || saysNoKey(words);
}

const REFUSE_WITH_401 = "A guard that does not trust the JWT answers 401, not 200";

/**
 * What to check if a guard denied with a message about the call rather than its user; null if it did not, or had no
 * token.
 */
export function doubtedCallHint(words: string, { token }: CallFacts): string | null {
  if (token === undefined) return null;
  if (!doubtsToken(words)) return comparedDenialHint(words, token);
  const meant = eitherOr.test(words) ? null : firstHint(tokenHints, words, token);
  const hint = meant === null ? `is its signature verified with ${token.verifiedWith}?` : withoutDoctor(meant);
  return `${ASK_DOCTOR} ${sentences([`If that is about the JWT of the call: ${hint}`, REFUSE_WITH_401])}`;
}

/** A question about the installation, if the platform sends installation events; ends a hint. */
export function installedHint(hasInstallEvent: boolean): string {
  return hasInstallEvent ? " Has it received its installation event (`app-sim install`)?" : "";
}

function usualTokenHint(answer: Answer, token: SentToken, tookBefore: CallFacts["tookBefore"]): string {
  const { sentAs, algorithm, hasInstallEvent } = token;
  if (tookBefore === "page")
    return "the page already accepted the JWT that its form sends again here: does the app accept each jti only once?";
  if (tookBefore === "call")
    return `the page's JWT is sent ${sentAs}: does the page read it from there, and verify it with the same secret as the guard? The guard's own call, whose JWT is signed the same way, was accepted`;
  const installed = installedHint(hasInstallEvent);
  const audience = token.audience === undefined ? "" : ", and its aud with PLATFORM_CLIENT_ID";
  const unsaid = isSilent(answer) ? ` ${LOG_THE_VERIFIER}` : "";
  return `${ASK_DOCTOR}${unsaid} Does the app verify the JWT (${algorithm}, ${sentAs}) with ${token.verifiedWith}${audience}?${installed} \`app-sim guard --explain\` shows its claims, and code that verifies it.`;
}

/** "Missing or not valid": such messages leave open which it is. */
const eitherOr =
  /\b(missing|invalid|not valid|expired)\b.{0,12}\bor\b|\bor\b.{0,12}\b(missing|invalid|not valid|expired)\b/i;

/** What the app's message says about what was sent; null if it is not a known one. */
function wordHint(answer: Answer, { by, token, header, verification }: CallFacts): string | null {
  const says = answerWords(answer);
  if (eitherOr.test(says)) return null;
  if (by === "token" && token !== undefined) {
    const ofCall = verification === undefined ? null : verificationHint(answer, verification, token);
    return ofCall ?? firstHint(tokenHints, says, token);
  }
  return by === "signature" && header !== undefined ? firstHint(signatureHints, says, header) : null;
}

/** Messages of servers and frameworks in production, which give no reason. */
const SILENT =
  /^(?:internal(?: server)? error|server error|error|oops|something went wrong|500|401|403|unauthori[sz]ed|forbidden|access denied|[\W_])*$/i;
const SILENT_CHARACTERS = 200;

function isSilent(answer: Answer): boolean {
  return SILENT.test(answerWords(answer).slice(0, SILENT_CHARACTERS));
}

/** What to check if an app failed without a reason on a call with a JWT: many libraries throw if they have no key. */
export function silentFaultHint(answer: Answer, { by, token, tookBefore }: CallFacts): string | null {
  if (by !== "token" || token === undefined || tookBefore !== undefined) return null;
  if (!isSilent(answer)) return null;
  return `${OWN_LOG}; if that names no cause: does the app run with ${token.verifiedWith}? A JWT verifier that throws, and is not caught, ends in a ${answer.status}${DOCTOR_TRIES_ALL}`;
}

/** What the message of an app that failed says about the call; null if it is not a known one. */
export function ownFaultHint(answer: Answer, { by, token }: CallFacts): string | null {
  if (by !== "token" || token === undefined) return null;
  const says = answerWords(answer);
  const doubt = doubtsToken(says) && !eitherOr.test(says) ? firstHint(tokenHints, says, token) : null;
  const ofDoubt =
    doubt === null ? null : sentences([doubt, `Answer 401, not ${answer.status}, to a token that is not valid`]);
  return firstHint(ownFaultHints, says, token) ?? ofDoubt;
}

/** What to check if an app refused a call, by what was sent, what happened meanwhile, and what its answer says. */
export function refusalHint(answer: Answer, facts: CallFacts): string {
  return (
    circumstanceHint(answer, facts) ??
    wordHint(answer, facts) ??
    csrfCookieHint(answer, isOfPage(facts)) ??
    signInWallHint(answer, facts) ??
    usualHint(answer, facts)
  );
}

/** What apps say that want somebody to log in before anything else. */
const asksToLogIn =
  /\b(?:please|must|need to) (?:log|sign)[ -]?in\b|\bnot (?:logged|signed)[ -]?in\b|\b(?:log-?in|sign-?in) required\b|^\W*(?:log|sign)[ -]?in\W*$/im;

/** The hint for a call that a login for users keeps from its route; null: it is another refusal, or a denial. */
function signInWallHint(answer: Answer, { by }: CallFacts): string | null {
  const scheme = /^(basic|digest)\b/i.exec(headerValue(answer.headers, "www-authenticate") ?? "")?.[1];
  // With a verdict it is a guard that denies, for example outside the office.
  if (by !== "token" || Buffer.from(answer.body).includes('"success"')) return null;
  if (scheme === undefined && !asksToLogIn.test(answerWords(answer))) return null;
  const wants = scheme === undefined ? "a login" : `${scheme} authentication`;
  return `the app asks for ${wants}: exempt this route from it, because the platform has no session, only the JWT`;
}

/** The same for a 4XX that need not be about credentials; null if nothing is known. */
export function badRequestHint(answer: Answer, facts: CallFacts): string | null {
  return (
    circumstanceHint(answer, facts) ?? (isOfPage(facts) ? null : silentPageHint(answer)) ?? wordHint(answer, facts)
  );
}

/** What is known regardless of the app's message about credentials. */
function circumstanceHint(answer: Answer, facts: CallFacts): string | null {
  const { refusedMeanwhile = null, isInstalled = true } = facts;
  if (refusedMeanwhile !== null) return refusedMeanwhile;
  const csrf = csrfHint(answer, isOfPage(facts));
  if (csrf !== null) return csrf;
  return isInstalled ? null : "the app was uninstalled: `app-sim install` sends it a new installation event";
}

/** Whether a page of the app made the request, for example with a form, and not the platform. */
function isOfPage({ by, tookBefore }: CallFacts): boolean {
  return by === "page" || tookBefore === "page";
}
