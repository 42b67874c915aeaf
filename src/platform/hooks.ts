import { z } from "zod";
import { UsageError } from "../protocol/usage-error.ts";
import { checkInput } from "./check-input.ts";

type Change<Value> = (value: Value) => Value;

/** Changes that are waiting for their moment; `Changeable` says by name what can be changed. */
export interface Hooks<Changeable> {
  /**
   * Changes the next one of its kind, and only that; several wait in line. A change that throws, or returns something
   * else than what it got, is a mistake that whoever asks for the value is told.
   * @throws UsageError for a name that there is not, or a change that is no function
   */
  once<N extends keyof Changeable & string>(name: N, change: Change<Changeable[N]>): void;
  /** Forgets the changes that are still waiting. */
  forget(): void;
  /**
   * The value as the change that waits for it makes it.
   * @throws UsageError where that is not a value of its kind
   */
  apply<N extends keyof Changeable & string>(name: N, value: Changeable[N]): Changeable[N];
}

/**
 * No change is waiting.
 * @param method that takes the changes, for messages: `oauth.once()`
 */
export function createHooks<Changeable>(
  method: string,
  schemas: { readonly [N in keyof Changeable & string]: z.ZodType<Changeable[N]> },
): Hooks<Changeable> {
  type Name = keyof Changeable & string;
  const onceSchema = z.tuple([
    z.enum(Object.keys(schemas) as [Name, ...Name[]]),
    z.custom<(value: unknown) => unknown>((change) => typeof change === "function", "expected a function"),
  ]);
  let waiting: readonly { readonly name: string; readonly change: (value: unknown) => unknown }[] = [];
  return {
    once(...input) {
      const [name, change] = checkInput(method, onceSchema, input);
      waiting = [...waiting, { name, change }];
    },
    forget() {
      waiting = [];
    },
    apply(name, value) {
      const next = waiting.find((candidate) => candidate.name === name);
      if (next === undefined) return value;
      waiting = waiting.filter((candidate) => candidate !== next);
      return checkInput(`what the change of "${name}" returned`, schemas[name], changed(name, next.change, value));
    },
  };
}

function changed(name: string, change: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return change(value);
  } catch (error) {
    const hint = "a change gets a value and returns one; assertions belong after the request";
    throw new UsageError("change-failed", `the change of "${name}" threw ${String(error)}`, hint);
  }
}
