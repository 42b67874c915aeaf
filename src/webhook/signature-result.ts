import { z } from "zod";
import { choices, verifierSchema, warnings } from "../platform/result-parts.ts";

const header = z.strictObject({
  /** As spelled on the wire. */
  name: z.string(),
  /** As it is sent. */
  value: z.string(),
});

/** The result of `webhook --explain`: how a delivery is signed; nothing is sent. */
export const signatureResultSchema = z.strictObject({
  /** The action whose result it is: tells results apart. */
  command: z.literal("webhook-signature"),
  seed: z.number().int().describe("of everything random: the same seed makes the same body again"),
  body: z
    .strictObject({
      /** Its length. */
      bytes: z.number().int(),
      text: z.string().nullable().describe("null if it is not UTF-8, for example because it is compressed"),
      /** The same bytes, in base64. */
      base64: z.string(),
    })
    .describe("the first body that `webhook` would send"),
  signed: z
    .strictObject({
      what: z.string().describe("in words"),
      /** The bytes that the signature covers. */
      base64: z.string(),
    })
    .describe("the exact bytes"),
  /** The signing secret, without its value. */
  key: z.strictObject({
    setting: z.string().describe("where it is in the configuration"),
    variable: z.string().describe("its name in what `app-sim env` prints"),
    /** Its length. */
    characters: z.number().int(),
  }),
  /** RFC 2104 with SHA-256 (interface 5.1). */
  algorithm: z.literal("HMAC-SHA256"),
  digest: z.string().describe("hexadecimal, whatever the encoding"),
  /** How the digest is written into the header. */
  encoding: z.enum(["hex", "base64", "base64url"]),
  /** What precedes it, such as `sha256=`; "": nothing. */
  prefix: z.string(),
  header: header.describe("the one that carries the signature"),
  id: header.nullable().describe("the one with the delivery's id, if that is signed too"),
  timestamp: header.nullable().describe("the one with the seconds, if they are signed too"),
  headers: z.array(z.tuple([z.string(), z.string()])).describe("all lines except those that HTTP itself adds"),
  verifiers: z.array(verifierSchema).describe("a function `verify` for each language"),
  warnings,
  choices,
});
/** How a delivery is signed (interface 5.1), byte by byte, and code that verifies it. */
export type SignatureResult = z.infer<typeof signatureResultSchema>;
