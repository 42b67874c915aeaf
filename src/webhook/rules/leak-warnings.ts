import type { App } from "../../config/schema.ts";
import { appSecrets } from "../../config/secrets.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { leakedSecrets, secretsPhrase, tracePhrase } from "../../journal/leaks-in-answer.ts";
import { type FindSecrets, findSecrets } from "../../journal/secrets-in.ts";

/** An answer of a webhook module, before anything in it is redacted. */
export interface WebhookAnswer {
  readonly app: Pick<App, "clientSecret" | "appSecret">;
  readonly module: string;
  readonly exchange: Exchange;
}

/** Warnings about what answers give away, each once for a module (hardening G19). */
export function webhookLeaks(answers: Iterable<WebhookAnswer>): string[] {
  const warnings = new Map<string, string>();
  const finders = new Map<WebhookAnswer["app"], FindSecrets>();
  for (const { app, module, exchange } of answers) {
    const find = finders.get(app) ?? findSecrets(appSecrets(app));
    finders.set(app, find);
    for (const leak of leaksIn(exchange, find)) {
      const warning = `webhook ${module}: ${leak}`;
      if (!warnings.has(warning)) warnings.set(warning, `${warning} (exchange ${exchange.id})`);
    }
  }
  return [...warnings.values()];
}

function leaksIn(exchange: Exchange, find: FindSecrets): string[] {
  const secrets = leakedSecrets(exchange, find).map(secretsPhrase);
  const isError = (exchange.response?.status ?? 0) >= 400;
  const trace = isError ? tracePhrase(exchange) : null;
  return trace === null ? secrets : [...secrets, trace];
}
