import type { TrialCheck } from "./check.ts";
import { judgeTokens, NO_TOKEN } from "./judge-token.ts";
import { USUAL_SECRETS } from "./known-secrets.ts";
import { withToken } from "./request-parts.ts";
import { signedWith } from "./token-twin.ts";
import type { TokenPlace } from "./token-twins.ts";
import { skipVerdict } from "./verdict.ts";

const RIGHT = "right token";
/** How many invalid tokens are sent without a right one. */
const MOST_IN_A_ROW = 3;

/** The check of secrets that everybody knows. One twin, weak-secret, has the most usual of them everywhere. */
export function tokenSecretsTrial({ prefix, area, what }: TokenPlace): TrialCheck {
  const check: TrialCheck = {
    id: `${prefix}.common-secrets`,
    area,
    title: `${what} refuses tokens signed with nothing, or with a word that stands for a missing secret`,
    section: "RFC 8725, 3.5",
    severity: "must",
    why: "A second secret, such as one for key rotation, is often not set: code then takes the word null or undefined, or nothing, for the key. With such a token a stranger can log in as anybody.",
    fix: "Let the app refuse to start without its secrets, have no default for them, and verify only with those that are set.",
    run: async ({ prepare, send }) => {
      for (const [index, secret] of USUAL_SECRETS.entries()) {
        const request = await prepare();
        if (request.token === null) return;
        const forged = withToken(request, ({ header, key }) => {
          const signed = signedWith(header, secret);
          // It may be the app's own secret.
          return signed.key != null && key?.equals(signed.key) === true ? null : signed;
        });
        if (forged === null) continue;
        await send(secret, forged);
        // Some apps block callers who send only invalid tokens.
        if (index % MOST_IN_A_ROW === MOST_IN_A_ROW - 1) await send(RIGHT, await prepare());
      }
    },
    judge: ({ steps, read }) => {
      const forged = { steps: steps.filter(({ role }) => role !== RIGHT), read };
      const signed = (secret: string) => ` to a token signed with ${secret === "" ? "nothing" : `"${secret}"`}`;
      return judgeTokens(check, forged, signed) ?? skipVerdict(NO_TOKEN);
    },
  };
  return check;
}
