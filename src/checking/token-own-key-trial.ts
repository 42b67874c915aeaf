import { createPublicKey } from "node:crypto";
import type { TrialCheck } from "./check.ts";
import { judgeTokens, NO_TOKEN } from "./judge-token.ts";
import { withToken } from "./request-parts.ts";
import { strangersRsaKey } from "./strangers-key.ts";
import { broughtKey, issuedKey } from "./token-key-twins.ts";
import type { TokenPlace } from "./token-twins.ts";
import { skipVerdict } from "./verdict.ts";

/**
 * The check of a token that brings its own RSA key, for places whose correct request needs no steps before it: an app
 * reads every token with one function.
 */
export function tokenOwnKeyTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.jwk-embedded-rsa`,
    area,
    title: `${what} refuses a token that brings its own RSA key (jwk)`,
    section: "RFC 8725, 3.10",
    severity: "must",
    why: broughtKey,
    fix: issuedKey,
    run: async ({ prepare, send }) => {
      const key = strangersRsaKey();
      const jwk = createPublicKey(key).export({ format: "jwk" });
      const forged = withToken(await prepare(), ({ header }) => ({
        header: { ...header, alg: "RS256", jwk },
        key,
      }));
      if (forged !== null) await send("forged", forged);
    },
    judge: (evidence) => judgeTokens(check, evidence, () => "") ?? skipVerdict(NO_TOKEN),
  };
  return check;
}
