import type { App } from "../../config/schema.ts";
import { appSecrets, type NamedSecret } from "../../config/secrets.ts";
import { answerText } from "../../journal/answer-parts.ts";
import { type Exchange, headerValue } from "../../journal/exchange.ts";
import { redirectTarget } from "../../journal/redirect-target.ts";
import { secretsIn, secretsTold } from "../../journal/secrets-in.ts";
import { bearerToken } from "../../protocol/bearer.ts";
import { holdsStackTrace } from "../../protocol/stack-trace.ts";

/**
 * What an answer of a guard or of its page tells that it should not, before anything of it is hidden (hardening G19): the
 * app's secrets wherever they stand, the token that came in a header, and the stack trace of an error.
 * @param pageTokens those in the addresses that the page was opened with
 */
export function toldSecrets(
  exchange: Exchange,
  app: Pick<App, "clientSecret" | "appSecret">,
  pageTokens: readonly NamedSecret[] = [],
): string[] {
  const { request, response, purpose } = exchange;
  const token = bearerToken(headerValue(request.headers, "authorization"));
  const secrets = [...appSecrets(app), ...(token === null ? [] : [{ name: "token", value: token }])];
  const told = secretsTold(exchange, secrets)
    .filter(({ part }) => part.kind !== "address" || !isCallback(part.text))
    .map(({ part, names }) => `the app's ${part.place} holds the ${names.join(", ")}`);
  const isError = purpose === "guard" || (response?.status ?? 0) >= 400;
  const hasTrace = isError && holdsStackTrace(answerText(exchange));
  const warnings = [...told, ...fragmentWarnings(exchange, [...secrets, ...pageTokens])];
  return hasTrace ? [...warnings, "the app's answer holds a stack trace"] : warnings;
}

/** What goes back to the platform is judged where the user comes back, but for what browsers keep to themselves. */
function fragmentWarnings(exchange: Exchange, secrets: readonly NamedSecret[]): string[] {
  const url = redirectTarget(exchange)?.url;
  if (url === undefined || !isCallback(url.href)) return [];
  const names = secretsIn(url.hash, secrets);
  return names.length === 0 ? [] : [`the address of the callback holds the ${names.join(", ")} behind its #`];
}

function isCallback(address: string): boolean {
  return /\/guard\/callback\?/.test(address);
}
