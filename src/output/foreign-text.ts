import type { ForeignRecord } from "../journal/record.ts";
import { plural } from "./text.ts";

/** How many requests from other sites' pages were refused, and the latest one, on one line. */
export function foreignText({ count, method, path, origin }: ForeignRecord): string {
  const from = origin === null ? "" : ` from ${origin}`;
  return `${plural(count, "request")} from other sites refused so far, the latest ${method} ${path}${from}`;
}
