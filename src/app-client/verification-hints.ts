import { answerWords } from "./answer-words.ts";
import { DOCTOR_TRIES_THIS } from "./doctor-words.ts";
import type { Answer } from "./read-answer.ts";
import type { SentToken } from "./token-hints.ts";

/** What is known about a guard's verification request, besides its token. */
export interface VerificationCall {
  /** Address of the guard's page, which the platform opens after the first call; null if it has none. */
  readonly page: string | null;
  /** Whether it is the final call, with the code of the page. */
  readonly hasCode: boolean;
}

const absent =
  "(?:missing|required|undefined|null|empty|blank|absent|not (?:given|provided|set|sent|present|found|specified)|must be|(?:should|can|may)(?: ?not|n't)? be)";
const member = "(?:user_?id|organi[sz]ation_?id|ip_?address|module_?key)";
const lacksMember = new RegExp(
  `\\b${member}\\b[\\s\\S]{0,40}\\b${absent}\\b|\\b(?:missing|no|required property)\\b.{0,20}\\b${member}\\b`,
  "i",
);
const lacksCode = new RegExp(
  `\\bcode\\b.{0,30}\\b${absent}\\b|\\b(?:missing|no|required property)\\b.{0,20}\\bcode\\b`,
  "i",
);

const person = "(?:user(?:_?id)?|subject|sub|organi[sz]ation(?:_?id)?|org(?:_?id)?|tenant)";
const comparesPersons = new RegExp(
  `\\b${person}\\b.{0,40}\\b(?:mismatch\\w*|(?:not|n't) (?:match|equal|the same)|differs?)|\\b(?:wrong|mismatch\\w*|not match|(?:for|of) (?:another|a different))\\b.{0,30}\\b${person}\\b`,
  "i",
);

/**
 * What the message of an app that refuses a verification request says about its body and code; null if it is not a
 * known one.
 */
export function verificationHint(answer: Answer, call: VerificationCall, token: SentToken): string | null {
  const says = answerWords(answer);
  if (call.page !== null && !call.hasCode && lacksCode.test(says))
    return 'the first call has no code (interface 4.2): answer it with 200 and {"success": false}, and the user is sent to the page';
  if (call.page === null && /\brequired property\W{1,3}code\b/i.test(says))
    return "only the final call of a guard with a page has a code: do not require it";
  if (comparesPersons.test(says)) return comparisonHint(token);
  if (!lacksMember.test(says) || /\bclaim/i.test(says)) return null;
  return "the body is JSON with userId and organizationId (numbers), ipAddress and moduleKey (strings): does the route parse JSON (express.json(), in Express), and read these names?";
}

/** What to check if a guard denies because of a mismatch, which may be between parts of the request itself. */
export function comparedDenialHint(words: string, token: SentToken): string | null {
  const hint = comparesPersons.test(words) ? comparisonHint(token) : null;
  return hint === null ? null : `if that compares the body with the JWT: ${hint}`;
}

/** If the choice `guard.jwt.claims` changes a claim, only its name is known. */
function comparisonHint({ claims }: SentToken): string | null {
  if (!["sub", "context", "module"].every((name) => claims.includes(name))) return null;
  return `the JWT has the body's userId (a number) as sub (a string), organizationId as context.organization_id, and moduleKey as module: does the app compare them that way?${DOCTOR_TRIES_THIS}`;
}

/** A hint if a guard redirects to its own page, which the platform opens itself; null otherwise. */
export function ownPageHint({ page }: VerificationCall, target: URL | null): string | null {
  if (page === null || target === null) return null;
  const own = new URL(page);
  if (own.origin !== target.origin || own.pathname !== target.pathname) return null;
  return 'that is the guard\'s own page (options.url), which the platform opens itself: answer 200 with {"success": false}';
}
