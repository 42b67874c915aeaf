import { z } from "zod";
import { choiceIds } from "../config/choices.ts";

/** The kinds of failure that decide the exit code; the others are `other`. */
export const failure = z.enum(["unreachable", "timed-out", "interrupted", "other"]).nullable();
export type Failure = z.infer<typeof failure>;

export const choices = z.array(z.enum(choiceIds)).describe("choices that the result relied on");
export const warnings = z.array(z.string());
export const exchanges = z.array(z.string()).describe("ids for `app-sim log`");
export const text = z.string().nullable();

/** How a guard interacts with its user (interface 2.1). */
export const guardType = z.enum(["direct", "redirect", "frame"]);
