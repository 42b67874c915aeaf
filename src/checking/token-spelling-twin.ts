import type { TwinCheck } from "./check.ts";
import { withToken } from "./request-parts.ts";
import type { TokenPlace } from "./token-twins.ts";

/**
 * A correct token in another spelling, for places whose correct request needs no steps before it: an app reads every
 * token with one function.
 */
export function tokenSpellingTwin({ prefix, area, what }: TokenPlace): TwinCheck {
  return {
    id: `${prefix}.white-space`,
    area,
    title: `${what} accepts a token whose header and claims are JSON with white space`,
    section: "RFC 7515, 5.2",
    severity: "should",
    why: "The signature covers the parts of the token as received. An app that serializes them again before hashing, or compares the header with a fixed text, refuses every token once the platform formats its JSON differently.",
    fix: "Verify the signature over the first two parts of the token as they are, up to the last dot; and read the algorithm from the parsed header.",
    changes: "token.spelling",
    right: "accepted",
    twin: (request) => withToken(request, () => ({ write: (part) => JSON.stringify(part, null, 1) })),
  };
}
