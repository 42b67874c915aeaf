import type { TwinCheck } from "./check.ts";
import { withToken } from "./request-parts.ts";
import type { TokenPlace } from "./token-twins.ts";

/**
 * A right token in another spelling, for places where a right request takes no steps before it: an app reads every token
 * with one function.
 */
export function tokenSpellingTwin({ prefix, area, what }: TokenPlace): TwinCheck {
  return {
    id: `${prefix}.white-space`,
    area,
    title: `${what} takes a token in which the JSON of header and claims has white space`,
    section: "RFC 7515, 5.2",
    severity: "should",
    why: "What is signed are the parts of the token as they came. An app that writes them again before it hashes them, or compares the header with a text, refuses every token once the platform writes its JSON another way.",
    mend: "Verify the signature over the first two parts of the token as they are, up to the last dot; and read the algorithm from the parsed header.",
    changes: "token.spelling",
    right: "accepted",
    twin: (request) => withToken(request, () => ({ write: (part) => JSON.stringify(part, null, 1) })),
  };
}
