import path from "node:path";
import { largeAloneGateway } from "../app-client/large-alone-gateway.ts";
import { reconnectingGateway } from "../app-client/reconnecting-gateway.ts";
import { retryAfterGateway } from "../app-client/retry-after-gateway.ts";
import { shrinkingTimeoutGateway } from "../app-client/shrinking-timeout-gateway.ts";
import { keptChromium } from "../browser/kept-chromium.ts";
import { appReturn } from "../checking/app-return.ts";
import type { CheckFacts } from "../checking/check.ts";
import { cutsCalls, type Fuzz, type Unit, type Verification } from "../checking/unit.ts";
import { unknownSettings } from "../checking/unknown-settings.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { CheckResult, VerifyResult } from "../checking/verify-result.ts";
import { runUnits, skippedUnit } from "../checking/verify-subject.ts";
import { readChoices } from "../config/choices.ts";
import type { Journal } from "../journal/journal.ts";
import type { VerificationRecord } from "../journal/record.ts";
import { readManifests } from "../manifest-checks/read-manifests.ts";
import { unknownModule } from "../platform/modules.ts";
import { onOwnTargets } from "../platform/own-targets.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { allUnits } from "./all-units.ts";
import { type AnswerPace, answerPace } from "./answer-pace.ts";
import { partOf } from "./check-event.ts";
import { allChecks } from "./checks.ts";
import { coverageOf, type SeenLogins } from "./rules/coverage.ts";
import { withKnown } from "./rules/known-findings.ts";
import { knownWarnings } from "./rules/known-warnings.ts";
import { loginRowsTaken } from "./rules/login-rows.ts";
import { mergeRuns } from "./rules/merge-runs.ts";
import { flagNeeded, isSelected, requireKnown, untriedWithout } from "./rules/select.ts";
import { selectedNothing } from "./rules/selected-nothing.ts";
import { countResults, strictnessOf, verdictOf } from "./rules/summary.ts";
import { baselineOf, knownFindings } from "./run-baseline.ts";
import { RunEnd } from "./run-end.ts";
import { asAppSeesTime, faultWarnings } from "./steered-platform.ts";
import { unreadModules } from "./unread-modules.ts";
import type { VerifyOptions } from "./verify-options.ts";

const JOBS = 4;
/** Default time for an app that a check brought down to be started again. */
const WAIT_MS = 5000;

/**
 * Verifies that the installed apps check what the interface requires, and answer as it says.
 * @throws UsageError for a name that selects no check, a key of no module, an invalid baseline, a manifest file that
 * cannot be read, or an app at a public address
 */
export async function runVerify(given: VerifyContext, options: VerifyOptions): Promise<VerifyResult> {
  const { only = [], skip = [], allowPublic = false } = options;
  requireKnown(allChecks, { only, skip });
  const baseline = await baselineOf(options);
  const aimed = await onOwnTargets(given, allowPublic);
  const started = given.clock.monotonic();
  const seed = options.seed ?? given.ids.seed();
  const choices = readChoices(given.choices);
  const isKnown = (check: CheckResult) =>
    withKnown([check], [...given.config.verify.known, ...baseline], given.clock.now()).some(
      ({ known }) => known !== null,
    );
  using end = new RunEnd(given, options, isKnown);
  const id = given.ids.next();
  const pace = answerPace();
  await using chromium = keptChromium(aimed.chromium);
  const context = {
    ...aimed,
    gateway: gatewayOf(aimed, options),
    chromium,
    signal: end.signal,
    journal: journalOf(given.journal, id, pace),
    files: filesOf(given.files, id),
  };
  const first = firstRun(given.journal);
  const declared = await readManifests(context, first);
  using time = asAppSeesTime(given);
  const runs: CheckResult[][] = [];
  if (declared.ok) {
    requireModules(declared.apps, options.modules ?? []);
    for (let run = first; run < first + (options.repeat ?? 1); run += 1) {
      const results = await runOnce({ context, choices, apps: declared.apps, run, seed, end, pace, options });
      runs.push(run === first ? results : results.filter((check) => !end.cut(check)));
      if (end.ended() !== null) break;
    }
  }
  end.close();
  const found = inListOrder(mergeRuns(runs));
  const known = await knownFindings(given, options, { before: baseline, found, ended: end.ended() });
  const checks = withKnown(found, known, given.clock.now());
  const apps = declared.ok ? declared.apps : [];
  const ofNone = selectedNothing(allChecks, { only, skip }, { apps, wanted: options.modules ?? [] });
  const coverage = coverageOf(checks, seenLogins(given.journal, first, apps));
  const unread = declared.ok ? null : declared;
  const verdict = verdictOf({ unread, checks, ended: end.ended(), ofNone }, strictnessOf(options));
  given.journal.append(
    recordOf(given, { id, seed, outcome: verdict.outcome, reason: verdict.reason, checks, coverage }),
  );
  return {
    command: "verify",
    ...verdict,
    seed,
    checks,
    coverage,
    summary: { ...countResults(checks), ms: Math.round(given.clock.monotonic() - started) },
    warnings: [
      ...time.warnings,
      ...faultWarnings(given),
      ...(declared.ok ? unknownSettings(given.config, manifestsOf(declared.apps)) : []),
      ...knownWarnings(known, allChecks, moduleKeys(apps), checks),
      ...(declared.ok && checks.length === 0 ? unreadModules(context, declared.apps) : []),
      ...warningsOfEnd(end, pace, options),
    ],
    choices: choices.used(),
  };
}

