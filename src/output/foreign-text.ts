import type { ForeignRecord } from "../journal/record.ts";
import { plural } from "./text.ts";

/** How many requests of other sites' pages were refused, and the latest of them, on one line. */
export function foreignText({ count, method, path, origin }: ForeignRecord): string {
  const from = origin === null ? "" : ` from ${origin}`;
  return `${plural(count, "request")} of other sites refused so far, the latest ${method} ${path}${from}`;
}
