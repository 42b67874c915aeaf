import { z } from "zod";
import { choiceIds } from "../config/choices.ts";

/**
 * The kinds of failure that decide the exit code; the others are `other`. Guards alone tell two of these apart:
 * `refused`, an answer 401 or 403, and `no-endpoint`, an app without such a route.
 */
export const failure = z
  .enum(["unreachable", "timed-out", "interrupted", "refused", "no-endpoint", "other"])
  .nullable();
export type Failure = z.infer<typeof failure>;

export const choices = z.array(z.enum(choiceIds)).describe("choices that the result relied on");
export const warnings = z.array(z.string());
export const exchanges = z.array(z.string()).describe("ids for `app-sim log`");
export const text = z.string().nullable();

/** How a guard interacts with its user (interface 2.1). */
export const guardType = z.enum(["direct", "redirect", "frame"]);
