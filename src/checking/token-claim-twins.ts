import { type RequestParts, withClaims } from "./request-parts.ts";
import type { TokenTwin } from "./token-twin.ts";

/** Seconds by which a token is too old or too early: more than any usual tolerance for clocks that differ. */
const BEYOND_TOLERANCE = 61;

/** Tokens that are signed rightly, and say what does not count. */
export const tokenClaimTwins: readonly TokenTwin[] = [
  {
    name: "expired",
    what: `a token that expired ${BEYOND_TOLERANCE} seconds ago`,
    section: "RFC 7519, 4.1.4",
    severity: "must",
    changes: "token.claims.exp",
    why: "Tokens end up in logs and browser histories. One that never expires is a password that nobody can change.",
    mend: "Check `exp`, with a tolerance of a few seconds at most.",
    twin: (request) => withClaims(request, { exp: issuedAt(request) - BEYOND_TOLERANCE }),
  },
  {
    name: "not-yet-valid",
    what: `a token that is valid only in ${BEYOND_TOLERANCE} seconds`,
    section: "RFC 7519, 4.1.5",
    severity: "should",
    changes: "token.claims.nbf",
    why: "`nbf` says from when on a token counts. An app that ignores it takes tokens that were made for later.",
    mend: "Check `nbf` where a token has one: libraries for JWTs do.",
    twin: (request) => withClaims(request, { nbf: issuedAt(request) + BEYOND_TOLERANCE }),
  },
  {
    name: "exp-missing",
    what: "a token without exp",
    section: "RFC 8725, 3.8",
    severity: "should",
    changes: "token.claims.exp",
    choices: ["guard.jwt.claims"],
    why: "A claim that is not there is checked by hardly any library. A token without `exp` is good for ever.",
    mend: "Require `exp`: the libraries have an option for it.",
    twin: (request) => withClaims(request, { exp: undefined }),
  },
  {
    name: "exp-text",
    what: "a token whose exp is a text",
    section: "RFC 7519, 4.1.4",
    severity: "should",
    changes: "token.claims.exp",
    why: "A comparison of a text with a number may come out either way. A time has to be a number.",
    mend: "Refuse tokens whose `exp` is no number: libraries for JWTs do.",
    twin: (request) => withClaims(request, { exp: "never" }),
  },
  {
    name: "audience-other",
    what: "a token for another app",
    section: "RFC 7519, 4.1.3",
    severity: "should",
    changes: "token.claims.aud",
    choices: ["guard.jwt.claims"],
    why: "Without it, a token that some other app was given opens this one. Whoever runs that app logs in as any of its users.",
    mend: "Require that `aud` is the client id of the app.",
    // It begins with the right one, so that looking for that in the text is not enough.
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
    why: "A user has tokens for every guard. Without this, the one for an easy guard opens all others.",
    mend: "Require that the claim `module` is the key of the module that is called.",
    twin: (request) =>
      request.token?.claims.module === undefined ? null : withClaims(request, { module: "another-module" }),
  },
];

/** Seconds since the epoch at which the token was issued. */
function issuedAt({ token }: RequestParts): number {
  return Number(token?.claims.iat);
}
