import type { GuardMethods } from "../guard/action.ts";
import type { InstallMethods } from "../install/action.ts";
import type { OAuthLoginContext, OAuthLoginMethods } from "../oauth-login/action.ts";
import type { ImportMethods } from "../post-import/action.ts";
import { parseDuration } from "../protocol/duration.ts";
import type { WebhookMethods } from "../webhook/action.ts";
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

/** The methods that steps call. */
type StepMethods = GuardMethods & ImportMethods & WebhookMethods & OAuthLoginMethods & InstallMethods;

/** What scenarios work with. */
export interface ScenarioContext extends OAuthLoginContext {
  readonly methods: StepMethods;
}

/** One scenario under way. */
export interface Play extends Seen {
  readonly context: ScenarioContext;
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
  const { context } = play;
  const { methods, oauth, clockFace } = context;
  if (context.signal?.aborted === true) return interrupted;
  switch (action.kind) {
    case "deliver": {
      // Each has a seed of its own, so that not all of them make the same of it.
      const { events, options } = webhookCall(action, (play.seed + index) % SEED_LIMIT);
      return judgeDeliver(action, noted(play, await methods.webhook(events, options)));
    }
    case "login":
      return logIn(play, action);
    case "guard":
      return judgeGuard(action, noted(play, await methods.guard(action.guard)));
    case "import": {
      const { file, ...options } = action.import;
      return judgeImport(action, noted(play, await methods.postImport(file, options)));
    }
    case "install":
      return judgeInstall(noted(play, await methods.install(action.install)));
    case "uninstall":
      return judgeInstall(noted(play, await methods.uninstall(action.uninstall)));
    case "wait":
      await context.clock.pause(parseDuration(action.wait), context.signal);
      return context.signal?.aborted ? interrupted : passed();
    case "advance":
      if (clockFace === null) return failed("the clock of this platform cannot be turned", null);
      clockFace.advance(action.advance);
      return passed();
    case "fault":
      for (const fault of action.fault) {
        if (fault === "clear") oauth.faults.clear();
        else oauth.faults.add(fault);
      }
      return passed();
    default:
      return expectCalls(action, play);
  }
}

/** What the app calls while a user logs in is judged with the login: later steps look for other calls. */
async function logIn(play: Play, action: LoginAction): Promise<StepOutcome> {
  const outcome = judgeLogin(action, noted(play, await play.context.methods.oauthLogin(oauthLoginCall(action))));
  for (const id of outcome.exchanges) await play.waitFor((exchange) => exchange.id === id, { timeoutMs: 0 });
  return outcome;
}

/** Keeps for the result of the scenario what belongs there, too. */
function noted<R extends Play["results"][number]>({ results }: Play, result: R): R {
  results.push(result);
  return result;
}
