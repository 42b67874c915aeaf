import type { CommandCall } from "../action/command-call.ts";
import { withoutUndefined } from "../action/flags.ts";
import { systemClock } from "../app-client/ports.ts";
import { credentialsSent } from "../journal/credentials.ts";
import { exitCodes } from "../output/exit-code.ts";
import { hasHyperlinks } from "../output/hyperlink.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import { rightOnlyLine, strictLine } from "../output/text.ts";
import { withoutSecrets } from "../output/without-secrets.ts";
import type { GuardFlags } from "./action.ts";
import type { WatchedPlatform } from "./command.ts";
import { hasWarnings, loginExitCode, wasCalled } from "./exit-code.ts";
import type { GuardResult } from "./guard-result.ts";
import { guardText } from "./guard-text.ts";
import type { LoginOptions } from "./login/login-options.ts";
import { beginWatchedLogin, type WatchedStart } from "./login/watch-login.ts";
import { walkLogin } from "./walk/login-walk.tsx";

/** `app-sim guard` in a terminal: keys play the user, for as many logins as wanted; then the report is printed. */
export async function guardWithKeys(
  { invocation, flags, onSimulator }: CommandCall<WatchedPlatform, GuardFlags>,
  options: LoginOptions,
): Promise<number> {
  const { terminal, paint, signal } = invocation;
  if (terminal === null) throw new TypeError("keys need a terminal");
  const left = new AbortController();
  const warnings: string[] = [];
  let wasInterrupted = false;
  const walk = onSimulator(
    async (simulator, { loaded, secrets, details, exchanges, progress }): Promise<GuardResult> => {
      progress.silence();
      let latest: Promise<WatchedStart> | null = null;
      const { result, interrupted } = await walkLogin({
        begin: (again, { user, ipAddress, only }) => {
          latest = beginWatchedLogin(simulator.guard, {
            ...options,
            ...withoutUndefined({ user, ipAddress, modules: only === undefined ? undefined : [only] }),
            manual: flags.from === "password" && !again,
          });
          // Start serving the pages now. If that fails, it is reported when a page is needed.
          latest.then((begun) => (begun.ok ? begun.login.link() : null)).catch(() => {});
          return latest;
        },
        users: loaded.config.users,
        attempts: loaded.choices["login.attempts"],
        details,
        summary: exchanges,
        hide: (value) => withoutSecrets(value, [...secrets, ...credentialsSent(simulator.journal.list())]),
        open: flags.open === false ? null : openInBrowser,
        clock: { now: () => simulator.clock.now().getTime(), monotonic: systemClock.monotonic },
        ...terminal,
        abilities: { color: paint.hasColor, links: hasHyperlinks(invocation.env) },
        signal,
      });
      wasInterrupted = interrupted;
      if (result !== null) return result;
      const cutOff = await resultOf(latest, left);
      if (interrupted) return cutOff;
      return { ...cutOff, outcome: "needs-user", reason: "you left while the app was being called", failure: null };
    },
    {
      text: (result, exchanges) => [
        ...guardText(result, exchanges, paint),
        ...(result.outcome === "granted" && wasCalled(result) ? rightOnlyLine("guard --tamper", invocation) : []),
        ...strictLine(flags.strict === true && hasWarnings(result), paint),
      ],
      exitCode: (result) => (wasInterrupted ? exitCodes.interrupted : loginExitCode(result, flags.strict === true)),
    },
    // The walk owns the screen until it ends: other messages wait.
    {
      ...invocation,
      isInteractive: false,
      err: (text) => warnings.push(text),
      signal: AbortSignal.any([signal, left.signal]),
    },
  );
  return walk.finally(() => {
    for (const warning of warnings) invocation.err(warning);
  });
}

/** The login that the user left while the app was being called: the call is aborted, so access is denied. */
async function resultOf(latest: Promise<WatchedStart> | null, left: AbortController): Promise<GuardResult> {
  left.abort();
  const begun = await latest;
  if (begun === null) throw new TypeError("the walk ended before it began");
  return begun.ok ? begun.login.result : begun.result;
}
