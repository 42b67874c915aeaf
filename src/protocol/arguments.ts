import { valueText } from "./problems.ts";
import { UsageError } from "./usage-error.ts";

/** @throws UsageError for an argument that a function would ignore; `called` is `guard()` */
export function refuseFurther(called: string, args: readonly unknown[], most: number): void {
  if (args.length <= most) return;
  const taken = most === 1 ? "1 argument" : `${most} arguments`;
  throw new UsageError(
    "input-invalid",
    `${called}: ${valueText(args[most])} is one argument too many`,
    most === 0 ? `it takes none: ${called}` : `it takes ${taken}: docs/api describes each method`,
  );
}
