import type { Invocation } from "../action/invocation.ts";
import { openInBrowser } from "../output/open-in-browser.ts";
import type { Progress } from "../output/progress.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { GuardMethods } from "./action.ts";
import type { GuardResult } from "./guard-result.ts";
import type { LoginOptions } from "./login/login-options.ts";
import type { LoginSession } from "./login/login-session.ts";
import type { GuardContext } from "./login/logins.ts";

/** The simulator, and who looks at the pages of its logins. */
export type WatchedSimulator = SimulatorFace & GuardMethods & Pick<GuardContext, "logins">;

/**
 * Runs a login that needs no keys, and says on stderr what its user has to know: the link to open, and what is
 * wrong with the app's page.
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
  const told = new Set<string>();
  const tell = (text: string) => {
    if (told.has(text)) return;
    told.add(text);
    progress.stop();
    invocation.err(`${text}\n`);
  };
  const look = async () => {
    const { interaction } = login.view();
    if (interaction === null) return;
    for (const { reason, hint } of interaction.troubles) {
      tell(
        `warning: ${harmlessLine(interaction.module)}: ${harmlessLine(reason)}${hint ? ` (${harmlessLine(hint)})` : ""}`,
      );
    }
    if (options.page !== "wait" || told.has(interaction.module)) return;
    told.add(interaction.module);
    const link = await login.link();
    const limit = `at most ${interaction.limitMs / 1000} s`;
    tell(`${harmlessLine(interaction.module)} asks for the user, ${limit}: open ${link}`);
    if (opens && invocation.isInteractive) openInBrowser(link);
  };
  const result = await untilEnd(login, look);
  // The program ends now, and with it the pages: whoever followed the link shall see how the login ended.
  if (options.page === "wait") await simulator.logins.audience.hasSeenEnd(login, invocation.signal);
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