function manifestsOf(apps: Verification["apps"]) {
  return apps.map(({ manifest }) => manifest);
}

/** The clock that measures time limits. */
function gatewayOf({ gateway, clock }: VerifyContext, { slow = false }: VerifyOptions): VerifyContext["gateway"] {
  const patient = reconnectingGateway(slow ? gateway : shrinkingTimeoutGateway(gateway));
  return largeAloneGateway(retryAfterGateway(patient, clock));
}

/** @throws UsageError for a key that no module has; an app whose manifest could not be read may have any */
function requireModules(apps: Verification["apps"], wanted: readonly string[]): void {
  const keys = moduleKeys(apps);
  const unknown = keys === null ? undefined : wanted.find((key) => !keys.includes(key));
  if (keys !== null && unknown !== undefined)
    throw unknownModule("auth-guard, file-post-import or webhook", unknown, [...new Set(keys)], apps);
}

/** The keys of all modules; null if a manifest could not be read. */
function moduleKeys(apps: Verification["apps"]): readonly string[] | null {
  if (apps.length === 0 || apps.some(({ reading }) => reading.value === undefined)) return null;
  return apps.flatMap(({ manifest: { guards, imports, webhooks, unusable } }) =>
    [...guards, ...imports, ...webhooks, ...unusable].flatMap(({ key }) => key ?? []),
  );
}

/** What to know about a run that did not complete. */
function warningsOfEnd(end: RunEnd, pace: AnswerPace, { updateBaseline, baseline }: VerifyOptions): string[] {
  const ended = end.ended();
  if (!cutsCalls(ended)) return [];
  const slow = ended.by === "timeout" ? pace.text() : null;
  return [
    ...(updateBaseline === true ? [`${baseline} was not written: the run did not complete`] : []),
    ...(slow === null ? [] : [`${slow}: allow more time with --timeout, or select checks with --only or --module`]),
  ];
}

/** The journal, in which every exchange of a check names the verification; also measures answer times. */
function journalOf(journal: Journal, verification: string, pace: AnswerPace): Journal {
  return {
    ...journal,
    append: (record) => {
      if (record.type !== "exchange" || record.check === undefined) return journal.append(record);
      if (record.outcome.kind === "answered") pace.answered(record.timings.totalMs);
      return journal.append({ ...record, check: { ...record.check, verification } });
    },
  };
}

/** The files that checks serve: requests for them name the verification, too. */
function filesOf(files: VerifyContext["files"], verification: string): VerifyContext["files"] {
  return {
    host: (file, module, check) =>
      files.host(file, module, check === undefined ? undefined : { ...check, verification }),
  };
}

function recordOf(
  { clock, baseUrl }: VerifyContext,
  {
    checks,
    ...facts
  }: Pick<VerificationRecord, "id" | "outcome" | "reason" | "seed"> & Pick<VerifyResult, "checks" | "coverage">,
): VerificationRecord {
  return {
    type: "verification",
    at: new Date(clock.now()).toISOString(),
    platform: baseUrl(),
    ...facts,
    checks: checks.map(({ id, module, subject, result, reason, hint, control, twin, exchanges }) => ({
      id,
      module,
      subject,
      result,
      reason,
      hint,
      control,
      twin,
      exchanges,
    })),
  };
}

/** The number of the next run: earlier runs of the same simulator share its journal. */
function firstRun(journal: Journal): number {
  return journal.list().reduce((next, record) => {
    const run = record.type === "exchange" ? (record.check?.run ?? 0) : 0;
    return Math.max(next, run + 1);
  }, 1);
}

/** The guards' answers since this run started. */
function seenLogins(journal: Journal, first: number, apps: Verification["apps"]): SeenLogins {
  const guards = apps.flatMap((installed) => installed.manifest.guards.map((module) => ({ installed, module })));
  const exchanges = journal
    .list()
    .filter((record) => record.type === "exchange")
    .filter(({ check }) => check != null && check.run >= first);
  return { types: new Set(guards.map(({ module }) => module.type)), rows: loginRowsTaken(exchanges, guards) };
}

