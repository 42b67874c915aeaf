import { z } from "zod";
import type { VerifyResult } from "./checking/verify-result.ts";
import type { TokenExplanation } from "./guard/explain/token-explanation.ts";
import type { GuardResult } from "./guard/guard-result.ts";
import type { InstallResult, ResetResult } from "./install/install-result.ts";
import type { LoadExportResult, LoadResult } from "./load/load-result.ts";
import type { ManifestResult } from "./manifest/manifest-result.ts";
import type { OAuthLoginResult } from "./oauth-login/login-result.ts";
import type { Paint } from "./output/paint.ts";
import type { ExchangeLines } from "./output/text.ts";
import { checkObject } from "./platform/check-input.ts";
import type { RunEvidence } from "./platform/result-evidence.ts";
import type { ImportResult } from "./post-import/import-result.ts";
import { didYouMean } from "./protocol/nearest.ts";
import { UsageError } from "./protocol/usage-error.ts";
import type { ScenarioResult } from "./scenario/scenario-result.ts";
import type { SignatureResult } from "./webhook/signature-result.ts";
import type { WebhookResult } from "./webhook/webhook-result.ts";

/** A result that there is a text for: what a method of the simulator resolves with, or a command prints as JSON. */
export type ReportedResult =
  | GuardResult
  | ImportResult
  | InstallResult
  | LoadExportResult
  | LoadResult
  | ManifestResult
  | OAuthLoginResult
  | ResetResult
  | ScenarioResult
  | SignatureResult
  | TokenExplanation
  | VerifyResult
  | WebhookResult;

/** How a report is drawn. */
export interface ReportTextOptions {
  /** Maximum line width in columns; default: no limit. Addresses are never broken. */
  readonly width?: number;
  /** Whether imports show every string, and `verify` each check that was not run; default false. */
  readonly details?: boolean;
}

const optionsSchema = z.strictObject({
  width: z.union([z.number().min(1), z.literal(Number.POSITIVE_INFINITY)], "expected a number of columns").optional(),
  details: z.boolean().optional(),
} satisfies { readonly [Name in keyof ReportTextOptions]-?: z.ZodType<ReportTextOptions[Name]> });

/** What a result's text needs besides the result. */
interface Surroundings {
  readonly paint: Paint;
  readonly details: boolean;
  readonly exchanges: ExchangeLines;
  /** null if the result was not made in this process. */
  readonly run: RunEvidence | null;
}

/** The output of these is read by a compiler or a shell, so no line may be folded. */
const verbatim: readonly string[] = ["guard-token", "webhook-signature"];

type TextOf<Result> = (result: Result, surroundings: Surroundings) => Promise<readonly string[]>;
type TextsOf<Result extends ReportedResult> = {
  readonly [Command in Result["command"]]: TextOf<Extract<Result, { readonly command: Command }>>;
};

const textOfDeliveries: TextOf<WebhookResult> = async (result, { exchanges, paint, run }) => {
  const { webhookText } = await import("./webhook/webhook-text.ts");
  const { refusedSignatures } = await import("./webhook/signature-text.ts");
  const signatures = run === null ? {} : { signatures: refusedSignatures(run, result) };
  return webhookText(result, exchanges, paint, { ...signatures, isByChance: false });
};

const textOfInstallation: TextOf<InstallResult> = async (result, { exchanges, paint }) =>
  (await import("./install/install-text.ts")).installText(result, exchanges, paint);

