import { Chalk } from "chalk";
import type { VerifyResult } from "../checking/verify-result.ts";
import { hasGuards } from "../guard/exit-code.ts";
import type { GuardResult } from "../guard/guard-result.ts";
import { exchangeSummary } from "../output/exchange-text.ts";
import { paintWith } from "../output/paint.ts";
import { evidenceOfResult, noEvidence } from "../platform/result-evidence.ts";
import type { ImportedJob, ImportResult } from "../post-import/import-result.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { withHintShown } from "../protocol/hint-shown.ts";
import { IF_KEPT, plainFinding } from "../verify/report/plain-finding.ts";
import { isFinding } from "../verify/rules/known-findings.ts";
import { summaryLine } from "../verify/text/closing-text.ts";
import type { VerifyOptions } from "../verify/verify-options.ts";
import type { Delivery, WebhookResult } from "../webhook/webhook-result.ts";

/** The result of a matcher, as Vitest and Jest expect it. */
export interface MatcherEnd {
  /** Whether the expectation is met. */
  readonly pass: boolean;
  /** What was sent and received, for the failure message. */
  readonly message: () => string;
}

const plain = paintWith(new Chalk({ level: 0 }), 100);

/**
 * Matchers for `expect`: `expect.extend(contractMatchers)`.
 *
 * - `expect(login).toBeGranted()` and `.toBeDeniedBy("terms")`: what `sim.guard()` resolves with
 * - `expect(delivery).toBeAcknowledged()`: what `sim.webhook()` resolves with, or one of its deliveries
 * - `expect(job).toHaveImported()`: what `sim.postImport()` resolves with, or one of its jobs
 * - `await expect(app).toHonourTheContract(options)`: the app's address, what `startSimulator` takes as `app`, a running
 *   simulator, or what `sim.verify()` resolves with
 */
export const contractMatchers = {
  /** Whether the login was granted, and not just because there is no guard. */
  toBeGranted(received: unknown): MatcherEnd {
    const login = requireLogin(received);
    const says = hasGuards(login) ? endOf(login) : `there was no guard to ask; ${endOf(login)}`;
    return {
      // If a login is begun manually, a user gets in without any guard.
      pass: login.outcome === "granted" && hasGuards(login),
      message: () => factsText(login, says, exchangesOfLogin(login)),
    };
  },

  /**
   * Whether this guard denied the login.
   * @param module key of the guard that has to deny
   */
  toBeDeniedBy(received: unknown, module: string): MatcherEnd {
    const login = requireLogin(received);
    return {
      pass: login.outcome === "denied" && login.deniedBy === module,
      message: () => factsText(login, `expected a denial by ${module}; ${endOf(login)}`, exchangesOfLogin(login)),
    };
  },

  /** Whether the app acknowledged each of the deliveries (interface 2.6). */
  toBeAcknowledged(received: unknown): MatcherEnd {
    const [object, deliveries] = requireDeliveries(received);
    const failed = deliveries.filter(({ result }) => result !== "acknowledged");
    const [attempt] = (failed[0] ?? deliveries[0])?.attempts.slice(-1) ?? [];
    const exchanges = attempt === undefined ? [] : [attempt.exchange];
    const count = `${failed.length} of ${deliveries.length} deliveries not acknowledged`;
    const says = deliveries.length === 0 ? nothingSent(received as WebhookResult) : count + because(attempt?.reason);
    return {
      pass: deliveries.length > 0 && failed.length === 0,
      message: () => factsText(object, says, exchanges),
    };
  },

  /** Whether the app answered each of the jobs as the contract requires (interface 2.4). */
  toHaveImported(received: unknown): MatcherEnd {
    const [object, jobs] = requireJobs(received);
    const isRight = ({ outcome, findings }: ImportedJob) =>
      (outcome === "imported" || outcome === "not-modified") && !findings.some(({ result }) => result === "fail");
    const failed = jobs.filter((job) => !isRight(job));
    const wrongJobs = failed.map(({ fixture, outcome, error, findings }) => {
      const wrong = findings
        .filter(({ result }) => result === "fail")
        .map(({ check, path, message }) => `${check} ${path} ${message}`);
      return [`${fixture}: ${outcome}${error === null ? "" : `: ${error}`}`, ...wrong].join("\n  ");
    });
    const exchanges = (failed[0] ?? jobs[0])?.exchanges ?? [];
    return {
      pass: jobs.length > 0 && failed.length === 0,
      message: () =>
        factsText(object, [`${failed.length} of ${jobs.length} jobs failed`, ...wrongJobs].join("\n"), exchanges),
    };
  },

  /**
   * Whether `verify` finds nothing.
   * @param options of `sim.verify()`
   */
  async toHonourTheContract(received: unknown, options: VerifyOptions = {}): Promise<MatcherEnd> {
    const check = contractMatchers.toHonourTheContract;
    const { result, message } = await withHintShown(check, () => verified(received, options));
    return { pass: result.outcome === "passed", message: () => message };
  },
};

