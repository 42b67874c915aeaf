import { valueText } from "./problems.ts";
import { UsageError } from "./usage-error.ts";

/** @throws UsageError for an argument that a function would ignore; `called` is `guard()` */
export function refuseFurther(called: string, args: readonly unknown[], most: number): void {
  const [further] = args.slice(most);
  if (further === undefined || isHookContext(further)) return;
  const taken = most === 1 ? "1 argument" : `${most} arguments`;
  throw new UsageError(
    "input-invalid",
    `${called}: ${valueText(further)} is one argument too many`,
    most === 0 ? `it takes none: ${called}` : `it takes ${taken}: docs/api describes each method`,
  );
}

/** What test runners pass to a hook, as in `afterEach(sim.reset)`: a function, or an object of a class. */
function isHookContext(value: unknown): boolean {
  if (typeof value === "function") return true;
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : null;
  return prototype !== null && prototype !== Object.prototype && prototype !== Array.prototype;
}