/** The text of each kind of result, by its member `command`; loaded when first needed. */
const texts: TextsOf<ReportedResult> = {
  guard: async (result, { exchanges, paint }) => {
    const { guardText, expectationText } = await import("./guard/guard-text.ts");
    return [...guardText(result, exchanges, paint), ...expectationText(result, paint)];
  },
  "guard-token": async (result, { paint }) =>
    (await import("./guard/explain/token-text.ts")).tokenText(result, "node", paint),
  "post-import": async (result, { exchanges, paint, details }) =>
    (await import("./post-import/text/import-text.ts")).importText(result, exchanges, paint, details),
  webhook: textOfDeliveries,
  replay: textOfDeliveries,
  "webhook-signature": async (result, { paint }) =>
    (await import("./webhook/signature-text.ts")).signatureText(result, "node", paint),
  load: async (result, { paint }) => (await import("./load/load-text.ts")).loadText(result, paint),
  "load-export": async (result, { paint }) => (await import("./load/load-text.ts")).loadExportText(result, paint),
  run: async (result, { exchanges, paint }) =>
    (await import("./scenario/scenario-text.ts")).scenarioText(result, exchanges, paint),
  verify: async (result, { paint, run, details }) => {
    const { verifyText } = await import("./verify/text/verify-text.ts");
    const { noEvidence } = await import("./platform/result-evidence.ts");
    return verifyText(result, run ?? noEvidence, paint, details);
  },
  oauth: async (result, { paint, run }) => {
    const { oauthExchangeLines, oauthText } = await import("./oauth-login/oauth-text.ts");
    const lines = run === null ? () => [] : oauthExchangeLines(run.journal, run.secrets, paint);
    return oauthText(result, lines, paint);
  },
  install: textOfInstallation,
  uninstall: textOfInstallation,
  reset: async () => (await import("./install/install-text.ts")).resetText(),
  manifest: async (result, { paint }) => (await import("./manifest/manifest-text.ts")).manifestText(result, paint),
};

/**
 * The report that the command prints for a result, as lines of text without colours: what was sent, what came back and
 * how it ended, without secrets. A promise, because the code for it is loaded on first use. Warnings are not included,
 * as the command prints them separately: they are in `result.warnings`.
 *
 * ```ts
 * const login = await sim.guard();
 * if (login.outcome !== "granted") console.log(await reportText(login, { width: 100 }));
 * ```
 * @param result what a method of a simulator resolved with; one that was read from JSON has no exchanges to show
 * @returns lines that end with a newline each
 * @throws UsageError if it is not a result, and for options that are not allowed
 */
export async function reportText(result: ReportedResult, options: ReportTextOptions = {}): Promise<string> {
  const text = textFor(result);
  const { width = Number.POSITIVE_INFINITY, details = false } = checkObject("reportText()", optionsSchema, options);
  // One after another: Jest cannot link modules that are imported concurrently and share dependencies.
  const { plainPaint } = await import("./output/paint.ts");
  const { fitLines } = await import("./output/fit-lines.ts");
  const { withChangedChoices } = await import("./output/changed-choices.ts");
  const { withoutSecrets } = await import("./output/without-secrets.ts");
  const { credentialsSent } = await import("./journal/credentials.ts");
  const { exchangeLines } = await import("./output/exchange-text.ts");
  const { evidenceOfResult } = await import("./platform/result-evidence.ts");
  const run = evidenceOfResult(result);
  const paint = { ...plainPaint, width };
  const exchanges = run === null ? () => [] : exchangeLines(run.journal, run.secrets, paint);
  const secrets = run === null ? [] : [...run.secrets, ...credentialsSent(run.journal.list())];
  const harmless = withoutSecrets(result, secrets);
  const shown = run === null || !("choices" in harmless) ? harmless : withChangedChoices(harmless, run.choices);
  const lines = await text(shown, { paint, details, exchanges, run });
  return `${(verbatim.includes(result.command) ? lines : fitLines(lines, width)).join("\n")}\n`;
}

/** @throws UsageError if it is not a result */
function textFor(result: ReportedResult): TextOf<ReportedResult> {
  const command: unknown = (result as ReportedResult | null | undefined)?.command;
  if (typeof command === "string" && Object.hasOwn(texts, command)) {
    return texts[command as ReportedResult["command"]] as TextOf<ReportedResult>;
  }
  const known = Object.keys(texts);
  throw new UsageError(
    "options-invalid",
    typeof command === "string"
      ? `reportText(): there is no text for a result of "${command}".${didYouMean(command, known)}`
      : "reportText(): that is not a result",
    "pass what a method of the simulator resolves with, such as await sim.guard()",
  );
}
