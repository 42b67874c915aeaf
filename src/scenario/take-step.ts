import type { LoginOptions } from "../guard/login/login-options.ts";
import type { InstallOptions } from "../install/run-install.ts";
import type { Faults } from "../oauth/endpoints/apply-faults.ts";
import type { OAuthLoginOptions } from "../oauth-login/oauth-login-options.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { PlatformClock } from "../platform/platform-clock.ts";
import type { GuardResult, ImportResult, InstallResult, OAuthLoginResult } from "../platform/results.ts";
import type { ImportOptions } from "../post-import/run/import-options.ts";
import { parseDuration } from "../protocol/duration.ts";
import type { WebhookOptions } from "../webhook/webhook-options.ts";
import type { WebhookResult } from "../webhook/webhook-result.ts";
import { judgeDeliver, webhookCall } from "./deliver-step.ts";
import { expectCalls, type Seen } from "./expect-step.ts";
import { judgeGuard } from "./guard-step.ts";
import { judgeImport } from "./import-step.ts";
import { judgeInstall } from "./install-step.ts";
import { judgeLogin, oauthLoginCall } from "./login-step.ts";
import type { ScenarioStep } from "./scenario-result.ts";
import type { LoginAction, Step } from "./scenario-schema.ts";
import { failed, interrupted, mistaken, passed, type StepOutcome } from "./step-outcome.ts";
import { stepText } from "./step-text.ts";

/** Calls of the app that are shown where a step failed. */
const LAST_CALLS = 5;
const SEED_LIMIT = 2 ** 31;

/** What a scenario drives. */
export interface Driven {
  webhook(events: readonly string[], options: WebhookOptions): Promise<WebhookResult>;
  oauthLogin(options: OAuthLoginOptions): Promise<OAuthLoginResult>;
  guard(options: LoginOptions): Promise<GuardResult>;
  postImport(file: string, options: ImportOptions): Promise<ImportResult>;
  install(options: InstallOptions): Promise<InstallResult>;
  uninstall(options: InstallOptions): Promise<InstallResult>;
  readonly oauth: { readonly faults: Faults };
}

/** One scenario under way. */
export interface Play extends Seen {
  readonly context: SimulatorContext;
  readonly simulator: Driven;
  readonly clockFace: PlatformClock | null;
  readonly seed: number;
  /** Warnings, and choices relied on, of all that was done so far. */
  readonly results: Pick<WebhookResult, "warnings" | "choices">[];
}

/** A step that comes after one that failed. */
export function skipped({ line, action }: Step): ScenarioStep {
  const nothing = {
    reason: null,
    hint: null,
    failure: null,
    exchanges: [],
    decisive: [],
    mistake: false,
    lastCalls: [],
  };
  return { line, step: action.kind, text: stepText(action), result: "skipped", ms: 0, ...nothing };
}

/**
 * Does what a step says, and holds what came of it against what the step expects.
 * @param index from 0, of the step in its scenario
 */
export async function takeStep(play: Play, step: Step, index: number): Promise<ScenarioStep> {
  const { line, action } = step;
  const { clock } = play.context;
  const startedAt = clock.monotonic();
  const { failure, reason, hint, exchanges, decisive, mistake } = await act(play, step, index).catch(mistaken);
  return {
    line,
    step: action.kind,
    text: stepText(action),
    result: failure === null ? "passed" : "failed",
    ms: Math.round(clock.monotonic() - startedAt),
    reason,
    hint,
    failure,
    exchanges: [...exchanges],
    decisive: [...decisive],
    mistake,
    lastCalls:
      failure === null
        ? []
        : play
            .calls()
            .slice(-LAST_CALLS)
            .map(({ id }) => id),
  };
}

async function act(play: Play, { action }: Step, index: number): Promise<StepOutcome> {
  const { context, simulator, clockFace } = play;
  if (context.signal?.aborted === true) return interrupted;
  switch (action.kind) {
    case "deliver": {
      // Each has a seed of its own, so that not all of them make the same of it.
      const { events, options } = webhookCall(action, (play.seed + index) % SEED_LIMIT);
      return judgeDeliver(action, noted(play, await simulator.webhook(events, options)));
    }
    case "login":
      return logIn(play, action);
    case "guard":
      return judgeGuard(action, noted(play, await simulator.guard(action.guard)));
    case "import": {
      const { file, ...options } = action.import;
      return judgeImport(action, noted(play, await simulator.postImport(file, options)));
    }
    case "install":
      return judgeInstall(noted(play, await simulator.install(action.install)));
    case "uninstall":
      return judgeInstall(noted(play, await simulator.uninstall(action.uninstall)));
    case "wait":
      await context.clock.pause(parseDuration(action.wait), context.signal);
      return context.signal?.aborted ? interrupted : passed();
    case "advance":
      if (clockFace === null) return failed("the clock of this platform cannot be turned", null);
      clockFace.advance(action.advance);
      return passed();
    case "fault":
      for (const fault of action.fault) {
        if (fault === "clear") simulator.oauth.faults.clear();
        else simulator.oauth.faults.add(fault);
      }
      return passed();
    default:
      return expectCalls(action, play);
  }
}

/** What the app calls while a user logs in is judged with the login: later steps look for other calls. */
async function logIn(play: Play, action: LoginAction): Promise<StepOutcome> {
  const outcome = judgeLogin(action, noted(play, await play.simulator.oauthLogin(oauthLoginCall(action))));
  for (const id of outcome.exchanges) await play.waitFor((exchange) => exchange.id === id, { timeoutMs: 0 });
  return outcome;
}

/** Keeps for the result of the scenario what belongs there, too. */
function noted<R extends Play["results"][number]>({ results }: Play, result: R): R {
  results.push(result);
  return result;
}
