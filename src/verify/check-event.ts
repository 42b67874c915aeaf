import type { CheckResult } from "../checking/verify-result.ts";

/** What happens while a run of `verify` goes on. */
export type CheckEvent =
  | {
      /** A run begins; there is more than one with `repeat`. */
      readonly what: "planned";
      /** What is verified, each with the number of its checks. */
      readonly parts: readonly {
        /** The key of a module, or what else is verified. */
        readonly name: string;
        /** How many checks it has. */
        readonly checks: number;
      }[];
    }
  | {
      /** A check begins. */
      readonly what: "began";
      /** As a part is named: the key of a module, or what else is verified. */
      readonly part: string;
      /** Of the check, such as `guard.token.alg-none`. */
      readonly id: string;
      /** What a right app does. */
      readonly title: string;
    }
  | {
      /** A check has ended. */
      readonly what: "ended";
      /** As a part is named. */
      readonly part: string;
      /** How it ended. */
      readonly check: CheckResult;
    };

/** What a check belongs to, in words: its module, or its area where it belongs to no module. */
export function partOf({ module, area }: Pick<CheckResult, "module" | "area">): string {
  return module ?? area;
}
