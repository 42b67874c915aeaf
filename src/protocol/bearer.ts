import { asDescription, jsonAnswer, type WireAnswer } from "./wire-answer.ts";

/** Why a call to the REST API is refused (RFC 6750 section 3.1; interface 5.4). */
export type BearerError = "invalid_token" | "insufficient_scope";

/** The token of an Authorization header (RFC 6750 section 2.1); null if there is none with the scheme Bearer. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? null;
}

const MISSING_TOKEN = "this call needs an access token: Authorization: Bearer …";

/** What is missing in a call whose Authorization header has no Bearer token; the header itself is never quoted. */
export function missingTokenText(authorization: string | undefined): string {
  const given = authorization?.trim() ?? "";
  if (given === "" || /^bearer\b/i.test(given)) return MISSING_TOKEN;
  const scheme = given.includes(" ") ? "with a scheme other than Bearer" : "without the word Bearer before its token";
  return `${MISSING_TOKEN}; the header came ${scheme}`;
}

/** 401 for a call without a token: the challenge has no error code (RFC 6750 section 3.1). */
export function missingTokenAnswer(message: string): WireAnswer {
  return apiError(401, message, { "www-authenticate": "Bearer" });
}

/** 401 or 403 for a token that is not sufficient (RFC 6750 section 3). */
export function bearerRefusal(error: BearerError, message: string, scope?: string): WireAnswer {
  const parts = [
    `error="${error}"`,
    `error_description="${asDescription(message)}"`,
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
  ];
  const status = error === "invalid_token" ? 401 : 403;
  return apiError(status, message, { "www-authenticate": `Bearer ${parts.join(", ")}` });
}

/** An error answer of the REST API. */
export function apiError(status: number, message: string, headers: WireAnswer["headers"] = {}): WireAnswer {
  return jsonAnswer(status, { error: { message, code: status } }, headers);
}