/** Runs `verify` on the given app, unless it is its result already. */
async function verified(received: unknown, options: VerifyOptions): Promise<{ result: VerifyResult; message: string }> {
  refusePromise(received);
  if (isCommand(received, "verify")) return withMessage(received as VerifyResult);
  const running = received as { readonly verify?: (options: VerifyOptions) => Promise<VerifyResult> } | null;
  if (typeof running?.verify === "function") return withMessage(await running.verify(options));
  const app = typeof received === "string" ? { url: received } : received;
  if (typeof app !== "object" || app === null || !("url" in app)) {
    throw new TypeError(
      "toHonourTheContract() needs the address of an app, an app with its url, or a running simulator",
    );
  }
  const { startPlatform } = await import("../start-platform.ts");
  await using sim = await startPlatform({ app: app as { url: string } });
  return withMessage(await sim.verify(options));
}

function withMessage(result: VerifyResult): { result: VerifyResult; message: string } {
  const evidence = evidenceOfResult(result) ?? noEvidence;
  const found = result.checks.filter((check) => isFinding(check) && check.known === null);
  const findings = found.map((check) =>
    [`${check.id}, ${check.subject}`, ...plainFinding(check, evidence, IF_KEPT)].join("\n  "),
  );
  const first = [summaryLine(result), ...(result.reason === null ? [] : [result.reason])];
  return { result, message: harmlessLines([first.join("\n"), ...findings].join("\n\n")) };
}

/** The facts of a result, with what was sent and received. */
function factsText(object: object, says: string, exchanges: readonly string[]): string {
  const { find, redactor } = evidenceOfResult(object) ?? noEvidence;
  const shown = exchanges.flatMap((id) => {
    const exchange = find(id);
    return exchange === null ? [`exchange ${id}`] : exchangeSummary(exchange, redactor, plain);
  });
  return [harmlessLines(says), ...shown].join("\n");
}

function harmlessLines(text: string): string {
  return text.split("\n").map(harmlessLine).join("\n");
}

const endings: Record<GuardResult["outcome"], string> = {
  granted: "access was granted",
  denied: "access was denied",
  failed: "the login failed",
  "needs-user": "the login was not completed",
};

function endOf({ outcome, deniedBy, reason }: GuardResult): string {
  return endings[outcome] + (deniedBy === null ? "" : ` by ${deniedBy}`) + because(reason);
}

/** Why a result has no deliveries, and what to try. */
function nothingSent({ reason, hint }: WebhookResult): string {
  return `nothing was sent${because(reason)}${hint === null ? "" : `\nhint: ${hint}`}`;
}

function because(reason: string | null | undefined): string {
  return reason ? `: ${reason}` : "";
}

function exchangesOfLogin({ stages }: GuardResult): readonly string[] {
  return stages.findLast(({ exchanges }) => exchanges.length > 0)?.exchanges ?? [];
}

function isCommand(received: unknown, command: string): received is object {
  return typeof received === "object" && received !== null && "command" in received && received.command === command;
}

/** @throws TypeError for a result that the test did not wait for */
function refusePromise(received: unknown): void {
  if (received instanceof Promise) throw new TypeError("you passed a Promise: add await, as in expect(await result)");
}

function requireLogin(received: unknown): GuardResult {
  refusePromise(received);
  if (isCommand(received, "guard")) return received as GuardResult;
  throw new TypeError("this matcher needs what sim.guard() resolves with");
}

function requireDeliveries(received: unknown): [object, readonly Delivery[]] {
  refusePromise(received);
  if (typeof received === "object" && received !== null) {
    if ("deliveries" in received) return [received, (received as WebhookResult).deliveries];
    if ("attempts" in received) return [received, [received as Delivery]];
  }
  throw new TypeError("toBeAcknowledged() needs what sim.webhook() resolves with, or one of its deliveries");
}

function requireJobs(received: unknown): [object, readonly ImportedJob[]] {
  refusePromise(received);
  if (typeof received === "object" && received !== null) {
    if ("jobs" in received) return [received, (received as ImportResult).jobs];
    if ("fixture" in received) return [received, [received as ImportedJob]];
  }
  throw new TypeError("toHaveImported() needs what sim.postImport() resolves with, or one of its jobs");
}
