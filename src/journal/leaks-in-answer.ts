import type { NamedSecret } from "../config/secrets.ts";
import { bearerToken } from "../protocol/bearer.ts";
import { holdsStackTrace } from "../protocol/stack-trace.ts";
import { type AnswerPart, answerParts, answerText } from "./answer-parts.ts";
import { type Exchange, headerValue } from "./exchange.ts";
import type { FindSecrets } from "./secrets-in.ts";

/** The part of an answer that contains secrets, and which ones. */
export interface LeakedSecrets {
  readonly part: AnswerPart;
  readonly names: readonly string[];
}

/** The secrets in an answer of the app, before anything is redacted (hardening G19). */
export function leakedSecrets(exchange: Exchange, find: FindSecrets): LeakedSecrets[] {
  return answerParts(exchange).flatMap((part) => {
    const names = find(part.text);
    return names.length === 0 ? [] : [{ part, names }];
  });
}

/** As a phrase: `the app's header X-Debug holds the client secret`. */
export function secretsPhrase({ part, names }: LeakedSecrets): string {
  return `the app's ${part.place} holds the ${names.join(", ")}`;
}

/** Whether the body of an answer contains a stack trace. */
export function holdsTrace(exchange: Exchange): boolean {
  return holdsStackTrace(answerText(exchange));
}

/** As a phrase; null if the answer contains no stack trace. */
export function tracePhrase(exchange: Exchange): string | null {
  return holdsTrace(exchange) ? "the app's answer holds a stack trace" : null;
}

/** The token in a request, which only the app and the platform may see. */
export function sentToken({ request }: Exchange): NamedSecret[] {
  const token = bearerToken(headerValue(request.headers, "authorization"));
  return token === null ? [] : [{ name: "token", value: token }];
}
