import { type Exchange, headerValue } from "../../../journal/exchange.ts";
import { mediaType } from "../../../protocol/media-type.ts";

/** The page and its scripts, but not the pages that follow a form. */
export function loadedIn(exchanges: readonly Exchange[]): Exchange[] {
  const first = exchanges.findIndex((exchange) => mediaTypeOf(exchange).includes("html"));
  return exchanges.filter((exchange, index) => index === first || mediaTypeOf(exchange).includes("javascript"));
}

/** The media type of an answer; empty: it has none. */
export function mediaTypeOf({ response }: Exchange): string {
  return mediaType(headerValue(response?.headers ?? [], "content-type"));
}
