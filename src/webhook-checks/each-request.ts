import type { RequestParts } from "../checking/request-parts.ts";
import type { Series } from "../checking/series.ts";

type Prepare = Parameters<Series["requests"]>[0];

/** Requests that are each made from a correct request of its own. */
export async function each<Name extends string>(
  prepare: Prepare,
  makers: Readonly<Record<Name, (request: RequestParts) => RequestParts | null>>,
): Promise<Record<string, RequestParts | null>> {
  const made: Record<string, RequestParts | null> = {};
  for (const [name, make] of Object.entries<(request: RequestParts) => RequestParts | null>(makers)) {
    made[name] = make(await prepare());
  }
  return made;
}
