import { z } from "zod";

/** Commands whose results can rely on a choice. */
type Command = "guard" | "post-import" | "webhook" | "manifest" | "oauth" | "install" | "load";

/** Something that the interface marks "not shown", and what the platform does about it. */
export interface ChoiceDefinition<Schema extends z.ZodType = z.ZodType> {
  /** Section of the interface that leaves it open. */
  readonly section: string;
  /** The commands whose results can rely on it. */
  readonly usedBy: readonly Command[];
  /** What is allowed. Created on each call: commands without choices start without it. */
  schema(): Schema;
  readonly default: z.infer<Schema>;
  /** The other values, in words. */
  readonly alternatives: string;
  readonly reason: string;
}

/** Creates definitions for what one section of the interface leaves open. */
export function leftOpenIn(section: string, ...usedBy: readonly Command[]) {
  /** A choice with a schema of its own. */
  function custom<Schema extends z.ZodType>(
    schema: () => Schema,
    value: z.infer<Schema>,
    alternatives: string,
    reason: string,
  ): ChoiceDefinition<Schema> {
    return { section, usedBy, schema, default: value, alternatives, reason };
  }
  /** A choice between names; the first is the default. */
  function oneOf<const Values extends readonly [string, string, ...string[]]>(values: Values, reason: string) {
    const [first, ...others] = values;
    return custom(() => z.enum(values) as z.ZodType<Values[number]>, first, others.join(", "), reason);
  }
  /** A whole number between two bounds, inclusive; `unit` is appended to the description. */
  function number([min, max]: readonly [number, number], value: number, unit: string, reason: string) {
    return custom(
      () => wholeNumberChoice(min, max),
      value,
      `${value === min ? min + 1 : min} to ${max}${unit}`,
      reason,
    );
  }
  return { custom, oneOf, number };
}

/** A whole number between two bounds, inclusive. */
export function wholeNumberChoice(min: number, max: number) {
  return z.number().int().min(min).max(max);
}

/** The value of a header. */
export const headerText = () =>
  z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, "visible ASCII, as a header allows");

/** Headers that HTTP itself or every delivery uses (interface 2.6). */
const takenHeaders =
  /^(host|connection|keep-alive|upgrade|expect|te|trailer|transfer-encoding|content-length|content-type|content-encoding|accept-encoding|date|user-agent|authorization|cookie|proxy-.*|x-module-key)$/i;

/** Whether an additional header of deliveries may have this name. */
export function isFreeHeader(name: string): boolean {
  return !takenHeaders.test(name);
}

/** The name of a header. */
export const headerName = () =>
  z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "letters, digits and hyphens, as a header name allows");
