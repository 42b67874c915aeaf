import { z } from "zod";
import { choices, warnings } from "../platform/result-parts.ts";
import { verifierLanguages } from "../platform/verifier-code.ts";

const header = z.strictObject({ name: z.string(), value: z.string() });

/** The result of `webhook --explain`: how a delivery is signed; nothing is sent. */
export const signatureResultSchema = z.strictObject({
  command: z.literal("webhook-signature"),
  seed: z.number().int().describe("of what happened by chance: --seed makes the same body again"),
  body: z
    .strictObject({
      bytes: z.number().int(),
      text: z.string().nullable().describe("null where it is not UTF-8, as a compressed one"),
      base64: z.string(),
    })
    .describe("the first body that `webhook` would send"),
  signed: z.strictObject({ what: z.string().describe("in words"), base64: z.string() }).describe("the exact bytes"),
  key: z.strictObject({
    setting: z.string().describe("where it is in the configuration"),
    variable: z.string().describe("its name in what `app-sim env` prints"),
    characters: z.number().int(),
  }),
  algorithm: z.literal("HMAC-SHA256"),
  digest: z.string().describe("hexadecimal, whatever the encoding"),
  encoding: z.enum(["hex", "base64", "base64url"]),
  prefix: z.string(),
  header: header.describe("the one that carries the signature"),
  id: header.nullable().describe("the one with the delivery's id, where that is signed too"),
  timestamp: header.nullable().describe("the one with the seconds that are signed too"),
  headers: z.array(z.tuple([z.string(), z.string()])).describe("all lines but those that HTTP itself adds"),
  verifiers: z
    .array(z.strictObject({ language: z.enum(verifierLanguages), code: z.string() }))
    .describe("a function `verify` for each language"),
  warnings,
  choices,
});
export type SignatureResult = z.infer<typeof signatureResultSchema>;
