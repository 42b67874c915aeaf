import type { CheckResult } from "../checking/verify-result.ts";
import { type ChoiceId, choiceDefinitions, choiceIds } from "../config/choices.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { App } from "../config/schema.ts";
import { secretsOf } from "../config/secrets.ts";
import { credentialsIn, credentialsSent } from "../journal/credentials.ts";
import type { Exchange } from "../journal/exchange.ts";
import { mapYielding } from "../journal/map-yielding.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import { Redactor, redactSecrets } from "../journal/redact.ts";
import type { Hide } from "../journal/secret-hider.ts";
import { harText } from "../log/har.ts";
import { recordForJson, withoutOwnCredentials } from "../log/log-records.ts";
import { checkCounts } from "../log/log-rows.ts";
import { issuedNear } from "../log/shown-secrets.ts";
import { jsonLine } from "../output/json.ts";
import { secretRemover } from "../output/without-secrets.ts";
import { appAt } from "../platform/app-at.ts";
import { valueText } from "../protocol/problems.ts";
import { parseUrl } from "../protocol/url.ts";
import { judgeAgain } from "../verify/judge-again.ts";
import { isFinding } from "../verify/rules/known-findings.ts";
import { findingFacts } from "../verify/text/finding-facts.ts";
import { VerifiedJournal } from "../verify/verified-journal.ts";
import { signatureSteps } from "../webhook/signature-steps.ts";
import { htmlReport } from "./html-report.ts";
import { markdownSummary } from "./markdown-summary.ts";
import type { ReportedChoice, ReportedCommand, ReportedVerification, ReportFacts } from "./report-facts.ts";
import { type ReportFormat, reportFormatOf } from "./report-file.ts";
import { ReportedImports } from "./reported-imports.ts";

/** The source of a report. */
export interface ReportSource {
  readonly loaded: LoadedConfig;
  /** The end of the journal, as far as needed: a shown record may refer to one that is not shown. */
  readonly journal: readonly JournalRecord[];
  /** The shown records: the last of the journal. */
  readonly records: readonly JournalRecord[];
  readonly command: ReportedCommand | null;
  /** The choices that a result relied on; null: those that are not at their default. */
  readonly reliedOn: readonly ChoiceId[] | null;
  readonly notes: readonly string[];
  /** ISO 8601 in UTC. */
  readonly madeAt: string;
  /** Of app-sim. */
  readonly version: string;
  /** Aborts the report. */
  readonly signal: AbortSignal;
}

/**
 * The facts of a report, derived from its records once, for all of its files.
 * @throws the reason of the signal once it is aborted
 */
export async function reportFacts(source: ReportSource): Promise<ReportFacts> {
  const { loaded, journal, records, command, reliedOn, notes, madeAt, signal } = source;
  const { secrets, ...shown } = shownRecords(source);
  const from = Math.max(0, journal.length - records.length);
  const sent = await mapYielding(journal, signal, (record) => credentialsSent([record]));
  const hide = new Redactor([...secrets, ...sent.slice(from).flat()]);
  const { redactor } = shown;
  const sources = {
    loaded,
    journal: new VerifiedJournal(journal),
    redactor,
    withoutSecrets: secretRemover([...secrets, ...sent.flat()]),
  };
  const verifications = records.filter((record) => record.type === "verification");
  const hideIn = ({ request }: Exchange): Hide => {
    const own = redactSecrets(credentialsIn(request));
    return (text) => own(redactor.secretsIn(text));
  };
  return {
    ...shown,
    madeAt,
    apps: appsIn(records, loaded.config.apps).map((url) => hide.text(url)),
    command: command === null ? null : withoutSecretsIn(command, hide),
    notes,
    verifications: await mapYielding(verifications, signal, (verification) => verificationOf(verification, sources)),
    choices: choicesOf(loaded, reliedOn).map((choice) => ({ ...choice, value: hide.text(choice.value) })),
    signatureOf: (exchange) => signatureSteps(exchange, loaded.config.apps, loaded.choices, hideIn(exchange)),
    imports: new ReportedImports(records, loaded.choices, hide),
  };
}

/** What every format shows. */
type ShownRecords = Pick<ReportFacts, "versions" | "records" | "redactor">;

function shownRecords({ loaded, journal, records, version }: ReportSource): ShownRecords & { secrets: string[] } {
  const from = Math.max(0, journal.length - records.length);
  const secrets = [...secretsOf(loaded.config), ...issuedNear(from, journal.length - 1, journal)];
  const byId = new Map(journal.map((record) => [record.id, record]));
  return {
    versions: { appSim: version, node: process.version },
    records: records.map((record) => withoutOwnCredentials(record, (id) => byId.get(id) ?? null)),
    redactor: new Redactor(secrets),
    secrets,
  };
}

