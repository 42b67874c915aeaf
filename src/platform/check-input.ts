import type { z } from "zod";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";

/**
 * Holds the options of a method against their schema, so that a misspelt one is an error and not nothing.
 * @throws UsageError with every problem
 */
export function checkObject<Schema extends z.ZodObject>(
  method: string,
  schema: Schema,
  options: unknown,
): z.infer<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const names = Object.keys(schema.shape);
  throw new UsageError(
    "options-invalid",
    `${method}: the options are not valid`,
    `options: ${names.join(", ")}`,
    problemsOf(parsed.error, options, (path) => (path === "" ? names : [])),
  );
}

/**
 * Holds what a method was given against its schema.
 * @throws UsageError with every problem
 */
export function checkInput<Schema extends z.ZodType>(method: string, schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error, input);
  throw new UsageError(
    "input-invalid",
    `${method}: this is not what it takes`,
    "see the types of the method",
    problems,
  );
}
