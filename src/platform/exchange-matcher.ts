import { z } from "zod";
import type { Exchange } from "../journal/exchange.ts";
import { exchangePurposes } from "../journal/purposes.ts";
import { redactText } from "../journal/redact.ts";
import { clip, harmlessLine } from "../protocol/harmless.ts";
import { parseUrl } from "../protocol/url.ts";

/** A path without its query string; `*` stands for one segment, `**` at the end for the rest, which may be empty. */
export const pathPattern = z
  .string()
  .regex(/^\/[^?#\s]*$/, "expected a path without a query string, such as /api/v2/projects")
  .refine((path) => !/\*\*./.test(path), "** stands for the rest of a path: nothing can follow it");

export const statusCode = z.number().int().min(100).max(599);

export const matcherSchema = z.strictObject({
  /** What the exchange was for, such as `guard` or `webhook`. */
  purpose: z.enum(exchangePurposes).optional(),
  /** HTTP method, case-insensitive. */
  method: z.string().min(1).optional(),
  /** Without the query string; `*` is one segment, `**` at the end the rest. */
  path: pathPattern.optional(),
  /** HTTP status of the answer. */
  status: statusCode.optional(),
  module: z.string().optional().describe("key of the module that was called"),
});

/** Properties of an exchange: it matches if it has all of them. */
export type ExchangeMatcher = z.input<typeof matcherSchema>;

export function isMeant(
  exchange: Exchange,
  { purpose = exchange.purpose, method, path, status, module }: ExchangeMatcher,
): boolean {
  return (
    exchange.purpose === purpose &&
    (method === undefined || exchange.request.method === method.toUpperCase()) &&
    (path === undefined || isOnPath(path, pathOf(exchange))) &&
    (status === undefined || exchange.response?.status === status) &&
    (module === undefined || exchange.module === module)
  );
}

const CALL_CHARACTERS = 80;

/** An exchange in a few words, safe to print and without secrets: `GET /api/v2/projects, answered with 200`. */
export function exchangeWords(exchange: Exchange): string {
  const { request, response, outcome } = exchange;
  const call = clip(harmlessLine(`${request.method} ${redactText(pathOf(exchange), [])}`), CALL_CHARACTERS);
  return outcome.kind === "answered" ? `${call}, answered with ${response?.status}` : `${call}, ${outcome.kind}`;
}

/** The path of a request, as a server sees it; an invalid request target is returned unchanged. */
export function pathOf({ request }: Exchange): string {
  return parseUrl(request.url)?.pathname ?? request.url;
}

function isOnPath(pattern: string, path: string): boolean {
  // Percent-encoded for comparison, so that the pattern can be written plainly.
  const wanted = (parseUrl(`http://localhost${pattern}`)?.pathname ?? pattern).split("/");
  const given = path.split("/");
  const isOpen = wanted.at(-1) === "**";
  const heads = isOpen ? wanted.slice(0, -1) : wanted;
  const fits = isOpen ? given.length >= heads.length : given.length === heads.length;
  return fits && heads.every((segment, index) => segment === "*" || segment === given[index]);
}
