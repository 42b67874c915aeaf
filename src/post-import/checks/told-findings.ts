import type { App } from "../../config/schema.ts";
import { appSecrets } from "../../config/secrets.ts";
import { answerText } from "../../journal/answer-parts.ts";
import { type Exchange, headerValue } from "../../journal/exchange.ts";
import { secretsIn, secretsTold } from "../../journal/secrets-in.ts";
import { bearerToken } from "../../protocol/bearer.ts";
import { holdsStackTrace } from "../../protocol/stack-trace.ts";
import type { ImportFinding } from "../import-result.ts";
import { importFinding } from "./import-rules.ts";

/**
 * What an answer tells that it should not, before anything of it is hidden (hardening G19).
 * @param isError whether the answer says what went wrong: strings may quote whatever the file is about
 */
export function toldFindings(exchange: Exchange, app: App, isError: boolean): ImportFinding[] {
  const { request } = exchange;
  const token = isError ? bearerToken(headerValue(request.headers, "authorization")) : null;
  const secrets = [...appSecrets(app), ...(token === null ? [] : [{ name: "token", value: token }])];
  const told = secretsTold(exchange, secrets).map(({ part, names }) =>
    importFinding("import.answer.told", "response", `the app's ${part.place} holds the ${names.join(", ")}`),
  );
  const hasTrace = isError && holdsStackTrace(answerText(exchange));
  return hasTrace ? [...told, importFinding("import.answer.told", "response", "the answer holds a stack trace")] : told;
}

/** Secrets in the app's requests for files, which may be at any host (interface 2.3). */
export function fileRequestFindings(exchanges: readonly Exchange[], app: App): ImportFinding[] {
  return exchanges.flatMap(({ request }) => {
    const sent = [request.url, ...request.headers.map(([, value]) => value)].join("\n");
    const names = secretsIn(sent, appSecrets(app));
    if (names.length === 0) return [];
    const message = `the app's request for a file holds the ${names.join(", ")}`;
    return [importFinding("import.file.credentials", "request", message)];
  });
}
