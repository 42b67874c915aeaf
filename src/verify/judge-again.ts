import type { Check, CheckFacts, Verdict } from "../checking/check.ts";
import { checkResult, resultOf } from "../checking/check-result.ts";
import { BROWSED, SEARCH } from "../checking/evidence.ts";
import { readAskedReply, readGuardReply, readWebhookReply } from "../checking/reply.ts";
import type { Subject } from "../checking/subject.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import { readChoices } from "../config/choices.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { App } from "../config/schema.ts";
import { findUser } from "../config/users.ts";
import { pageChecksAt } from "../guard-checks/pages/checks.ts";
import { readOpenedPage, readPageCall, readScriptedCall, readSentForm } from "../guard-checks/pages/walk/answer.ts";
import { importAccepted } from "../import-checks/checks.ts";
import { readImportReply } from "../import-checks/reading.ts";
import { judgeAccepted, NAMED } from "../import-checks/units.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { JournalRecord, VerificationRecord } from "../journal/record.ts";
import { addressChecks, judgeAddress } from "../manifest-checks/addresses.ts";
import { type ManifestCheck, readingOfExchanges, readingTerms } from "../manifest-checks/reading.ts";
import type { OAuthCheck } from "../oauth-checks/check.ts";
import { isLogin, LOGIN, type OAuthEvidence, oauthEvidence, ofJourney } from "../oauth-checks/evidence.ts";
import { judgeOAuth } from "../oauth-checks/judge-oauth.ts";
import { otherUser } from "../oauth-checks/units.ts";
import { appAt } from "../platform/app-at.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { allChecks } from "./checks.ts";
import type { OwnRecords, VerifiedJournal } from "./verified-journal.ts";

type Judged = VerificationRecord["checks"][number];

/** What judging the exchanges of a verification needs; the journal is read only once. */
interface Bench {
  readonly verification: VerificationRecord;
  readonly loaded: Pick<LoadedConfig, "config" | "choices">;
  readonly own: OwnRecords;
  ofLogins(run: number, app: App): OAuthEvidence;
}

/**
 * The last verification of a journal.
 * @throws UsageError if it has none
 */
export function lastVerification(records: readonly JournalRecord[]): VerificationRecord {
  const last = records.findLast((record) => record.type === "verification");
  if (last !== undefined) return last;
  throw new UsageError(
    "nothing-verified",
    "the journal has no verification to judge again",
    "run `app-sim verify` first, or name another journal with --journal",
  );
}

/**
 * Judges the requests and answers of a verification again: only from the journal, by the rules of this version. Skipped
 * checks stay as they were, and so do those of what a browser did, and random ones: only the smallest of their many
 * requests are kept.
 */
export function judgeAgain(
  journal: VerifiedJournal,
  verification: VerificationRecord,
  loaded: Pick<LoadedConfig, "config" | "choices">,
): CheckResult[] {
  const own = journal.of(verification);
  const platform = { url: verification.platform, domain: loaded.config.organization.domain };
  const checks = new Map([...allChecks, ...pageChecksAt(platform)].map((check) => [check.id, check]));
  const recorded = { verification, loaded, own };
  const bench: Bench = { ...recorded, ofLogins: once((run, app) => loginsOf(recorded, run, app)) };
  return verification.checks.flatMap((judged) => {
    const check = checks.get(judged.id);
    return check === undefined ? [] : [resultAgain(bench, check, judged)];
  });
}

function resultAgain(bench: Bench, check: CheckFacts, judged: Judged): CheckResult {
  const { module, subject: title, result, reason, hint } = judged;
  const about = { title, module };
  const exchanges = judged.exchanges.flatMap((id) => exchangeIn(bench, id));
  const [basis] = [...exchanges, ...exchangeIn(bench, judged.control)];
  const tag = basis?.check;
  if (basis === undefined || tag === undefined || tag.role === BROWSED || check.isRandom === true) {
    const unjudged = checkResult(about, check, { result, reason, ...(hint === null ? {} : { hint }) }, exchanges);
    return { ...unjudged, control: judged.control, twin: judged.twin };
  }
  const app = appOf(bench, basis);
  const verdict = verdictAgain(bench, check, exchanges, app);
  if (verdict !== null) return checkResult(about, check, verdict, exchanges);
  const ofSubject = bench.own.ofSubject(tag.run, tag.subject);
  const subject = { ...about, app, ...readerOf(bench, tag.subject, ofSubject) };
  return resultOf(subject, check as Check<never>, ofSubject);
}

