/** A complete answer of the platform, ready to be sent. */
export interface WireAnswer {
  /** The HTTP status code. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As sent; empty if there is none. */
  readonly body: string;
}

/** Error codes of RFC 6749 section 5.2. */
export type TokenError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "invalid_scope";

/** Why a request to the token endpoint is refused. */
export interface TokenRefusal {
  readonly error: TokenError;
  readonly description: string;
  /**
   * The client authenticated with Basic, so the answer has a challenge (RFC 6749 section 5.2). RFC 9110 section 15.5.2
   * wants a challenge in every 401; for a secret in the body there is none, because clients such as oauth4webapi report
   * a challenge instead of the error code.
   */
  readonly challenge?: boolean;
  /** If it is not the usual status for the error. */
  readonly status?: number;
}

/** What was read or found, or why the request is refused. */
export type Judged<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: TokenRefusal };

/** Accepts the request. */
export function accept<T>(value: T): Judged<T> {
  return { ok: true, value };
}

/** Refuses the request. */
export function refuse(
  error: TokenError,
  description: string,
  more: Pick<TokenRefusal, "challenge" | "status"> = {},
): { readonly ok: false; readonly refusal: TokenRefusal } {
  return { ok: false, refusal: { error, description, ...more } };
}

// RFC 6749 section 5.1: caches must not keep answers that hold a token.
const notKept = { "cache-control": "no-store", pragma: "no-cache" };

/** A JSON answer that caches must not keep. */
export function jsonAnswer(status: number, value: unknown, headers: WireAnswer["headers"] = {}): WireAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...notKept, ...headers },
    body: JSON.stringify(value),
  };
}

/** The refusal in the form of RFC 6749 section 5.2. */
export function refusalAnswer({ error, description, challenge = false, status }: TokenRefusal): WireAnswer {
  return jsonAnswer(
    status ?? (error === "invalid_client" ? 401 : 400),
    { error, error_description: asDescription(description) },
    challenge ? { "www-authenticate": 'Basic realm="app-sim", charset="UTF-8"' } : {},
  );
}

/** Keeps only the characters that RFC 6749 allows in `error_description`. */
export function asDescription(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, "?");
}
