import type { Ended } from "../checking/unit.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** Knows when a run has to end before all its checks have run: interrupted, out of time, or at the first failure. */
export class RunEnd {
  /** Ends calls in flight: on interruption, and when the time is over. */
  readonly signal: AbortSignal;
  readonly #interrupted: AbortSignal | undefined;
  readonly #timeOver = new AbortController();
  readonly #closed = new AbortController();
  readonly #options: VerifyOptions;
  readonly #isKnown: (check: CheckResult) => boolean;
  #failed: CheckResult | null = null;

  /** @param isKnown whether a finding does not count, because it is known */
  constructor(
    { signal, clock }: Pick<VerifyContext, "signal" | "clock">,
    options: VerifyOptions,
    isKnown: (check: CheckResult) => boolean,
  ) {
    this.#isKnown = isKnown;
    this.#interrupted = signal;
    this.#options = options;
    this.signal = AbortSignal.any([this.#timeOver.signal, ...(signal === undefined ? [] : [signal])]);
    if (options.timeout === undefined) return;
    void clock.pause(options.timeout, this.#closed.signal).then(() => {
      if (!this.#closed.signal.aborted) this.#timeOver.abort();
    });
  }

  /** Takes note of a result. */
  judged(check: CheckResult): void {
    const isFailure = check.result === "fail" || (check.result === "warn" && this.#options.failOn === "warn");
    if (isFailure && this.#failed === null && !this.#isKnown(check)) this.#failed = check;
  }

  /** Why no further check is to begin; null: the run goes on. */
  readonly ended = (): Ended | null => {
    if (this.#interrupted?.aborted === true) return { by: "interruption", reason: "interrupted" };
    if (this.#timeOver.signal.aborted) {
      return { by: "timeout", reason: `the time limit of ${(this.#options.timeout ?? 0) / 1000} s was over` };
    }
    if (this.#options.bail === true && this.#failed !== null) {
      return { by: "bail", reason: `not run: ${this.#failed.id} failed before it (--bail)` };
    }
    return null;
  };

  /** The run is over: the time limit does not hold any more. */
  close(): void {
    this.#closed.abort();
  }
}