/**
 * Creates the text of each file of a report, in pieces. What only some formats need is derived once, for the first of
 * their files: in a large journal it takes most of the time.
 * @param onJudging runs before that, and `onWriting` before each text is created
 */
export function reportTexts(
  source: ReportSource,
  onJudging: () => void = () => {},
  onWriting: (file: string) => void = () => {},
): (file: string) => Promise<Iterable<string>> {
  let facts: ReportFacts | null = null;
  return async (file) => {
    const isJudged = !recordFormats.includes(reportFormatOf(file));
    if (isJudged && facts === null) {
      onJudging();
      facts = await reportFacts(source);
    }
    onWriting(file);
    return facts === null
      ? recordsText(file, shownRecords(source), source.signal)
      : reportFileText(file, facts, source.signal);
  };
}

const modulePurposes: readonly string[] = ["manifest", "guard", "post-import", "webhook", "install", "uninstall"];

/**
 * The apps that were called: a journal may contain others than the configured ones. If none were, the configured ones.
 */
function appsIn(records: readonly JournalRecord[], configured: readonly App[]): readonly string[] {
  const called = records.flatMap((record) =>
    record.type === "exchange" && modulePurposes.includes(record.purpose) ? [record.request.url] : [],
  );
  if (called.length === 0) return configured.map(({ url }) => url);
  const known = new Set(called.map((url) => appAt(configured, url)));
  const others = called.filter((url) => appAt(configured, url) === null);
  return [
    ...configured.filter((app) => known.has(app)).map(({ url }) => url),
    ...new Set(others.flatMap((url) => parseUrl(url)?.origin ?? [])),
  ];
}

/** A report in the format that its file's name asks for, in pieces. */
export async function reportFileText(file: string, facts: ReportFacts, signal: AbortSignal): Promise<Iterable<string>> {
  const format = reportFormatOf(file);
  if (recordFormats.includes(format)) return recordsText(file, facts, signal);
  return [format === "md" ? markdownSummary(facts) : await htmlReport(facts, signal)];
}

/** Formats that show records without judging them. */
const recordFormats: readonly (ReportFormat | null)[] = ["har", "ndjson"];

async function recordsText(
  file: string,
  { records, redactor, versions }: ShownRecords,
  signal: AbortSignal,
): Promise<Iterable<string>> {
  if (reportFormatOf(file) === "har") return harText(records, redactor, versions.appSim, signal);
  const lines = await mapYielding(records, signal, (record) => jsonLine(recordForJson(record, redactor)));
  return [jsonLine({ type: "journal", version: 1 }), ...lines];
}

function withoutSecretsIn(command: ReportedCommand, hide: Redactor): ReportedCommand {
  return {
    ...command,
    line: hide.text(command.line),
    text: command.text.map((line) => hide.secretsIn(line)),
    warnings: command.warnings.map((warning) => hide.text(warning)),
  };
}

/** The checks of a verification that a report includes: judging them needs everything that was sent for them. */
export function checksToTell({ checks }: VerificationRecord): VerificationRecord["checks"] {
  return checks.filter(({ result }) => result !== "pass" && result !== "skip");
}

/** What the verifications of a report share: created once, because there may be thousands of them, and of secrets. */
interface Sources {
  readonly loaded: LoadedConfig;
  readonly journal: VerifiedJournal;
  readonly redactor: Redactor;
  /** Also redacts what requests in the journal contained. */
  readonly withoutSecrets: <R>(result: R) => R;
}

function verificationOf(record: VerificationRecord, sources: Sources): ReportedVerification {
  const { journal, loaded, redactor, withoutSecrets } = sources;
  // Judging takes time, and passed checks are not shown.
  const found = checksToTell(record);
  const checks: CheckResult[] =
    found.length === 0 ? [] : judgeAgain(journal, { ...record, checks: found }, loaded).filter(isFinding);
  const find = (id: string) => journal.exchange(id);
  return {
    outcome: record.outcome,
    reason: record.reason === null ? null : redactor.text(record.reason),
    seed: record.seed,
    counts: checkCounts(record),
    findings: withoutSecrets(checks).map((check) => ({ check, facts: findingFacts(check, { find, redactor }) })),
  };
}

function choicesOf({ choices, origins }: LoadedConfig, reliedOn: readonly ChoiceId[] | null): ReportedChoice[] {
  return choiceIds.flatMap((id) => {
    const isDefault = (origins.get(`choices.${id}`) ?? "default") === "default";
    if (reliedOn === null ? isDefault : !reliedOn.includes(id)) return [];
    const { reason, section } = choiceDefinitions[id];
    return [{ id, value: valueText(choices[id]), isDefault, reason, section }];
  });
}
