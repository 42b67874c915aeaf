import { secretsOf } from "../config/secrets.ts";
import type { Begun, GuardResult } from "../index.ts";
import { credentialsSent } from "../journal/credentials.ts";
import { exitCodeOf, exitCodes } from "../report/exit-code.ts";
import { guardText } from "../report/guard-text.ts";
import { withoutSecrets } from "../report/without-secrets.ts";
import type { LoginOptions } from "../simulator/login/login-options.ts";
import { systemClock } from "../simulator/ports.ts";
import { hasHyperlinks } from "../terminal/hyperlinks.ts";
import { walkLogin } from "../terminal/login-walk.tsx";
import type { GuardFlags } from "./guard-flags.ts";
import type { Invocation } from "./invocation.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { runWithSimulator } from "./session.ts";

/** `app-sim guard` in a terminal: the user's part is played with keys, as often as they like; then comes the report. */
export async function guardWithKeys(
  invocation: Invocation,
  options: LoginOptions,
  flags: Pick<GuardFlags, "open">,
): Promise<number> {
  const { terminal, paint, signal } = invocation;
  if (terminal === null) throw new TypeError("keys need a terminal");
  const left = new AbortController();
  const warnings: string[] = [];
  let wasInterrupted = false;
  const walk = runWithSimulator<GuardResult>(
    // The screen is the walk's own until it ends: what else is said waits.
    {
      ...invocation,
      isInteractive: false,
      err: (text) => warnings.push(text),
      signal: AbortSignal.any([signal, left.signal]),
    },
    async (simulator, { loaded, details, exchanges, progress }) => {
      const secrets = secretsOf(loaded.config);
      progress.silence();
      let latest: Promise<Begun> | null = null;
      const { result, interrupted } = await walkLogin({
        begin: (again) => {
          latest = simulator.login({ ...options, manual: !again });
          // Its pages are there from the start. Where that cannot be, it is said when one is needed.
          latest.then((begun) => (begun.ok ? begun.login.link() : null)).catch(() => {});
          return latest;
        },
        users: loaded.config.users,
        attempts: loaded.choices["login.attempts"],
        details,
        summary: exchanges,
        hide: (value) => withoutSecrets(value, [...secrets, ...credentialsSent(simulator.journal.list())]),
        open: flags.open ? openInBrowser : null,
        clock: systemClock,
        ...terminal,
        abilities: { color: paint.hasColor, links: hasHyperlinks(invocation.env) },
        signal,
      });
      wasInterrupted = interrupted;
      if (result !== null) return result;
      const cutOff = await resultOf(latest, left);
      return interrupted ? cutOff : { ...cutOff, reason: "you left while the app was being called", failure: null };
    },
    (result, exchanges) => guardText(result, exchanges, paint),
    { exitCode: (result) => (wasInterrupted ? exitCodes.interrupted : exitCodeOf(result)) },
  );
  return walk.finally(() => {
    for (const warning of warnings) invocation.err(warning);
  });
}

/** The user left while the app was being called: the call is cut off, and its login is denied. */
async function resultOf(latest: Promise<Begun> | null, left: AbortController): Promise<GuardResult> {
  left.abort();
  const begun = await latest;
  if (begun === null) throw new TypeError("the walk ended before it began");
  return begun.ok ? begun.login.result : begun.result;
}
