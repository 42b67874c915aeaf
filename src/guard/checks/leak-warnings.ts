import { addressText } from "../../browser/addresses.ts";
import type { App } from "../../config/schema.ts";
import { appSecrets, type NamedSecret } from "../../config/secrets.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { leakedSecrets, secretsPhrase, sentToken, tracePhrase } from "../../journal/leaks-in-answer.ts";
import { redirectTarget } from "../../journal/redirect-target.ts";
import { findSecrets, secretsIn } from "../../journal/secrets-in.ts";
import { isSamePlace } from "../../protocol/url.ts";

/** The page of a guard: its answers tell a browser where to go. */
interface PageFacts {
  /** Whether an address is this platform's guard callback, which is judged when the user comes back. */
  readonly isCallback: (address: URL) => boolean;
  /** Tokens in the addresses that the page was opened with. */
  readonly tokens: readonly NamedSecret[];
}

/**
 * What an answer of a guard or its page gives away, before anything in it is redacted (hardening G19): the app's
 * secrets wherever they are, the token in a header, and the stack trace of an error.
 * @param page null: the answer comes from the guard itself, not from a page
 */
export function guardLeaks(
  exchange: Exchange,
  app: Pick<App, "url" | "fileOrigins" | "clientSecret" | "appSecret">,
  page: PageFacts | null = null,
): string[] {
  const { response, purpose } = exchange;
  const secrets = [...appSecrets(app), ...sentToken(exchange)];
  const url = redirectTarget(exchange)?.url;
  const isBack = url !== undefined && page?.isCallback(url) === true;
  const held = leakedSecrets(exchange, findSecrets(secrets))
    .filter(({ part }) => part.kind !== "address" || !isBack)
    .map(secretsPhrase);
  const isError = purpose === "guard" || (response?.status ?? 0) >= 400;
  const trace = isError ? tracePhrase(exchange) : null;
  const tokens = page?.tokens ?? [];
  const led =
    url === undefined ? [] : isBack ? behindCallback(url, [...secrets, ...tokens]) : ledAway(url, app, tokens);
  return [...held, ...led, ...(trace === null ? [] : [trace])];
}

/** The callback's query is judged when the user comes back; its fragment never reaches a server. */
function behindCallback(url: URL, secrets: readonly NamedSecret[]): string[] {
  const names = secretsIn(url.hash, secrets);
  return names.length === 0 ? [] : [`the address of the callback holds the ${names.join(", ")} after its #`];
}

/** An app may pass the token on in addresses of its own pages, and to nobody else. */
function ledAway(url: URL, app: Pick<App, "url" | "fileOrigins">, tokens: readonly NamedSecret[]): string[] {
  if ([app.url, ...app.fileOrigins].some((own) => isSamePlace(url, new URL(own)))) return [];
  const names = secretsIn(url.href, tokens);
  return names.length === 0 ? [] : [`the app's redirect to ${addressText(url)} holds the ${names.join(", ")}`];
}
