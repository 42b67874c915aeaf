import type { CommandCall } from "../action/command-call.ts";
import type { Invocation } from "../action/invocation.ts";
import type { JournalRecord } from "../journal/record.ts";
import { isCi } from "../output/is-ci.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import type { ProgressDisplay } from "../output/progress.ts";
import { tell } from "../output/tell.ts";
import { rightOnlyLine, strictLine, triedByLine } from "../output/text.ts";
import type { PlatformFace } from "../platform/simulator-options.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { didYouMean } from "../protocol/nearest.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { GuardFlags, GuardMethods } from "./action.ts";
import { hasWarnings, type LoginExpectation, loginExitCode, wasCalled, withExpectation } from "./exit-code.ts";
import type { GuardResult } from "./guard-result.ts";
import { expectationText, guardText } from "./guard-text.ts";
import { wasEverLetIn } from "./let-in.ts";
import type { LoginOptions, PageOption } from "./login/login-options.ts";
import type { LoginView } from "./login/login-view.ts";
import { beginWatchedLogin, type WatchedLogin } from "./login/watch-login.ts";

type GuardCall = CommandCall<WatchedPlatform, GuardFlags, LoginOptions>;

/** `app-sim guard` */
export async function guardCommand(call: GuardCall): Promise<number> {
  const { invocation, flags, onSimulator } = call;
  if (flags.explain !== undefined) {
    const { explainTokenCommand } = await import("./explain/explain-command.ts");
    return explainTokenCommand(call, call.options.modules?.[0], flags.explain === true ? null : flags.explain);
  }
  const expectation = expectationOf(flags);
  const options = loginOptionsOf(call);
  if (hasKeys(call) && !isCi(invocation.env)) {
    const { guardWithKeys } = await import("./guard-walk.ts");
    return guardWithKeys(call, options);
  }
  let unshown: string | null = null;
  return onSimulator(
    async (simulator, { loaded, progress }) => {
      const { deniedBy } = expectation ?? {};
      const display = { invocation, progress, opensLink: flags.open !== false };
      const result = await watchLogin(simulator, options, deniedBy, display);
      if (expectation === null) return result;
      const expected = withExpectation(result, expectation);
      const key = expected.expectation?.isMet === true && result.outcome === "denied" ? result.deniedBy : null;
      if (key !== null && !(await wasEverLetIn(simulator.journal.list(), loaded, key))) unshown = key;
      return expected;
    },
    {
      text: (result, exchanges) => [
        ...guardText(result, exchanges, invocation.paint),
        ...(result.outcome === "granted" && wasCalled(result) ? rightOnlyLine("guard --tamper", invocation) : []),
        ...(unshown === null ? [] : letInLine(unshown, invocation)),
        ...expectationText(result, invocation.paint),
        ...strictLine(flags.strict === true && hasWarnings(result), invocation.paint),
      ],
      exitCode: (result) => loginExitCode(result, flags.strict === true),
    },
  );
}

/** A guard that denies everybody also denies as expected. */
function letInLine(key: string, typed: Pick<Invocation, "paint" | "typed">): string[] {
  const said = `Nothing in the journal shows that ${harmlessLine(key)} lets anybody in. To try both:`;
  return triedByLine(said, "guard --tamper", typed);
}

/** Keys are offered in a terminal, unless a flag says how the login should go or end. */
function hasKeys(call: GuardCall): boolean {
  const { invocation, flags } = call;
  const { terminal, format } = invocation;
  return terminal !== null && format === "text" && flags.yes !== true && pageOf(flags, {}) === null && !isTest(call);
}

function isTest({ flags, options }: GuardCall): boolean {
  return options.fail !== undefined || Object.values(expectationFlags(flags)).some((value) => value !== undefined);
}

function expectationFlags({ expect, expectDeniedBy }: GuardFlags) {
  return { "--expect": expect, "--expect-denied-by": expectDeniedBy };
}

function loginOptionsOf(call: GuardCall): LoginOptions {
  const { env, isInTerminal } = call.invocation;
  // Nobody would see the link that a script prints, so the script would wait in vain.
  const isAttended = isInTerminal && !isTest(call) && !isCi(env);
  const page = pageOf(call.flags, env) ?? (isAttended ? "wait" : null);
  return { ...call.options, ...(page === null ? {} : { page }) };
}

/** How the flags treat the app's page; null: they do not mention it. */
function pageOf(
  { code, error, fill, press, browser, waitForUser }: GuardFlags,
  env: Invocation["env"],
): PageOption | null {
  const given = Object.entries({
    "--code": code,
    "--error": error,
    "--fill or --press": fill ?? press,
    "--wait-for-user": waitForUser,
  });
  const named = given.filter(([, value]) => value !== undefined).map(([flag]) => flag);
  if (named.length > 1 || (browser && (code ?? error ?? waitForUser) !== undefined)) {
    throw new UsageError(
      "page-ambiguous",
      `${[...named, ...(browser ? ["--browser"] : [])].join(" and ")} exclude each other`,
      "choose one: skip the app's page (--code or --error), walk it (--fill, --press, --browser), or wait for a person (--wait-for-user)",
    );
  }
  if (waitForUser) return "wait";
  if (code !== undefined) return { code };
  if (error !== undefined) return { error };
  const button = press === undefined ? {} : { press };
  const executable = env.CHROME_PATH ? { executable: env.CHROME_PATH } : {};
  if (browser) return { browser: { ...(fill === undefined ? {} : { fill }), ...button, ...executable } };
  return fill === undefined && press === undefined ? null : { fill: fill ?? {}, ...button };
}

