import type { z } from "zod";
import { isJsonObject } from "../protocol/json-object.ts";
import { namesAt } from "../protocol/names-in-schema.ts";
import { problemsOf, valueAtPath, valueText } from "../protocol/problems.ts";
import { type Problem, UsageError } from "../protocol/usage-error.ts";

/** What is known about the options of a method, for messages. */
export interface OptionsFacts {
  /** Other places for a name. */
  placesOf(name: string): readonly string[];
  /** Whether they are the method's only argument. */
  readonly isAll: boolean;
  /** What a wrong value of an option most likely means, to end a message; "" if unknown. */
  meant(name: string, value: unknown): string;
}

/** @throws UsageError with every problem of a method's options, including misspelt ones */
export function checkObject<Schema extends z.ZodObject>(
  method: string,
  schema: Schema,
  options: unknown,
  { placesOf, isAll, meant }: OptionsFacts = { placesOf: () => [], isAll: false, meant: () => "" },
): z.infer<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  const names = Object.keys(schema.shape);
  const problems = isJsonObject(options)
    ? problemsOf(
        parsed.error,
        options,
        (path) => namesAt(schema, path),
        (path, name) => (path === "" ? placesOf(name) : []),
      )
        .map((problem) => withExample(problem, schema, options))
        .map((problem) => {
          const isKnown = /Did you mean/.test(problem.message);
          return isKnown
            ? problem
            : { ...problem, message: problem.message + meant(problem.path, valueAtPath(options, problem.path)) };
        })
    : [{ path: "", message: noObjectText(method, schema, options, isAll) }];
  const areNamed = problems.some(({ message }) => message.includes("Allowed here"));
  const hint = areNamed ? "docs/api describes each option" : `options: ${names.join(", ")}`;
  throw new UsageError("options-invalid", `${method}: the options are not valid`, hint, problems);
}

/** Adds an example to a problem if a single value was given instead of a list, or a name instead of an object. */
function withExample(problem: Problem, schema: z.ZodObject, options: object): Problem {
  const option = schema.shape[problem.path] as z.ZodType | undefined;
  const value = (options as Readonly<Record<string, unknown>>)[problem.path];
  const isOne = problem.message.endsWith("expected an array") && option?.safeParse([value]).success === true;
  if (isOne) return { ...problem, message: `${problem.message}, such as [${valueText(value)}]` };
  const isName =
    problem.message.endsWith("expected an object") && namesAt(schema, problem.path).includes(String(value));
  return isName ? { ...problem, message: `${problem.message}, such as { ${valueText(value)}: … }` } : problem;
}

/** The message for a value that is not an options object, with the option that it is most likely for. */
function noObjectText(method: string, { shape }: z.ZodObject, value: unknown, isAll: boolean): string {
  const inList = Array.isArray(value) ? value : [value];
  const takes = (option: unknown, given: unknown) => (option as z.ZodType).safeParse(given).success;
  const options = Object.entries(shape);
  // A string that is one of a few allowed values is meant for the option that allows them.
  const choices = options.filter(([, option]) => !takes(option, "any other text"));
  const [direct] = choices.find(([, option]) => takes(option, value)) ?? [];
  // If the method has another argument first, any text may be meant for that.
  const [other] = (isAll ? options : []).find(([, option]) => takes(option, value) || takes(option, inList)) ?? [];
  const isWorth = typeof value === "string" || (Array.isArray(value) && value.length > 0);
  const name = isWorth ? (direct ?? other) : undefined;
  const isOne = name !== undefined && takes(shape[name], value);
  const example =
    name === undefined
      ? ""
      : `, such as ${method.replace(/\)$/, isAll ? "" : "…, ")}{ ${name}: ${valueText(isOne ? value : inList)} })`;
  return `${valueText(value)} was given: expected an object${example}`;
}

/** How the problems of a value are reported. */
interface InputWords {
  /** What is wrong, before the problems. */
  readonly summary: string;
  readonly hint: string;
}

/** @throws UsageError with every problem of a value that a method was given, or that a function returned */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  { summary, hint }: InputWords,
): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new UsageError("input-invalid", summary, hint, problemsOf(parsed.error, input));
}