/** The checks with their own way of judging; null: judged by a subject's correct request. */
function verdictAgain(bench: Bench, check: CheckFacts, exchanges: readonly Exchange[], app: App): Verdict | null {
  if (check === importAccepted) {
    const named = exchanges.filter(({ check: tag }) => tag?.role === NAMED);
    return judgeAccepted(exchanges, readImportReply(readChoices(bench.loaded.choices)), named);
  }
  if (Object.values(addressChecks).some((address) => address === check)) return judgeAddress(check, exchanges);
  if (check.area === "manifest") {
    return (check as ManifestCheck).judge(readingOfExchanges(readingTerms(app, bench.loaded.choices), exchanges));
  }
  return check.area === "oauth" ? oauthVerdict(bench, check as OAuthCheck, app, exchanges) : null;
}

function oauthVerdict(bench: Bench, check: OAuthCheck, app: App, [first]: readonly Exchange[]): Verdict {
  return judgeOAuth(check, ofJourney(bench.ofLogins(first?.check?.run ?? 1, app), check.journey.key));
}

/** What browsers did with the app in a run. */
function loginsOf({ verification, loaded, own }: Omit<Bench, "ofLogins">, run: number, app: App): OAuthEvidence {
  const { config, choices } = loaded;
  const { platform } = verification;
  const user = findUser(config, config.login.user);
  const evidence = oauthEvidence(own.records, { app, config, platform, run, choices, user, other: null });
  const other = isLogin(ofJourney(evidence, LOGIN), "O") ? otherUser(config.users, user) : null;
  return { ...evidence, other };
}

/** Memoizes the function by run and its other arguments. */
function once<Key, Value>(read: (run: number, key: Key) => Value): (run: number, key: Key) => Value {
  const known = new Map<number, Map<Key, Value>>();
  return (run, key) => {
    const ofRun = known.get(run) ?? new Map<Key, Value>();
    known.set(run, ofRun);
    const value = ofRun.get(key) ?? read(run, key);
    ofRun.set(key, value);
    return value;
  };
}

/** How to read answers to the requests of a subject, by the first part of its id. */
function readerOf(
  { loaded }: Bench,
  subject: string,
  exchanges: readonly Exchange[],
): Pick<Subject, "read" | "control"> {
  const kind = subject.split(":", 1)[0];
  switch (kind) {
    case "guard.first": {
      const isAccepted = (exchange: Exchange) => readGuardReply(exchange).kind === "accepted";
      const someoneIsLetIn = exchanges.some((exchange) => exchange.check?.role === SEARCH && isAccepted(exchange));
      return someoneIsLetIn ? { read: readGuardReply } : { read: readAskedReply, control: "asked" };
    }
    case "guard.final":
      return { read: readGuardReply };
    case "page.open":
      return { read: readOpenedPage };
    case "page.form":
      return { read: readSentForm };
    case "page.frame":
    case "page.frame-request":
    case "page.frame-request.token":
      return { read: readPageCall };
    case "page.form-request":
    case "page.form-request.token":
      return { read: readScriptedCall };
    case "import":
      return { read: readImportReply(readChoices(loaded.choices)) };
    case "webhook.delivery":
      return { read: readWebhookReply };
    default:
      throw new RangeError(`no reader for ${subject}`);
  }
}

function exchangeIn({ own }: Bench, id: string | null): Exchange[] {
  const exchange = own.exchange(id ?? "");
  return exchange === null ? [] : [exchange];
}

/** The app to which an exchange went. */
function appOf({ loaded: { config } }: Bench, { request: { url } }: Exchange): App {
  const app = appAt(config.apps, url) ?? config.apps[0];
  if (app === undefined) throw new RangeError("a configuration without apps");
  return app;
}
