import { UsageError } from "./usage-error.ts";

type AnyFunction = (...args: never[]) => unknown;

/**
 * Runs what the user's code has called. A mistake is thrown in the form for test runners, which show only message and
 * stack: the message ends with the hint, and the stack begins where `called` was called.
 */
export function withHintShown<Result>(called: AnyFunction, run: () => Result): Result {
  const place = { stack: "" };
  Error.captureStackTrace(place, called);
  const fail = (error: unknown): never => {
    throw error instanceof UsageError ? hinted(error, place.stack) : error;
  };
  try {
    const result = run();
    return result instanceof Promise ? (result.catch(fail) as Result) : result;
  } catch (error) {
    return fail(error);
  }
}

/** The same object, whose functions throw mistakes with their hints. */
export function withHintsShown<Face extends object>(face: Face): Face {
  const functions = Object.entries(face).flatMap(([name, member]) => {
    if (typeof member !== "function") return [];
    const called = (...args: readonly unknown[]) => withHintShown(called, () => member.apply(face, args));
    return [[name, called] as const];
  });
  return Object.assign(face, Object.fromEntries(functions));
}

/** Made from the parts of the error, so that one that passes twice has its hint once. */
function hinted({ code, summary, hint, problems }: UsageError, stack: string): UsageError {
  const error = new UsageError(code, summary, hint, problems);
  if (hint !== "") error.message += `\nhint: ${hint}`;
  error.stack = [`${error.name}: ${error.message}`, ...stack.split("\n").slice(1)].join("\n");
  return error;
}
