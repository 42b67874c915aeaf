import { headerValue } from "../journal/exchange.ts";
import type { Explanation } from "./explain-outcome.ts";
import { type Answer, locationText } from "./read-answer.ts";

/** What another status than 200 says of a file that an answer names (interface 2.4, stringsUrl and previewUrl). */
export function explainFileStatus({ status, headers }: Answer): Explanation {
  if (status === 404 || status === 410) {
    return { reason: `there is nothing (${status})`, hint: "was the file deleted too early, or is the path mistyped?" };
  }
  if (status >= 300 && status < 400) {
    const where = locationText(headerValue(headers, "location") ?? "nowhere");
    return {
      reason: `it leads elsewhere (${status} to ${where}), and is not followed`,
      hint: "name the address at which the file itself is",
    };
  }
  if (status === 401 || status === 403) {
    return {
      reason: `it is refused (${status})`,
      hint: "it is fetched without credentials: let an address that nobody can guess protect the file",
    };
  }
  return { reason: `it is answered with ${status}`, hint: status >= 500 ? "look into the app's own log" : null };
}
