import type { Exchange } from "../journal/exchange.ts";
import type { CheckFacts, Evidence, TrialCheck } from "./check.ts";
import { judgeTokens } from "./judge-token.ts";
import { type RequestParts, withToken } from "./request-parts.ts";
import type { TokenPlace } from "./token-twins.ts";
import { NOTHING_TO_CHANGE } from "./verdict.ts";

type Parts = readonly [header: string, claims: string, signature: string];

const encoded = (text: string) => Buffer.from(text).toString("base64url");

/** The replacement for a part, by the description of the token. */
const changes: Readonly<Record<string, (parts: Parts) => Parts>> = {
  "whose header is not JSON": ([, claims, signature]) => [encoded("app-sim"), claims, signature],
  "whose header is null": ([, claims, signature]) => [encoded("null"), claims, signature],
  "whose header is a list": ([, claims, signature]) => [encoded('["HS256"]'), claims, signature],
  "whose claims are not JSON": ([header, , signature]) => [header, encoded("app-sim"), signature],
  "whose claims are null": ([header, , signature]) => [header, encoded("null"), signature],
};

/**
 * The check of tokens that can be decoded but not parsed, for places whose correct request needs no steps before it: an
 * app reads every token with one function.
 */
export function tokenPartsTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.no-object`,
    area,
    title: `${what} refuses a token whose header or claims are not a JSON object`,
    section: "RFC 7519, 7.2",
    severity: "must",
    why: "The header is read before the signature is verified, and anybody can write one. If reading it throws, the code that catches the error decides who logs in.",
    fix: "Treat an unreadable token as invalid: answer 401 to any error while parsing it, not only to those of the JWT library's own class.",
    run: async (tools) => {
      for (const [role, change] of Object.entries(changes)) {
        const request = spelledFrom(await tools.prepare(), change);
        if (request !== null) await tools.send(role, request);
      }
    },
    judge: (evidence) => {
      const verdictOn = (severity: CheckFacts["severity"], steps: Evidence["steps"]) =>
        judgeTokens({ ...check, severity }, { ...evidence, steps }, (role) => ` to a token ${role}`);
      const decided = verdictOn(
        "must",
        evidence.steps.filter(({ exchange }) => !isServerError(exchange)),
      );
      if (decided?.result === "fail") return decided;
      // A server error lets nobody in, and some JWT libraries throw an error of another class than they document.
      return verdictOn("should", evidence.steps) ?? NOTHING_TO_CHANGE;
    },
  };
  return check;
}

function isServerError({ response }: Exchange): boolean {
  return (response?.status ?? 0) >= 500;
}

function spelledFrom(request: RequestParts, change: (parts: Parts) => Parts): RequestParts | null {
  return withToken(request, () => ({
    respell: (compact) => {
      const [header = "", claims = "", signature = ""] = compact.split(".");
      return change([header, claims, signature]).join(".");
    },
  }));
}
