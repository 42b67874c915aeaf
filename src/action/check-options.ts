import { z } from "zod";
import type { User } from "../config/schema.ts";
import { placesOfName } from "../config/setting-names.ts";
import { roleMeant } from "../config/users.ts";
import { checkObject } from "../platform/check-input.ts";
import { namesAt } from "../protocol/names-in-schema.ts";
import { isSlipOf } from "../protocol/nearest.ts";
import { schemaParts } from "../protocol/schema-parts.ts";
import type { OptionsOf } from "./define-action.ts";

/** The zod object of options: each is optional, and no others are allowed. */
export type OptionsSchema<Options> = z.ZodObject<
  {
    readonly [Name in keyof Options]-?: undefined extends Options[Name]
      ? z.ZodOptional<z.ZodType<Exclude<Options[Name], undefined>>>
      : z.ZodType<Options[Name]>;
  },
  z.core.$strict
>;

/** Creating a schema takes longer than a whole login. */
const schemas = new WeakMap<object, unknown>();

/** The schema of options, from their definitions; a required one cannot be omitted. */
export function schemaOf<Options>(definitions: OptionsOf<Options>): OptionsSchema<Options> {
  const known = schemas.get(definitions) ?? makeSchema(definitions);
  schemas.set(definitions, known);
  return known as OptionsSchema<Options>;
}

function makeSchema<Options>(definitions: OptionsOf<Options>): z.ZodObject {
  const members = Object.entries<OptionsOf<Record<string, unknown>>[string]>(definitions as never).map(
    ([name, definition]) => {
      const schema = definition.schema(schemaParts).describe(definition.help);
      return [name, definition.isRequired === true ? schema : schema.optional()];
    },
  );
  return z.strictObject(Object.fromEntries(members));
}

/** Flags of commands that are no options, and what a test has in their place. */
const insteadOfFlags: Readonly<Record<string, string>> = {
  "guard() tamper": 'sim.verify({ only: ["guard"] })',
  "guard() expect": "an assertion on the outcome of the result",
  "guard() expectDeniedBy": "an assertion on deniedBy of the result",
  "guard() strict": "an assertion on the warnings of the result and of its stages",
  "guard() explain": "sim.explainToken()",
  "postImport() tamper": 'sim.verify({ only: ["import"] })',
  "postImport() strict": "an assertion on jobs[].findings of the result",
  "webhook() strict": "an assertion on the warnings of the result",
  "webhook() explain": "sim.explainSignature()",
  "verify() strict": 'failOn: "warn"',
};

/** Where the options come from, for messages. */
interface OptionsCheck {
  /** Whether they are the method's only argument. */
  readonly isAll: boolean;
  readonly users: readonly User[];
}

/**
 * Checks the options of a method against their definitions, so that a misspelt one is an error.
 * @throws UsageError with every problem
 */
export function checkOptions<Options>(
  method: string,
  definitions: OptionsOf<Options>,
  options: unknown,
  { isAll, users }: OptionsCheck = { isAll: true, users: [] },
): Options {
  const schema = schemaOf(definitions);
  const isSlip = (name: string) => Object.keys(schema.shape).some((known) => isSlipOf(name, known));
  const placesOf = (name: string) => {
    if (isSlip(name)) return [];
    const instead = insteadOfFlags[`${method} ${name}`];
    if (instead !== undefined) return [instead];
    const own = Object.keys(schema.shape).filter((option) => namesAt(schema, option).includes(name));
    return own.length > 0
      ? own.map((option) => `${option}: { ${name}: … }`)
      : placesOfName("", name).map((place) => `${place} in the options of startSimulator()`);
  };
  const meant = (name: string, value: unknown) => (name === "user" ? roleMeant(users, value) : "");
  return checkObject(method, schema, options, { placesOf, isAll, meant }) as Options;
}
