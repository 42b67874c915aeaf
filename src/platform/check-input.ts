import type { z } from "zod";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";

/** @throws UsageError with every problem of the options of a method, misspelt ones too */
export function checkObject<Schema extends z.ZodObject>(
  method: string,
  schema: Schema,
  options: unknown,
): z.infer<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const names = Object.keys(schema.shape);
  const problems = problemsOf(parsed.error, options, (path) => (path === "" ? names : []));
  const areNamed = problems.some(({ message }) => message.includes("Allowed here"));
  const hint = areNamed ? "docs/library.md says where each is described" : `options: ${names.join(", ")}`;
  throw new UsageError("options-invalid", `${method}: the options are not valid`, hint, problems);
}

/** @throws UsageError with every problem of the arguments of a method */
export function checkInput<Schema extends z.ZodType>(method: string, schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const problems = problemsOf(parsed.error, input);
  throw new UsageError("input-invalid", `${method}: the input is not valid`, "see the types of the method", problems);
}
