import { secretsTold } from "../../browser/secrets-in.ts";
import type { App } from "../../config/schema.ts";
import { appSecrets } from "../../config/secrets.ts";
import { type Exchange, headerValue } from "../../journal/exchange.ts";
import { bodyText } from "../../journal/journal.ts";
import { bearerToken } from "../../protocol/bearer.ts";
import { holdsStackTrace } from "../../protocol/stack-trace.ts";

/**
 * What an answer of a guard or of its page tells that it should not, before anything of it is hidden (hardening G19): the
 * app's secrets wherever they stand, the token that came in a header, and the stack trace of an error.
 */
export function toldSecrets(exchange: Exchange, app: Pick<App, "clientSecret" | "appSecret">): string[] {
  const { request, response, purpose } = exchange;
  const token = bearerToken(headerValue(request.headers, "authorization"));
  const secrets = [...appSecrets(app), ...(token === null ? [] : [{ name: "token", value: token }])];
  const told = secretsTold(exchange, secrets)
    // What goes back to the platform is judged where the user comes back.
    .filter(({ part }) => part.kind !== "address" || !/\/guard\/callback\?/.test(part.text))
    .map(({ part, names }) => `the app's ${part.place} holds the ${names.join(", ")}`);
  const isError = purpose === "guard" || (response?.status ?? 0) >= 400;
  const hasTrace = isError && response !== null && holdsStackTrace(bodyText(response.body));
  return hasTrace ? [...told, "the app's answer holds a stack trace"] : told;
}
