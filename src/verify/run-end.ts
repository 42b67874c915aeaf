import type { Ended } from "../checking/unit.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** Decides when a run must end before all its checks have run: interrupted, out of time, or at the first failure. */
export class RunEnd {
  /** Aborts calls in flight: on interruption, and when the time is up. */
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
    this.signal.addEventListener("abort", this.#announce);
    if (options.timeout === undefined) return;
    void clock.pause(options.timeout, this.#closed.signal).then(() => {
      if (!this.#closed.signal.aborted) this.#timeOver.abort();
    });
  }

  /** Registers a result. */
  judged(check: CheckResult): void {
    const isFailure = check.result === "fail" || (check.result === "warn" && this.#options.failOn === "warn");
    if (!isFailure || this.#failed !== null || this.#isKnown(check)) return;
    this.#failed = check;
    this.#announce();
  }

  /** Whether a check did not run, because the run ended before it. */
  cut({ result, reason }: Pick<CheckResult, "result" | "reason">): boolean {
    return result === "skip" && reason === this.ended()?.reason;
  }

  /** Why no further check may start; null: the run continues. */
  readonly ended = (): Ended | null => {
    if (this.#interrupted?.aborted === true) return { by: "interruption", reason: "interrupted" };
    if (this.#timeOver.signal.aborted) {
      return { by: "timeout", reason: `the time limit of ${(this.#options.timeout ?? 0) / 1000} s was reached` };
    }
    if (this.#options.bail === true && this.#failed !== null) {
      return { by: "bail", reason: `${this.#failed.id} had failed (--bail)` };
    }
    return null;
  };

  /** The run is over: clears the time limit. */
  close(): void {
    this.#closed.abort();
    this.signal.removeEventListener("abort", this.#announce);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  readonly #announce = (): void => {
    const ended = this.ended();
    if (ended !== null) this.#options.onCheck?.({ what: "ending", reason: ended.reason });
  };
}
