import { addressText } from "../../browser/addresses.ts";
import type { App } from "../../config/schema.ts";
import { appSecrets, type NamedSecret } from "../../config/secrets.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { redirectTarget } from "../../journal/redirect-target.ts";
import { findSecrets, secretsIn } from "../../journal/secrets-in.ts";
import { secretsPhrase, secretsTold, sentToken, tracePhrase } from "../../journal/told-in-answer.ts";
import { isSamePlace } from "../../protocol/url.ts";

/** The pages of a guard, whose answers lead a browser on. */
interface PageFacts {
  /** Whether an address is the guard callback of this platform: it is judged where the user comes back. */
  readonly isCallback: (address: URL) => boolean;
  /** Tokens in the addresses that the page was opened with. */
  readonly tokens: readonly NamedSecret[];
}

/**
 * What an answer of a guard or of its page tells that it should not, before anything of it is hidden (hardening G19): the
 * app's secrets wherever they stand, the token that came in a header, and the stack trace of an error.
 * @param page null: the answer is that of a guard, which leads nobody on
 */
export function toldSecrets(
  exchange: Exchange,
  app: Pick<App, "url" | "fileOrigins" | "clientSecret" | "appSecret">,
  page: PageFacts | null = null,
): string[] {
  const { response, purpose } = exchange;
  const secrets = [...appSecrets(app), ...sentToken(exchange)];
  const url = page === null ? undefined : redirectTarget(exchange)?.url;
  const isBack = url !== undefined && page?.isCallback(url) === true;
  const told = secretsTold(exchange, findSecrets(secrets))
    .filter(({ part }) => part.kind !== "address" || !isBack)
    .map(secretsPhrase);
  const isError = purpose === "guard" || (response?.status ?? 0) >= 400;
  const trace = isError ? tracePhrase(exchange) : null;
  const tokens = page?.tokens ?? [];
  const led =
    url === undefined ? [] : isBack ? behindCallback(url, [...secrets, ...tokens]) : ledAway(url, app, tokens);
  return [...told, ...led, ...(trace === null ? [] : [trace])];
}

/** What goes back to the platform is judged where the user comes back, but for what browsers keep to themselves. */
function behindCallback(url: URL, secrets: readonly NamedSecret[]): string[] {
  const names = secretsIn(url.hash, secrets);
  return names.length === 0 ? [] : [`the address of the callback holds the ${names.join(", ")} behind its #`];
}

/** An app may hand the token on in the addresses of its own pages, and to nobody else. */
function ledAway(url: URL, app: Pick<App, "url" | "fileOrigins">, tokens: readonly NamedSecret[]): string[] {
  if ([app.url, ...app.fileOrigins].some((own) => isSamePlace(url, new URL(own)))) return [];
  const names = secretsIn(url.href, tokens);
  return names.length === 0 ? [] : [`the app's redirect to ${addressText(url)} holds the ${names.join(", ")}`];
}
