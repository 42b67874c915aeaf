import { z } from "zod";
import { choiceIds } from "../config/choices.ts";
import { roles } from "../config/roles.ts";
import { verifierLanguages } from "./verifier-language.ts";

/**
 * The kinds of failure that decide the exit code; all others are `other`. Only guards distinguish two of these:
 * `refused`, an answer of 401 or 403, and `no-endpoint`, an app without such a route.
 */
export const failure = z
  .enum(["unreachable", "timed-out", "interrupted", "refused", "no-endpoint", "other"])
  .nullable()
  .describe("the kind of failure, which decides the exit code; null: none");
export type Failure = z.infer<typeof failure>;

export const choices = z.array(z.enum(choiceIds)).describe("choices that the result relied on");
export const warnings = z
  .array(z.string())
  .describe("what is probably wrong, but did not affect the outcome, in sentences");
export const exchanges = z.array(z.string()).describe("ids for `app-sim log`");
export const text = z.string().nullable();

/** How a guard interacts with its user (interface 2.1). */
export const guardType = z.enum(["direct", "redirect", "frame"]);

/** Code that verifies what the platform signs. */
export const verifierSchema = z.strictObject({
  /** The programming language. */
  language: z.enum(verifierLanguages),
  /** The content of a source file. */
  code: z.string(),
});

/** One of the configured users. */
export const user = z
  .strictObject({
    /** `userId` of bodies (interface 2.2). */
    id: z.number().int(),
    /** The role in the organization (interface 1). */
    role: z.enum(roles),
  })
  .describe("the user who was logged in");
