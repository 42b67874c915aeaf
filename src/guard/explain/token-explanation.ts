import { z } from "zod";
import { choices, verifierSchema, warnings } from "../../platform/result-parts.ts";

/** The result of `guard --explain`: how the token of a call is made; nothing is sent. */
export const tokenExplanationSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("guard-token"),
  header: z
    .strictObject({
      alg: z.string().describe("the algorithm that signs it"),
      typ: z.literal("JWT").describe("RFC 7519, 5.1"),
      kid: z.string().optional().describe("id of the public key; absent if a secret signs it"),
    })
    .describe("of the JWT"),
  claims: z.record(z.string(), z.unknown()).describe("of a token issued now"),
  key: z
    .strictObject({
      setting: z.string().describe("where it is in the configuration"),
      variable: z.string().describe("its name in what `app-sim env` prints"),
      /** Its length. */
      characters: z.number().int(),
    })
    .nullable()
    .describe("the secret that signs it; null if the platform's key pair does"),
  keysUrl: z.string().nullable().describe("where the public keys are; null if a secret signs it"),
  names: z
    .strictObject({
      module: z.string().nullable().describe("such as `module`"),
      user: z.string().nullable().describe("such as `sub`"),
      organization: z.string().nullable().describe("such as `context.organization_id`"),
    })
    .describe(
      "the claims to compare with `moduleKey`, `userId` and `organizationId` of the body; null if there is none",
    ),
  verifiers: z.array(verifierSchema).describe("a function `verify` for each language that has code for this algorithm"),
  warnings,
  choices,
});
/** How the token of a call is made, and code that verifies it. */
export type TokenExplanation = z.infer<typeof tokenExplanationSchema>;
