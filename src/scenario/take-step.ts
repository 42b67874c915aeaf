import type { GuardMethods } from "../guard/action.ts";
import type { InstallMethods } from "../install/action.ts";
import type { OAuthLoginContext, OAuthLoginMethods } from "../oauth-login/action.ts";
import type { ImportMethods } from "../post-import/action.ts";
import { parseDuration } from "../protocol/duration.ts";
import type { WebhookMethods } from "../webhook/action.ts";
import type { WebhookResult } from "../webhook/webhook-result.ts";
import { judgeDeliver, webhookCall } from "./deliver-step.ts";
import { type ExpectationContext, expectCalls } from "./expect-step.ts";
import type { ScenarioStep } from "./scenario-result.ts";
import type { Step } from "./scenario-schema.ts";
import {
  failed,
  interrupted,
  judgeGuard,
  judgeImport,
  judgeInstall,
  judgeLogin,
  mistaken,
  passed,
  type StepOutcome,
} from "./step-outcome.ts";
import { stepText } from "./step-text.ts";

/** How many calls of the app are shown for a failed step. */
const LAST_CALLS = 5;
const SEED_LIMIT = 2 ** 31;

/** What scenarios need. */
export interface ScenarioContext extends OAuthLoginContext {
  readonly methods: GuardMethods & ImportMethods & WebhookMethods & OAuthLoginMethods & InstallMethods;
}

/** One scenario that is running. */
export interface Play extends ExpectationContext {
  readonly context: ScenarioContext;
  readonly seed: number;
  /** The results so far, for their warnings and the choices that they relied on. */
  readonly results: Pick<WebhookResult, "warnings" | "choices">[];
}

/** The result of a step after a failed one. */
export function skipped({ line, action }: Step): ScenarioStep {
  return { line, step: action.kind, text: stepText(action), result: "skipped", ms: 0, ...passed(), lastCalls: [] };
}

/**
 * Carries out a step and judges it.
 * @param index from 0, of the step in its scenario
 */
export async function takeStep(play: Play, step: Step, index: number): Promise<ScenarioStep> {
  const { line, action } = step;
  const { clock } = play.context;
  const startedAt = clock.monotonic();
  const outcome = await act(play, step, index).catch(mistaken);
  const isPassed = outcome.failure === null;
  return {
    line,
    step: action.kind,
    text: stepText(action),
    result: isPassed ? "passed" : "failed",
    ms: Math.round(clock.monotonic() - startedAt),
    ...outcome,
    lastCalls: (isPassed ? [] : play.calls().slice(-LAST_CALLS)).map(({ id }) => id),
  };
}

async function act(play: Play, { action }: Step, index: number): Promise<StepOutcome> {
  const { context } = play;
  const { methods, oauth, clockFace } = context;
  const keep = <Result extends Play["results"][number]>(result: Result): Result => {
    play.results.push(result);
    return result;
  };
  if (context.signal?.aborted === true) return interrupted;
  switch (action.kind) {
    case "deliver": {
      // Each step has its own seed, so that they do not all make the same events.
      const { events, options } = webhookCall(action, (play.seed + index) % SEED_LIMIT);
      return judgeDeliver(action, keep(await methods.webhook(events, options)));
    }
    case "login": {
      const options = { ...action.login, refresh: false, forge: false };
      const outcome = judgeLogin(action, keep(await methods.oauthLogin(options)));
      // The app's calls during the login are judged with it: later steps match other calls.
      for (const id of outcome.exchanges) await play.waitFor((exchange) => exchange.id === id, { timeoutMs: 0 });
      return outcome;
    }
    case "guard":
      return judgeGuard(action, keep(await methods.guard(action.guard)));
    case "import": {
      const { file, ...options } = action.import;
      return judgeImport(action, keep(await methods.postImport(file, options)));
    }
    case "install":
      return judgeInstall(action, keep(await methods.install(action.install)));
    case "uninstall":
      return judgeInstall(action, keep(await methods.uninstall(action.uninstall)));
    case "wait":
      await context.clock.pause(parseDuration(action.wait), context.signal);
      return context.signal?.aborted ? interrupted : passed();
    case "advance":
      if (clockFace === null) return failed("the clock of this platform cannot be changed", null);
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
