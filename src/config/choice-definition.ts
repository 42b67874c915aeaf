import { z } from "zod";

/** What the platform does where the interface says "not shown". */
export interface ChoiceDefinition<Schema extends z.ZodType = z.ZodType> {
  /** Section of the interface that leaves it open. */
  readonly section: string;
  /** The commands whose results can rely on it; empty while nothing does yet. */
  readonly usedBy: readonly ("guard" | "post-import" | "webhook" | "manifest" | "oauth" | "install" | "load")[];
  readonly schema: Schema;
  readonly default: z.infer<Schema>;
  /** The other values, in words; "none" where there is only one. */
  readonly alternatives: string;
  readonly reason: string;
}

type UsedBy = ChoiceDefinition["usedBy"];

/** A choice with a schema of its own. */
export function choice<Schema extends z.ZodType>(
  section: string,
  usedBy: UsedBy,
  schema: Schema,
  value: z.infer<Schema>,
  alternatives: string,
  reason: string,
): ChoiceDefinition<Schema> {
  return { section, usedBy, schema, default: value, alternatives, reason };
}

/** A choice between names, the first being the default. */
export function oneOf<const Values extends readonly [string, string, ...string[]]>(
  section: string,
  usedBy: UsedBy,
  values: Values,
  reason: string,
): ChoiceDefinition<z.ZodType<Values[number]>> {
  const [first, ...others] = values;
  return choice(section, usedBy, z.enum(values) as z.ZodType<Values[number]>, first, others.join(", "), reason);
}

/** A choice that has only one value so far. */
export function fixed<const Value extends string>(section: string, usedBy: UsedBy, value: Value, reason: string) {
  return choice(section, usedBy, z.literal(value), value, "none", reason);
}

/** A whole number within bounds, both included. */
export function wholeNumber(min: number, max: number) {
  return z.number().int().min(min).max(max);
}

/** The value of a header. */
export const headerText = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, "visible ASCII, as a header allows");

/** The name of a header. */
export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "letters, digits and hyphens, as a header name allows");
