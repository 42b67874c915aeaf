import type { Exchange } from "../../../journal/exchange.ts";
import { bodyText, recordBody } from "../../../journal/journal.ts";
import type { RepeatedExchange } from "../walk/replay.ts";
import type { FormFields } from "./form.ts";

/** The fields that a request sends: those in its URL, and those in its body. */
export function fieldsSent({ url, body }: Exchange["request"]): FormFields {
  return [...new URL(url).searchParams, ...new URLSearchParams(bodyText(body))];
}

/** The values of the fields that a request sends. */
export function valuesSent(request: Exchange["request"]): string[] {
  return fieldsSent(request).map(([, value]) => value);
}

/** The request with other parameters, in its URL and in its body. */
export function withParameters(exchange: Exchange, change: (parameters: URLSearchParams) => void): RepeatedExchange {
  const url = new URL(exchange.request.url);
  const fields = new URLSearchParams(bodyText(exchange.request.body));
  for (const parameters of [url.searchParams, fields]) change(parameters);
  const body = recordBody(Buffer.from(fields.toString()));
  return { ...exchange, request: { ...exchange.request, url: url.href, body }, isChanged: true };
}
