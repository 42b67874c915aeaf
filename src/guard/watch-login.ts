import type { Invocation } from "../action/invocation.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import type { Progress } from "../output/progress.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { GuardMethods } from "./action.ts";
import type { GuardResult } from "./guard-result.ts";
import type { LoginOptions } from "./login/login-options.ts";
import type { LoginSession } from "./login/login-session.ts";
import type { Logins } from "./login/logins.ts";

/** The simulator, and who looks at the pages of its logins. */
export type WatchedSimulator = SimulatorFace & GuardMethods & { service(name: "logins"): Promise<Logins> };

/**
 * Runs a login that needs no keys, and tells its user on stderr which link to open and what is wrong with the app's
 * page.
 */
export async function watchLogin(
  invocation: Invocation,
  simulator: WatchedSimulator,
  options: LoginOptions,
  progress: Progress,
  opens: boolean,
): Promise<GuardResult> {
  const begun = await simulator.login(options);
  if (!begun.ok) return begun.result;
  const { login } = begun;
  const said = new Set<string>();
  const say = (text: string) => {
    if (said.has(text)) return;
    said.add(text);
    progress.stop();
    invocation.err(`${text}\n`);
  };
  const look = async () => {
    const { interaction } = login.view();
    if (interaction === null) return;
    for (const { reason, hint } of interaction.troubles) {
      say(
        `warning: ${harmlessLine(interaction.module)}: ${harmlessLine(reason)}${hint ? ` (${harmlessLine(hint)})` : ""}`,
      );
    }
    if (options.page !== "wait" || said.has(interaction.module)) return;
    said.add(interaction.module);
    const link = await login.link();
    const limit = `at most ${interaction.limitMs / 1000} s`;
    say(`${harmlessLine(interaction.module)} asks for the user, ${limit}: open ${link}`);
    if (opens && invocation.isInteractive) openInBrowser(link);
  };
  const result = await untilEnd(login, look);
  // The pages end with the program: a browser that followed the link has to show the end first.
  if (options.page === "wait") await (await simulator.service("logins")).audience.hasSeenEnd(login, invocation.signal);
  return result;
}

/** The result of a login whose every change is looked at; what goes wrong with that ends the login. */
function untilEnd(login: LoginSession, look: () => Promise<void>): Promise<GuardResult> {
  return new Promise((resolve, reject) => {
    const lookOrLeave = () =>
      void look().catch((error: unknown) => {
        login.leave({ reason: "the login's page cannot be shown", hint: null, failure: "other" });
        reject(error);
      });
    login.subscribe(lookOrLeave);
    lookOrLeave();
    login.result.then(resolve, reject);
  });
}
