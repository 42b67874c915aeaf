import { type RequestParts, withClaims } from "./request-parts.ts";
import type { TokenTwin } from "./token-twin.ts";

/** Seconds by which a token is too old or too early: more than any usual tolerance for clock skew. */
const BEYOND_TOLERANCE = 61;
/** Lifetime in seconds of a token that has expired: short, so that it is not refused for its age. */
const SHORT_LIFE = 1;

const DAY_SECONDS = 86_400;
/** In milliseconds, so long ago that the difference to now is negative in 32 bits. */
const WEEKS_AGO_DAYS = 37;

/** The last time with nine digits, in 2001. */
const NINE_DIGITS = 999_999_999;

/** Correctly signed tokens with invalid claims. */
export const tokenClaimTwins: readonly TokenTwin[] = [
  {
    name: "expired",
    what: `a token that expired ${BEYOND_TOLERANCE} seconds ago`,
    section: "RFC 7519, 4.1.4",
    severity: "must",
    changes: "token.claims.exp",
    why: "Tokens end up in logs and browser histories. One that never expires is a password that nobody can change.",
    fix: "Check `exp`, with a tolerance of 10 seconds.",
    // Issued before it expired, like every real one: some libraries refuse other tokens without looking at the clock.
    twin: withExpiredToken,
  },
  {
    name: "expired-long-ago",
    what: "a token that expired in 2001, when times had nine digits",
    section: "RFC 7519, 4.1.4",
    severity: "must",
    changes: "token.claims.exp",
    why: "Compared as texts, 999999999 comes after 1700000000. Such a comparison accepts a token that expired in 2001.",
    fix: "Compare `exp` with the clock as a number.",
    twin: (request) => withExpiry(request, NINE_DIGITS),
  },
  {
    name: "expired-weeks-ago",
    what: `a token that expired ${WEEKS_AGO_DAYS} days ago`,
    section: "RFC 7519, 4.1.4",
    severity: "must",
    changes: "token.claims.exp",
    why: "A difference of 25 days in milliseconds overflows a signed 32-bit integer. A comparison in 32 bits accepts tokens that expired some weeks ago, but refuses those of yesterday.",
    fix: "Compare `exp` with the clock in seconds, or in 64 bits.",
    twin: (request) => withExpiry(request, issuedAt(request) - WEEKS_AGO_DAYS * DAY_SECONDS),
  },
  {
    name: "not-yet-valid",
    what: `a token that becomes valid only in ${BEYOND_TOLERANCE} seconds`,
    section: "RFC 7519, 4.1.5",
    severity: "should",
    changes: "token.claims.nbf",
    why: "`nbf` says when a token becomes valid. An app that ignores it accepts tokens that were issued for later.",
    fix: "Check `nbf` if a token has one: JWT libraries do.",
    twin: (request) => withClaims(request, { nbf: issuedAt(request) + BEYOND_TOLERANCE }),
  },
  {
    name: "exp-missing",
    what: "a token without exp",
    section: "RFC 7519, 4.1.4",
    severity: "should",
    changes: "token.claims.exp",
    choices: ["guard.jwt.claims"],
    why: "Hardly any library objects to a missing claim. A token without `exp` is valid forever.",
    fix: "Require `exp`: JWT libraries have an option for that.",
    twin: (request) => withClaims(request, { exp: undefined }),
  },
  {
    name: "exp-text",
    what: "a token whose exp is a string",
    section: "RFC 7519, 4.1.4",
    severity: "should",
    changes: "token.claims.exp",
    why: "Comparing a string with a number may go either way. A time must be a number.",
    fix: "Refuse tokens whose `exp` is not a number: JWT libraries do.",
    twin: (request) => withClaims(request, { exp: "never" }),
  },
  {
    name: "exp-zero",
    what: "a token whose exp is 0",
    section: "RFC 7519, 4.1.4",
    severity: "should",
    changes: "token.claims.exp",
    why: "Code often takes 0 for a missing value. This token expired in 1970, and must not be valid forever.",
    fix: "Test whether `exp` is there, not whether it is truthy; better, leave the comparison to a JWT library.",
    twin: (request) => withClaims(request, { exp: 0 }),
  },
  {
    name: "audience-other",
    what: "a token for another app",
    section: "RFC 7519, 4.1.3",
    severity: "should",
    changes: "token.claims.aud",
    choices: ["guard.jwt.claims"],
    why: "Otherwise a token that was issued to another app opens this one, too. The owner of that app can log in here as any of that app's users.",
    fix: "Require that `aud` is the client id of the app.",
    // It starts with the right one, so that a substring search is not enough.
    twin: (request) => {
      const { aud } = request.token?.claims ?? {};
      return aud === undefined ? null : withClaims(request, { aud: `${String(aud)}-other` });
    },
  },
  {
    name: "module-other",
    what: "a token for another module of the app",
    section: "5.1",
    severity: "should",
    changes: "token.claims.module",
    choices: ["guard.jwt.claims"],
    why: "Each module gets tokens of its own. Without this check, a token for one module, such as a guard that is easy to pass, opens all others.",
    fix: "Require that the claim `module` is the key of the called module.",
    twin: (request) =>
      request.token?.claims.module === undefined ? null : withClaims(request, { module: "another-module" }),
  },
];

/** The request with a token that has expired, beyond every usual clock tolerance. */
export function withExpiredToken(request: RequestParts): RequestParts | null {
  return withExpiry(request, issuedAt(request) - BEYOND_TOLERANCE);
}

/** The request with a token that was valid for a short time, and expired at `exp`. */
function withExpiry(request: RequestParts, exp: number): RequestParts | null {
  const iat = request.token?.claims.iat === undefined ? undefined : exp - SHORT_LIFE;
  return withClaims(request, { iat, exp });
}

/** Seconds since the epoch at which the token was issued. */
function issuedAt({ token }: RequestParts): number {
  return Number(token?.claims.iat);
}
