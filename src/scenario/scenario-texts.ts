import { z } from "zod";
import { parseFault } from "../oauth/rules/faults.ts";
import { pathPattern } from "../platform/exchange-matcher.ts";
import { parseDuration } from "../protocol/duration.ts";
import { faultKinds } from "../protocol/fault-kinds.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";

const LONGEST_STEP_MS = 3_600_000;

/**
 * A text that `parse` accepts.
 * @param expected the message for anything other than a string
 * @param pattern for the JSON Schema: accepts everything valid, and as little else as a pattern can express
 */
function textFor(parse: (text: string) => unknown, expected: string, pattern: string): z.ZodString {
  const check = (text: string, context: z.RefinementCtx) => {
    try {
      parse(text);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // The value stands before it already.
      const message = error.message.replace(`fault ${valueText(text)}: `, "");
      context.addIssue({ code: "custom", message: `${message} (${error.hint})` });
    }
  };
  return z.string(expected).superRefine(check).meta({ pattern });
}

const durationPattern = "(?=\\d)(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?(?:\\d+ms)?";
const EXPECTED_DURATION = "expected a duration with its unit, such as 5s";

export const anyDuration = textFor(parseDuration, EXPECTED_DURATION, `^${durationPattern}$`);

export const duration = textFor(
  (text) => {
    if (parseDuration(text) > LONGEST_STEP_MS)
      throw new UsageError("duration-long", `${text} is too long`, "at most 1h");
  },
  EXPECTED_DURATION,
  `^${durationPattern}$`,
).describe("real time, such as 2s or 500ms, at most 1h");

const faultPatterns = Object.entries(faultKinds).map(([place, kinds]) => {
  const kindPatterns = kinds.map((kind) => (kind === "slow" ? `slow(?::${durationPattern})?` : kind));
  return `${place}=(?:${kindPatterns.join("|")})`;
});

export const faultText = textFor(
  (text) => (text === "clear" ? text : parseFault(text)),
  "expected a fault, such as api=503x1, or clear",
  `^(?:clear|(?:${faultPatterns.join("|")})(?:x0*[1-9]\\d*|@\\d+(?:\\.\\d+)?%)?)$`,
).describe("as for `app-sim fault`, such as api=503x1; clear ends all");

const EXPECTED_CALL = "expected a method and a path, or only a path, without a query: GET /api/v2/projects";

/** The methods that apps use. Other calls never arrive, so expecting none of them would prove nothing. */
const callMethods: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** `GET /api/v2/projects`, or only a path for any method. */
export const callText = z
  .string(EXPECTED_CALL)
  .superRefine((text, context) => {
    const message = callMistake(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  })
  .meta({ pattern: `^(?!.*\\*\\*..)(?:(?:${callMethods.join("|")}) )?\\/[^?#\\s]*$` })
  .describe("method and path, or only a path; * matches one segment, ** at the end the rest");

/** What is wrong with the text of a call; null: nothing. */
function callMistake(text: string): string | null {
  const { method, path } = callIn(text);
  if (!path.startsWith("/") || /[?#\s]/.test(path)) return EXPECTED_CALL;
  if (method !== undefined && !callMethods.includes(method))
    return `there is no method ${method}.${didYouMean(method, callMethods)} Allowed: ${callMethods.join(", ")}, or a path alone`;
  return pathPattern.safeParse(path).error?.issues[0]?.message ?? null;
}

/** Method, if any, and path of a call as a scenario has it. */
export function callIn(text: string): { readonly method: string | undefined; readonly path: string } {
  const [first = "", ...rest] = text.split(" ");
  return rest.length === 0 ? { method: undefined, path: first } : { method: first, path: rest.join(" ") };
}
