import type { App } from "../../config/schema.ts";
import { appSecrets, type NamedSecret } from "../../config/secrets.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { redirectTarget } from "../../journal/redirect-target.ts";
import { findSecrets, secretsIn } from "../../journal/secrets-in.ts";
import { secretsPhrase, secretsTold, sentToken, tracePhrase } from "../../journal/told-in-answer.ts";

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
  const { response, purpose } = exchange;
  const secrets = [...appSecrets(app), ...sentToken(exchange)];
  const told = secretsTold(exchange, findSecrets(secrets))
    .filter(({ part }) => part.kind !== "address" || !isCallback(part.text))
    .map(secretsPhrase);
  const isError = purpose === "guard" || (response?.status ?? 0) >= 400;
  const trace = isError ? tracePhrase(exchange) : null;
  const warnings = [...told, ...fragmentWarnings(exchange, [...secrets, ...pageTokens])];
  return trace === null ? warnings : [...warnings, trace];
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
