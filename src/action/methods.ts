import type { User } from "../config/schema.ts";
import type { SimulatorContext } from "../platform/context.ts";
import { withEvidence } from "../platform/result-evidence.ts";
import { refuseFurther } from "../protocol/arguments.ts";
import { checkOptions } from "./check-options.ts";
import type { ActionDefinition } from "./define-action.ts";

type AnyAction = Pick<ActionDefinition<never, never, never>, "options" | "services"> & {
  run?: (...args: never[]) => Promise<unknown>;
};

/**
 * Creates the library's methods from the actions that have one: each checks its options, then runs.
 * @param contextWith creates the context of a method with the services of these names
 * @param inFlight runs a method and counts it as in flight
 * @param users of the configuration
 */
export function methodsOf(
  actions: Readonly<Record<string, AnyAction>>,
  contextWith: (services: readonly string[]) => Promise<SimulatorContext>,
  inFlight: <Result>(run: () => Promise<Result>) => Promise<Result>,
  users: readonly User[],
): Record<string, (...args: readonly unknown[]) => Promise<unknown>> {
  const methods = Object.entries(actions).flatMap(([name, action]) => {
    const { run, services = [] } = action;
    if (run === undefined) return [];
    const method = (...args: readonly unknown[]) =>
      inFlight(async () => {
        const checked = checkedArguments(name, action, args, users);
        const context = await contextWith(services);
        return withEvidence(await run(...([context, ...checked] as never[])), context);
      });
    return [[name, method] as const];
  });
  return Object.fromEntries(methods);
}

/** The arguments of a method; the last one, its options, is checked and may be omitted. */
function checkedArguments(
  name: string,
  { run, options }: AnyAction,
  args: readonly unknown[],
  users: readonly User[],
): readonly unknown[] {
  if (run === undefined) return args;
  // `run` takes the context before the arguments of the method.
  const last = run.length - 2;
  refuseFurther(`${name}()`, args, last + 1);
  if (options === undefined) return args;
  return [
    ...Array.from({ length: last }, (_, index) => args[index]),
    checkOptions(`${name}()`, options, args[last] ?? {}, { isAll: last === 0, users }),
  ];
}
