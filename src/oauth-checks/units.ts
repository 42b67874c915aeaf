import { listens } from "../app-client/wait-for-app.ts";
import { checkResult } from "../checking/check-result.ts";
import { NotPrepared } from "../checking/subject.ts";
import type { Unit, Verification } from "../checking/unit.ts";
import type { CheckResult } from "../checking/verify-result.ts";
import { skippedChecks, untriedChecks } from "../checking/verify-subject.ts";
import type { User } from "../config/schema.ts";
import { findUser } from "../config/users.ts";
import { isGoodPage, landingPage } from "../oauth-login/checks/login-facts.ts";
import type { InstalledApp } from "../platform/manifests.ts";
import { seededRandom, shuffled } from "../platform/random.ts";
import { withOwnProject } from "./answer-checks.ts";
import type { Journey, OAuthCheck } from "./check.ts";
import { oauthChecks } from "./checks.ts";
import { type EvidenceReader, isLogin, LOGIN, oauthEvidence, ofJourney, visitOfRole } from "./evidence.ts";
import { CONTROL_JOURNEY, hindranceOf, judgeOAuth } from "./judge-oauth.ts";
import { loginJourney } from "./login-checks.ts";
import { shownExchanges } from "./shown-exchanges.ts";
import { findLoginLink } from "./start.ts";
import { type OAuthSubject, OAuthTools } from "./tools.ts";

/** One unit for all apps: changed answers of the platform apply to one app at a time. */
export function oauthUnits(verification: Verification): Unit[] {
  const checks = oauthChecks.filter(verification.wants);
  const run = async () => {
    const results: CheckResult[] = [];
    for (const installed of verification.apps) results.push(...(await verifyOAuth(verification, installed, checks)));
    return results;
  };
  return checks.length === 0 ? [] : [{ module: null, checks: verification.apps.flatMap(() => checks), run }];
}

/** More calls of the API than any login and page need. */
const MOST_CALLS = 20;

async function verifyOAuth(
  verification: Verification,
  { app }: InstalledApp,
  checks: readonly OAuthCheck[],
): Promise<CheckResult[]> {
  const { context, run } = verification;
  const about = { title: "login by OAuth", module: null };
  if (context.config.oauth.consent !== "ask") {
    return skippedChecks(about, checks, 'the platform decides by itself: set "oauth": {"consent": "ask"}');
  }
  const [fault] = context.oauth.faults.list();
  if (fault !== undefined) {
    const reason = `a requested fault is active on the platform: ${fault.fault}`;
    return skippedChecks(about, checks, reason, "remove it with `app-sim fault clear`, and verify again");
  }
  await context.listen();
  // A check of a module may have brought the app down.
  await verification.isBack(app.url);
  const found = await findLoginLink(context, app, run);
  if (!found.ok) {
    const decisive = found.isConfigured === true ? checks.slice(0, 1) : [];
    return [
      ...untriedChecks(about, decisive, {
        result: "inconclusive",
        reason: found.reason,
        hint: "register the redirect address, or remove verify.oauth from the configuration",
      }),
      ...skippedChecks(about, checks.slice(decisive.length), found.reason),
    ];
  }
  const user = findUser(context.config, context.config.login.user);
  const first: OAuthSubject = { app, start: found.start, use: found.use, user, other: null };
  const reader = { app, config: context.config, platform: context.baseUrl(), run, choices: context.choices, user };
  const { use, other, isLogin: goesOn } = await firstLogin(verification, first, { ...reader, other: null });
  if (goesOn) await runJourneys(verification, { ...first, use, other }, checks);
  const whole = oauthEvidence(context.journal.list(), { ...reader, other });
  return checks.map((check) => {
    const evidence = ofJourney(whole, check.journey.key);
    const verdict = judgeOAuth(check, evidence);
    const control = hindranceOf(check, evidence)?.exchange?.id ?? null;
    return { ...checkResult(about, check, verdict, shownExchanges(check, evidence, verdict)), control };
  });
}

/** Logs in as any user does; finds out which page uses the token, and who else can log in. */
async function firstLogin(
  { context, run }: Verification,
  subject: OAuthSubject,
  reader: EvidenceReader,
): Promise<Pick<OAuthSubject, "use" | "other"> & { readonly isLogin: boolean }> {
  const tools = new OAuthTools(subject, context, run, LOGIN);
  const evidence = () => ofJourney(oauthEvidence(context.journal.list(), reader), LOGIN);
  const other = otherUser(context.config.users, subject.user);
  let { use } = subject;
  await attempt(async () => {
    tools.change("api", withOwnProject(context.ids.secret()), MOST_CALLS);
    await loginJourney.run(tools);
    const callback = visitOfRole(evidence(), "A", "callback") ?? null;
    use ??= isGoodPage(callback?.landing) ? landingPage(callback) : null;
    if (use !== null) await tools.open("A", "use", use);
    tools.unchanged();
    if (use !== null) await tools.open("S", "use", use);
    if (other === null) return;
    await tools.open("O", "callback", await tools.begin("O", { user: other }));
    if (use !== null) await tools.open("O", "use", use);
  });
  tools.close();
  return { use, other: isLogin(evidence(), "O") ? other : null, isLogin: isLogin(evidence(), "A") };
}

/** Somebody else, who sees the organization's projects if possible. */
export function otherUser(users: readonly User[], { id }: User): User | null {
  const others = users.filter((candidate) => candidate.id !== id);
  return others.find(({ role }) => role !== "outsider") ?? others[0] ?? null;
}

/** Runs each journey once, with a correct login before and after it. */
async function runJourneys(
  verification: Verification,
  subject: OAuthSubject,
  checks: readonly OAuthCheck[],
): Promise<void> {
  const { context, run, seed, isBack, onCheck } = verification;
  const controls = new OAuthTools(subject, context, run, CONTROL_JOURNEY);
  let count = 0;
  const control = () => {
    count += 1;
    const browser = `C${count}`;
    return attempt(async () => {
      await controls.open(browser, "callback", await controls.begin(browser));
    });
  };
  /** Whether the app is there. If somebody had to restart it, the next check needs another correct login before it. */
  const isThere = async () => {
    const wasGone = !(await listens(subject.app.url));
    if (!(await isBack(subject.app.url))) return false;
    if (wasGone) await control();
    return true;
  };
  await control();
  const journeys = new Map(checks.map(({ journey }) => [journey.key, journey] as const));
  for (const journey of shuffled([...journeys.values()], seededRandom(seed))) {
    if (context.signal?.aborted === true) break;
    const own = checks.filter(({ journey: { key } }) => key === journey.key);
    for (const check of own) onCheck(null, check, "began");
    if (journey.key !== LOGIN) {
      await runJourney(verification, subject, journey);
      await control();
      if (!(await isThere())) break;
    }
    for (const check of own) onCheck(null, check, "ended");
  }
  controls.close();
}

async function runJourney({ context, run }: Verification, subject: OAuthSubject, journey: Journey): Promise<void> {
  const tools = new OAuthTools(subject, context, run, journey.key);
  await attempt(() => journey.run(tools));
  tools.close();
}

/** A journey ends if the app does not continue; what happened so far is judged. */
async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof NotPrepared)) throw error;
  }
}