interface RunParts extends Pick<Verification, "context" | "choices" | "apps" | "run" | "seed"> {
  readonly end: RunEnd;
  readonly pace: AnswerPace;
  readonly options: VerifyOptions;
}

/** Runs every check once: those that need quiet run alone, after all others. */
async function runOnce({ end, pace, options, ...facts }: RunParts): Promise<CheckResult[]> {
  const selection = { only: options.only ?? [], skip: options.skip ?? [] };
  const reported = new Set<string>();
  const foundOut = new Map<string, Promise<unknown>>();
  let at = "";
  let done = 0;
  const keyOf = ({ id, module, subject }: CheckResult) => JSON.stringify([id, module, subject]);
  const jobs = options.jobs ?? JOBS;
  const isBack = appReturn(options.wait ?? WAIT_MS, facts.context.clock, facts.context.signal);
  const verification = (wants: (check: CheckFacts) => boolean, mayUseLanes = false): Verification => ({
    ...facts,
    mayUseLanes,
    isBack,
    fuzz: fuzzOf(options),
    wants: (check) => isSelected(selection, check.id) && wants(check),
    once: <Found>(name: string, find: () => Promise<Found>) => {
      const found = (foundOut.get(name) as Promise<Found> | undefined) ?? find();
      foundOut.set(name, found);
      return found;
    },
    ended: end.ended,
    onCheck: (module, { id, area, title }, what) => {
      if (what === "began" && module !== null) at = ` (at ${harmlessLine(module)})`;
      if (what === "began") options.onCheck?.({ what, part: partOf({ module, area }), id, title });
    },
    hasResult: (check) => reported.has(keyOf(check)),
    onResult: (check) => {
      if (reported.has(keyOf(check))) return;
      reported.add(keyOf(check));
      end.judged(check);
      const slow = pace.text();
      options.onCheck?.({ what: "ended", part: partOf(check), check, pace: slow });
      if (end.cut(check)) return;
      done += 1;
      // A page that needs its scripts has more checks than were planned.
      const of = Math.max(total, done);
      facts.context.onProgress({ what: `checks${at}${slow === null ? "" : `; ${slow}`}`, done, of });
    },
  });
  const runsNow = (check: CheckFacts) => flagNeeded(check, options) === null;
  const parts = {
    beside: verification((check) => runsNow(check) && check.needsQuiet !== true && check.isRandom !== true, jobs > 1),
    alone: verification((check) => runsNow(check) && check.needsQuiet === true),
    // They send so much that the journal may drop records that others need.
    random: verification((check) => runsNow(check) && check.isRandom === true),
    slow: verification((check) => flagNeeded(check, options) === "slow"),
    fuzz: verification((check) => flagNeeded(check, options) === "fuzz"),
  };
  const modules = options.modules ?? null;
  const unitsOf = (part: Verification) => allUnits(part, modules);
  const [beside, alone, random] = [unitsOf(parts.beside), unitsOf(parts.alone), unitsOf(parts.random)];
  const [slow, fuzz] = [unitsOf(parts.slow), unitsOf(parts.fuzz)];
  const all = [...beside, ...alone, ...random, ...slow, ...fuzz];
  const total = all.reduce((sum, { checks }) => sum + checks.length, 0);
  options.onCheck?.({ what: "planned", parts: partsOf(all) });
  const not = [
    ...slow.flatMap((unit) => skippedUnit(unit, untriedWithout.slow.reason, untriedWithout.slow.hint)),
    ...fuzz.flatMap((unit) => skippedUnit(unit, untriedWithout.fuzz.reason, untriedWithout.fuzz.hint)),
  ];
  for (const check of not) parts.slow.onResult(check);
  return [
    ...(await runUnits(beside, jobs, parts.beside)),
    ...(await runUnits(alone, 1, parts.alone)),
    ...(await runUnits(random, jobs, parts.random)),
    ...not,
  ];
}

function fuzzOf({ fuzz, found }: VerifyOptions): Fuzz | null {
  if (fuzz === undefined) return null;
  return { cases: fuzz, folder: found === undefined ? null : path.resolve(found) };
}

function partsOf(units: readonly Unit[]): { readonly name: string; readonly checks: number }[] {
  const counts = new Map<string, number>();
  for (const { module, checks } of units) {
    for (const { area } of checks) {
      const name = partOf({ module, area });
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([name, checks]) => ({ name, checks }));
}

/** In the order of the list of checks: the order in which they ran is random. */
function inListOrder(checks: readonly CheckResult[]): CheckResult[] {
  const places = new Map(allChecks.map(({ id }, index) => [id, index]));
  return [...checks].sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
}