function expectationOf({ expect, expectDeniedBy }: GuardFlags): LoginExpectation | null {
  if (expectDeniedBy === undefined) return expect === undefined ? null : { outcome: expect };
  if (expect !== "granted") return { outcome: expect ?? "denied", deniedBy: expectDeniedBy };
  throw new UsageError(
    "expectation-invalid",
    "--expect granted and --expect-denied-by exclude each other",
    "keep one of them",
  );
}

/** The platform, and the browsers that show its logins. */
export interface WatchedPlatform extends PlatformFace, GuardMethods {
  endShown(login: string, signal: AbortSignal): Promise<void>;
}

/** Where a login is shown while it runs. */
interface LoginDisplay {
  readonly invocation: Invocation;
  readonly progress: ProgressDisplay;
  /** Whether a browser opens the link of a page that waits for a person. */
  readonly opensLink: boolean;
}

/**
 * Runs a login that needs no keys, and prints on stderr which link to open and what is wrong with the app's page.
 * @param deniedBy key of the guard that is expected to deny the login
 */
async function watchLogin(
  platform: WatchedPlatform,
  options: LoginOptions,
  deniedBy: string | undefined,
  { invocation, progress, opensLink }: LoginDisplay,
): Promise<GuardResult> {
  const begun = await beginWatchedLogin(platform.guard, options);
  if (!begun.ok) return begun.result;
  const { login } = begun;
  if (deniedBy !== undefined) refuseUnknownGuard(deniedBy, login.view());
  const said = new Set<string>();
  const reported = new Set<string>();
  const say = (text: string) => {
    if (said.has(text)) return;
    said.add(text);
    progress.stop();
    tell(invocation, text);
  };
  const look = async () => {
    const { interaction, stages, current } = login.view();
    if (interaction === null) return;
    if (options.page !== "wait") {
      // The report says what is wrong with a page that is walked.
      if (!invocation.isInteractive || invocation.report.quiet) return;
      const { module, page, limitMs } = interaction;
      say(`${harmlessLine(module)}: ${walkingText(options.page)} ${harmlessLine(page)}`);
      for (const id of stages[current ?? -1]?.exchanges.slice(1) ?? []) {
        const line = requestLine(platform.journal.find(id));
        if (line !== null && !reported.has(id)) say(`  ${line}`);
        reported.add(id);
      }
      progress.started(`${harmlessLine(module)}: at its page`, limitMs);
      return;
    }
    for (const { reason, hint } of interaction.troubles) {
      say(
        `warning: ${harmlessLine(interaction.module)}: ${harmlessLine(reason)}${hint ? ` (${harmlessLine(hint)})` : ""}`,
      );
    }
    if (said.has(interaction.module)) return;
    said.add(interaction.module);
    const link = await login.link();
    const limit = `at most ${interaction.limitMs / 1000} s`;
    say(`${harmlessLine(interaction.module)} asks for the user, ${limit}: open ${link}`);
    if (opensLink && invocation.isInteractive) openInBrowser(link);
  };
  const result = await untilEnd(login, look);
  // The pages end with the program: let a browser that followed the link show the end first.
  if (options.page === "wait") await platform.endShown(login.view().id, invocation.signal);
  return result;
}

/** What happens at a page if it waits for nobody. */
function walkingText(page: LoginOptions["page"]): string {
  if (typeof page !== "object") return "leaving the page";
  if ("browser" in page) return "walking the page in Chromium:";
  return "code" in page || "error" in page ? "skipping the page" : "submitting the form of the page";
}

/** What a page asked for while it was walked, in short. */
function requestLine(record: JournalRecord | null): string | null {
  if (record?.type !== "exchange") return null;
  const { request, response } = record;
  return harmlessLine(`${request.method} ${new URL(request.url).pathname} ${response?.status ?? "no answer"}`);
}

/** @throws UsageError for a guard that is not part of this login, so it could not deny it */
function refuseUnknownGuard(key: string, { stages }: LoginView): void {
  const keys = stages.flatMap(({ module }) => module ?? []);
  if (keys.includes(key)) return;
  throw new UsageError(
    "unknown-module",
    `--expect-denied-by: there is no auth-guard module "${key}" in this login.${didYouMean(key, keys)}`,
    keys.length === 0 ? "the manifest declares no auth-guard module" : `auth-guard modules: ${keys.join(", ")}`,
  );
}

/** The result of a login whose every change is watched; a watcher that fails ends the login. */
function untilEnd(login: WatchedLogin, look: () => Promise<void>): Promise<GuardResult> {
  return new Promise((resolve, reject) => {
    const lookOrLeave = () =>
      void look().catch((error: unknown) => {
        void login.leave({ reason: "the login's page cannot be shown", hint: null, failure: "other" });
        reject(error);
      });
    login.subscribe(lookOrLeave);
    lookOrLeave();
    login.result.then(resolve, reject);
  });
}
