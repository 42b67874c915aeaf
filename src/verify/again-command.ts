import type { CommandCall } from "../action/command-call.ts";
import type { VerifyResult } from "../checking/verify-result.ts";
import type { LoadedConfig } from "../config/load.ts";
import { credentialsSent } from "../journal/credentials.ts";
import { findRecord } from "../journal/journal.ts";
import { readOwnJournal } from "../journal/read-journal.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import { Redactor } from "../journal/redact.ts";
import { withoutSecrets } from "../output/without-secrets.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import type { VerifyFlags } from "./action.ts";
import { readBaseline } from "./baseline-file.ts";
import { allChecks } from "./checks.ts";
import { judgeAgain, lastVerification } from "./judge-again.ts";
import { reportIn } from "./report/report-in.ts";
import { withKnown } from "./rules/known-findings.ts";
import { isSelected, requireKnown } from "./rules/select.ts";
import { countResults, strictnessOf, verdictOf } from "./rules/summary.ts";
import { VerifiedJournal } from "./verified-journal.ts";
import { verifyExitCode } from "./verify-exit-code.ts";
import type { VerifyOptions } from "./verify-options.ts";

/** `app-sim verify --again` */
export function againCommand(
  {
    invocation,
    onSimulator,
  }: Pick<CommandCall<PlatformFace, VerifyFlags, VerifyOptions>, "invocation" | "onSimulator">,
  options: VerifyOptions,
): Promise<number> {
  const { format, paint, report } = invocation;
  const isWhole = report.verbose || report.details;
  let records: readonly JournalRecord[] = [];
  let redactor = new Redactor([]);
  const find = (id: string) => {
    const record = findRecord(records, id);
    return record?.type === "exchange" ? record : null;
  };
  return onSimulator(
    async (_simulator, session) => {
      records = await (await readOwnJournal(session.loaded)).records(invocation.signal);
      redactor = new Redactor(session.secrets);
      const result = await resultAgain(records, session.loaded, options);
      return withoutSecrets(result, credentialsSent(records));
    },
    {
      text: (result) => reportIn(format, result, { find, redactor }, { paint, isWhole }),
      exitCode: verifyExitCode,
    },
  );
}

async function resultAgain(
  records: readonly JournalRecord[],
  loaded: LoadedConfig,
  options: VerifyOptions,
): Promise<VerifyResult> {
  const { only = [], skip = [], baseline } = options;
  requireKnown(allChecks, { only, skip });
  const verification = lastVerification(records);
  const judged = judgeAgain(new VerifiedJournal(records), verification, loaded).filter(({ id }) =>
    isSelected({ only, skip }, id),
  );
  const known = [...loaded.config.verify.known, ...(baseline === undefined ? [] : await readBaseline(baseline))];
  const checks = withKnown(judged, known, Date.parse(verification.at));
  return {
    command: "verify",
    ...verdictOf({ unread: null, checks, ended: null, ofNone: noneOf(verification) }, strictnessOf(options)),
    seed: verification.seed,
    checks,
    coverage: verification.coverage,
    summary: { ...countResults(checks), ms: 0 },
    warnings: [],
    choices: [],
  };
}

/** Why none of the selected checks is in a recorded run. */
function noneOf({ at, checks, reason }: VerificationRecord): string {
  const areas = [...new Set(checks.flatMap(({ id }) => id.split(".")[0] ?? []))];
  return areas.length === 0
    ? `the last run, at ${at}, has no checks: ${reason ?? "nothing was verified"}`
    : `the last run, at ${at}, has only checks of ${areas.join(", ")}: verify the others without --again`;
}
