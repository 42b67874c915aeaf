/// <reference lib="esnext.disposable" preserve="true" />
import type { SimulatorMethods } from "./actions.ts";
import { inLibraryWords, startInLibraryWords } from "./library-words.ts";
import type { Faults } from "./oauth/endpoints/apply-faults.ts";
import type { Changeable } from "./oauth/endpoints/oauth-context.ts";
import type { Hooks } from "./platform/hooks.ts";
import type { SimulatorFace, SimulatorOptions } from "./platform/simulator-options.ts";
import type { WaitFor } from "./platform/wait-for.ts";
import { refuseFurther } from "./protocol/arguments.ts";
import { withHintShown, withHintsShown } from "./protocol/hint-shown.ts";
import { startPlatform } from "./start-platform.ts";
import type { ChangeableDelivery } from "./webhook/changeable.ts";

export { type CheckResult, type VerifyResult, verifyResultSchema } from "./checking/verify-result.ts";
export type { ChoiceId, Choices } from "./config/choices.ts";
export { type ConfigInput, configJsonSchema } from "./config/config-file-schema.ts";
export { defineConfig } from "./config/define-config.ts";
export type { Role } from "./config/roles.ts";
export { type DemoResult, demoResultSchema } from "./demo/demo-result.ts";
export { type DoctorResult, doctorResultSchema } from "./doctor/doctor-result.ts";
export type { ExplainTokenOptions } from "./guard/explain/explain-token-options.ts";
export { type TokenExplanation, tokenExplanationSchema } from "./guard/explain/token-explanation.ts";
export { type GuardResult, guardResultSchema } from "./guard/guard-result.ts";
export type { GuardOptions, LoginUser, OnLogin } from "./guard/login/guard-options.ts";
export type { Interaction } from "./guard/login/interaction.ts";
export type { LoginSession } from "./guard/login/login-face.ts";
export type { LoginOptions } from "./guard/login/login-options.ts";
export type { LoginView } from "./guard/login/login-view.ts";
export type { Begun } from "./guard/login/logins.ts";
export { type InitResult, initResultSchema } from "./init/init-result.ts";
export type { InstallOptions } from "./install/install-options.ts";
export {
  type InstallResult,
  installResultSchema,
  type ResetResult,
  resetResultSchema,
} from "./install/install-result.ts";
export type { Exchange, Outcome } from "./journal/exchange.ts";
export type { Journal } from "./journal/journal.ts";
export type { JournalRecord } from "./journal/record.ts";
export type { ArtilleryExport } from "./load/export/export-artillery.ts";
export type { LoadLimits, LoadOptions } from "./load/load-options.ts";
export {
  type LoadExportResult,
  type LoadResult,
  loadExportResultSchema,
  loadResultSchema,
} from "./load/load-result.ts";
export { type ManifestResult, manifestResultSchema } from "./manifest/manifest-result.ts";
export type { Changeable } from "./oauth/endpoints/oauth-context.ts";
export { type OAuthLoginResult, oauthLoginResultSchema } from "./oauth-login/login-result.ts";
export type { OAuthLoginOptions } from "./oauth-login/oauth-login-options.ts";
export type { ExchangeMatcher } from "./platform/exchange-matcher.ts";
export type { ManifestNews } from "./platform/manifest-memory.ts";
export type { ClockState, PlatformClock } from "./platform/platform-clock.ts";
export type { PlatformTls, Progress, SimulatorOptions, StartedCall } from "./platform/simulator-options.ts";
export { NothingCameError, type WaitedFor, type WaitFor } from "./platform/wait-for.ts";
export type { ImportSource } from "./post-import/files/plan-jobs.ts";
export { type ImportResult, importResultSchema } from "./post-import/import-result.ts";
export type { ImportOptions } from "./post-import/run/import-options.ts";
export type { FaultPlace, FaultRequest } from "./protocol/fault-kinds.ts";
export type { ImportJob, StringRecord } from "./protocol/import-job.ts";
export type { UsageCode } from "./protocol/usage-codes.ts";
export { UsageError } from "./protocol/usage-error.ts";
export type { WireAnswer } from "./protocol/wire-answer.ts";
export { type ReportedResult, type ReportTextOptions, reportText } from "./report-text.ts";
export { type ScenarioResult, scenarioResultSchema } from "./scenario/scenario-result.ts";
export type { TokenOptions } from "./token/token-options.ts";
export type { CheckEvent } from "./verify/check-event.ts";
export type { ProposedConfig } from "./verify/propose-config.ts";
export type { VerifyOptions } from "./verify/verify-options.ts";
export type { ChangeableDelivery } from "./webhook/changeable.ts";
export { type SignatureResult, signatureResultSchema } from "./webhook/signature-result.ts";
export type { ReplayOptions, WebhookOptions } from "./webhook/webhook-options.ts";
export { type WebhookResult, webhookResultSchema } from "./webhook/webhook-result.ts";

/** The authorization server of a running simulator (interface 5.2 to 5.4). */
export interface AuthorizationServer extends Pick<Hooks<Changeable>, "once" | "forget"> {
  /** Faults that it answers with on purpose. */
  readonly faults: Faults;
}

/** A simulator that runs until it is closed. */
export interface RunningSimulator extends SimulatorMethods, SimulatorFace {
  /** Its authorization server, whose answers to the app can be changed. */
  readonly oauth: AuthorizationServer;
  /**
   * Resolves with the oldest exchange that matches and that no earlier call returned: one already recorded, or the
   * next.
   * @throws NothingCameError when the time is over, with what came instead
   */
  readonly waitFor: WaitFor;
  /** Changes the next list of `events`, or the next attempt at a `delivery` after it was signed, and nothing else. */
  readonly once: Hooks<ChangeableDelivery>["once"];
}

/**
 * Starts the platform.
 *
 * ```ts
 * await using sim = await startSimulator({ app: { url: "http://127.0.0.1:3000" } });
 * const { outcome } = await sim.guard({ user: "member" });
 * ```
 * @throws UsageError for options that are not allowed, a port that is taken, or a journal of a newer app-sim
 */
export function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  // biome-ignore lint/complexity/noArguments: a rest parameter would be part of the public signature.
  const given = [...arguments];
  return withHintShown(startSimulator, async () => {
    refuseFurther("startSimulator()", given, 1);
    const simulator = inLibraryWords(await startPlatform(options).catch(startInLibraryWords));
    const { clock, oauth } = simulator;
    for (const face of [clock, oauth, oauth.faults]) withHintsShown(face);
    return withHintsShown(simulator);
  });
}
