import type { App } from "../../config/schema.ts";
import { appSecrets } from "../../config/secrets.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { leakedSecrets, secretsPhrase, sentToken, tracePhrase } from "../../journal/leaks-in-answer.ts";
import { findSecrets } from "../../journal/secrets-in.ts";
import type { ImportFinding } from "../import-result.ts";
import { importFinding } from "./import-rules.ts";

/**
 * What an answer gives away, before anything in it is redacted (hardening G19).
 * @param isError whether the answer is an error: strings may quote anything that the file is about
 */
export function leakFindings(exchange: Exchange, app: App, isError: boolean): ImportFinding[] {
  const find = findSecrets([...appSecrets(app), ...(isError ? sentToken(exchange) : [])]);
  const held = leakedSecrets(exchange, find).map(secretsPhrase);
  const trace = isError ? tracePhrase(exchange) : null;
  const phrases = trace === null ? held : [...held, trace];
  return phrases.map((phrase) => importFinding("import.answer.leak", "response", phrase));
}

/** Secrets in the app's requests for files, which may be at any host (interface 2.3). */
export function fileRequestFindings(exchanges: readonly Exchange[], app: App): ImportFinding[] {
  const find = findSecrets(appSecrets(app));
  return exchanges.flatMap(({ request }) => {
    const names = find([request.url, ...request.headers.map(([, value]) => value)].join("\n"));
    if (names.length === 0) return [];
    const message = `the app's request for a file holds the ${names.join(", ")}`;
    return [importFinding("import.file.credentials", "request", message)];
  });
}
