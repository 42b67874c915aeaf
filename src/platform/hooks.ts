import type { z } from "zod";
import { didYouMean } from "../protocol/nearest.ts";
import { valueText } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { checkInput } from "./check-input.ts";

type Change<Value> = (value: Value) => Value;

/** Changes to later values; `Changeable` maps the names of these values to their types. */
export interface Hooks<Changeable> {
  /**
   * Changes the next value of this name, and only that one; several changes queue up. If a change throws, or returns
   * another kind of value, the action that uses the value fails.
   * @throws UsageError for an unknown name, or a change that is not a function
   */
  once<N extends keyof Changeable & string>(name: N, change: Change<Changeable[N]>): void;
  /** Drops the pending changes. */
  forget(): void;
  /**
   * The value, or what the first pending change makes of it.
   * @throws UsageError if that is another kind of value
   */
  apply<N extends keyof Changeable & string>(name: N, value: Changeable[N]): Changeable[N];
}

/** @param method name for messages: `oauth.once()` */
export function createHooks<Changeable>(
  method: string,
  schemas: { readonly [N in keyof Changeable & string]: z.ZodType<Changeable[N]> },
): Hooks<Changeable> {
  const waiting: { readonly name: string; readonly change: (value: unknown) => unknown }[] = [];
  return {
    once(...input) {
      const [name, change] = checkedChange(method, Object.keys(schemas), input);
      waiting.push({ name, change });
    },
    forget() {
      waiting.length = 0;
    },
    apply(name, value) {
      const index = waiting.findIndex((candidate) => candidate.name === name);
      const [next] = index === -1 ? [] : waiting.splice(index, 1);
      if (next === undefined) return value;
      const result = changed(name, next.change, value);
      if (result === undefined) throw nothingReturned(name);
      return checkInput(schemas[name], result, {
        summary: `the change of "${name}" returned something of another kind than it received`,
        hint: SAME_KIND,
      });
    },
  };
}

/** @throws UsageError for an unknown name, or a change that is not a function */
function checkedChange(
  method: string,
  names: readonly string[],
  [name, change]: readonly unknown[],
): [string, (value: unknown) => unknown] {
  const called = method.replace("()", "");
  if (typeof name !== "string" || !names.includes(name)) {
    const near = typeof name === "string" ? didYouMean(name, names) : "";
    throw new UsageError(
      "input-invalid",
      `${method}: there is no ${valueText(name)} to change.${near}`,
      `allowed: ${names.join(", ")}; for example ${called}("${names[0]}", (value) => value)`,
    );
  }
  if (typeof change === "function") return [name, change as (value: unknown) => unknown];
  throw new UsageError(
    "input-invalid",
    `${method}: the change of "${name}" is ${valueText(change)}: expected a function`,
    `for example ${called}("${name}", (value) => value)`,
  );
}

function nothingReturned(name: string): UsageError {
  return new UsageError("input-invalid", `the change of "${name}" returned nothing`, SAME_KIND);
}

const SAME_KIND = "return the value, changed or unchanged: (value) => ({ ...value, … })";

function changed(name: string, change: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return change(value);
  } catch (error) {
    const hint = "a change receives a value and returns one; assertions belong after the request";
    throw new UsageError("change-failed", `the change of "${name}" threw ${String(error)}`, hint);
  }
}
