import type { App } from "../../config/schema.ts";
import { appSecrets } from "../../config/secrets.ts";
import { answerText } from "../../journal/answer-parts.ts";
import type { Exchange } from "../../journal/exchange.ts";
import { secretsTold } from "../../journal/secrets-in.ts";
import { holdsStackTrace } from "../../protocol/stack-trace.ts";

/** An answer of a webhook module, before anything of it is hidden. */
export interface WebhookAnswer {
  readonly app: Pick<App, "clientSecret" | "appSecret">;
  readonly module: string;
  readonly exchange: Exchange;
}

/** What answers tell that they should not, each once for a module (hardening G19). */
export function toldWarnings(answers: Iterable<WebhookAnswer>): string[] {
  const warnings = new Map<string, string>();
  for (const { app, module, exchange } of answers) {
    for (const told of toldBy(exchange, app)) {
      const warning = `webhook ${module}: ${told}`;
      if (!warnings.has(warning)) warnings.set(warning, `${warning} (exchange ${exchange.id})`);
    }
  }
  return [...warnings.values()];
}

function toldBy(exchange: Exchange, app: WebhookAnswer["app"]): string[] {
  const secrets = secretsTold(exchange, appSecrets(app)).map(
    ({ part, names }) => `the app's ${part.place} holds the ${names.join(", ")}`,
  );
  const isError = (exchange.response?.status ?? 0) >= 400;
  return isError && holdsStackTrace(answerText(exchange))
    ? [...secrets, "the app's answer holds a stack trace"]
    : secrets;
}
