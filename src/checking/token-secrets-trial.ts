import type { TrialCheck } from "./check.ts";
import { judgeTokens, NO_TOKEN } from "./judge-token.ts";
import { withToken } from "./request-parts.ts";
import { signedWith } from "./token-twin.ts";
import type { TokenPlace } from "./token-twins.ts";
import { skipVerdict } from "./verdict.ts";

/** What programs make of a secret that is missing, and what examples of JWT libraries and sites have in its place. */
const SECRETS = [
  "",
  "undefined",
  "null",
  "None",
  "changeme",
  "password",
  "test",
  "your-256-bit-secret",
  "your-secret-key",
  "shhhhh",
] as const;

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
      for (const secret of SECRETS) {
        const forged = withToken(await prepare(), ({ header }) => signedWith(header, secret));
        if (forged !== null) await send(secret, forged);
      }
    },
    judge: (evidence) =>
      judgeTokens(
        check,
        evidence,
        (secret) => ` to a token signed with ${secret === "" ? "nothing" : `"${secret}"`}`,
      ) ?? skipVerdict(NO_TOKEN),
  };
  return check;
}
