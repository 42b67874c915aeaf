import { apiError, bearerRefusal } from "../../protocol/bearer.ts";
import { jsonAnswer, refusalAnswer, type WireAnswer } from "../../protocol/wire-answer.ts";
import type { Fault, FaultKind, FaultKindAt } from "./faults.ts";

/** Makes an answer that contains this explanation. */
type Answer = (said: string) => WireAnswer;

const tokenAnswers: Record<Exclude<FaultKindAt<"token">, "slow">, Answer> = {
  "400": (said) => refusalAnswer({ error: "invalid_request", description: said }),
  // RFC 6749 has these two codes for redirects only; the token endpoints of real servers use them too.
  "500": (said) => jsonAnswer(500, { error: "server_error", error_description: said }),
  "503": (said) => jsonAnswer(503, { error: "temporarily_unavailable", error_description: said }),
  html: gatewayPage,
  garbage: () => truncated({ token_type: "bearer", access_token: "", refresh_token: "" }),
};

const answers = {
  token: tokenAnswers,
  refresh: {
    ...tokenAnswers,
    refused: (said) => refusalAnswer({ error: "invalid_grant", description: said }),
  } satisfies Record<Exclude<FaultKindAt<"refresh">, "slow">, Answer>,
  api: {
    "401": (said) => bearerRefusal("invalid_token", said),
    "403": (said) => bearerRefusal("insufficient_scope", said),
    "404": (said) => apiError(404, said),
    "429": (said) => apiError(429, said, { "retry-after": "1" }),
    "500": (said) => apiError(500, said),
    "503": (said) => apiError(503, said),
    html: gatewayPage,
    garbage: () => truncated({ pagination: { offset: 0, limit: 25 }, data: [{ data: { id: 0 } }] }),
  } satisfies Record<Exclude<FaultKindAt<"api">, "slow">, Answer>,
};

/**
 * The answer that replaces handling the request, which then consumes and changes nothing. Each answer except `garbage`
 * says that it was asked for, so that nobody looks for the cause elsewhere.
 * @returns null for faults without an answer: `slow` delays the usual one, and `consent` is a redirect (RFC 6749
 *   section 4.1.2.1)
 */
export function faultAnswer({ place, kind }: Fault): WireAnswer | null {
  if (place === "consent") return null;
  const byKind: Partial<Record<FaultKind, Answer>> = answers[place];
  return byKind[kind]?.(`app-sim was asked for this fault: ${place}=${kind}`) ?? null;
}

/** The page of a load balancer whose server does not answer properly. */
function gatewayPage(said: string): WireAnswer {
  const lines = [
    "<html>",
    "<head><title>502 Bad Gateway</title></head>",
    "<body>",
    "<center><h1>502 Bad Gateway</h1></center>",
    `<!-- ${said} -->`,
    "</body>",
    "</html>",
    "",
  ];
  return { status: 502, headers: { "content-type": "text/html" }, body: lines.join("\r\n") };
}

/** A success whose body ends in the middle of the JSON. */
function truncated(value: object): WireAnswer {
  const whole = jsonAnswer(200, value);
  return { ...whole, body: whole.body.slice(0, whole.body.length / 2) };
}
