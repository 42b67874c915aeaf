import type { CheckResult } from "../checking/verify-result.ts";

/** An event during a run of `verify`. */
export type CheckEvent =
  | {
      /** A run starts; there are several with `repeat`. */
      readonly what: "planned";
      /** The verified parts, each with the number of its checks. */
      readonly parts: readonly {
        /** The key of a module, or the name of another part. */
        readonly name: string;
        /** How many checks it has. */
        readonly checks: number;
      }[];
    }
  | {
      /** A check starts. */
      readonly what: "began";
      /** The name of its part: the key of a module, or another name. */
      readonly part: string;
      /** Id of the check, such as `guard.token.alg-none`. */
      readonly id: string;
      /** What a correct app does. */
      readonly title: string;
    }
  | {
      /** The run ends before all its checks have run: those left over end as skipped, with this reason. */
      readonly what: "ending";
      /** Why, such as `interrupted`. */
      readonly reason: string;
    }
  | {
      /** A check has ended. */
      readonly what: "ended";
      /** The name of its part. */
      readonly part: string;
      /** How it ended. */
      readonly check: CheckResult;
      /** How long the app now takes to answer: `the app takes about 0.4 s to answer`; null: it is fast. */
      readonly pace: string | null;
    };

/** The part that a check belongs to: its module, or else its area. */
export function partOf({ module, area }: Pick<CheckResult, "module" | "area">): string {
  return module ?? area;
}
