import type { TrialCheck } from "./check.ts";
import { judgeTokens } from "./judge-token.ts";
import type { RequestParts } from "./request-parts.ts";
import { withExpiredToken } from "./token-claim-twins.ts";
import { withStrangersSignature } from "./token-twin.ts";
import type { TokenPlace } from "./token-twins.ts";
import { skipVerdict } from "./verdict.ts";

const places: Readonly<Record<string, RequestParts["tokenIn"]>> = {
  'in Authorization without "Bearer"': { scheme: "" },
  'in Authorization after "JWT"': { scheme: "JWT" },
  "as the query's jwtToken": { query: "jwtToken" },
  "as the query's access_token": { query: "access_token" },
};

const tokens: Readonly<Record<string, (request: RequestParts) => RequestParts | null>> = {
  "an expired token": withExpiredToken,
  "a token signed with another secret": withStrangersSignature,
};

/** The check of invalid tokens where the platform sends none: code that also looks there may verify less. */
export function tokenPlacesTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.other-places`,
    area,
    title: `${what} refuses an invalid token, wherever the request has it`,
    section: "5.1",
    severity: "must",
    why: "Code that accepts tokens in a second place, such as the query, has a second way in. If that way verifies less, a stranger takes it.",
    fix: "Read the token only after Bearer in the Authorization header, or verify it the same way wherever it comes from.",
    run: async ({ prepare, send }) => {
      // An import may have its token in the query.
      if (!("scheme" in (await prepare()).tokenIn)) return;
      for (const [where, tokenIn] of Object.entries(places)) {
        for (const [token, withInvalid] of Object.entries(tokens)) {
          const invalid = withInvalid(await prepare());
          if (invalid !== null) await send(`${token} ${where}`, { ...invalid, tokenIn });
        }
      }
    },
    judge: (evidence) =>
      judgeTokens(check, evidence, (role) => ` to ${role}`) ??
      skipVerdict("its token is not in the Authorization header"),
  };
  return check;
}
