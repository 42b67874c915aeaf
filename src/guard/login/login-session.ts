import { setMaxListeners } from "node:events";
import type { ChoiceReader } from "../../config/choices.ts";
import type { User } from "../../config/schema.ts";
import { createListeners } from "../../journal/listeners.ts";
import { checkInput } from "../../platform/check-input.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import type { Failure } from "../../platform/result-parts.ts";
import { GUARD_TIMEOUT_MS } from "../../protocol/limits.ts";
import type { GuardResult } from "../guard-result.ts";
import {
  advance,
  beginLogin,
  type LoginEffect,
  type LoginEvent,
  type LoginState,
  type PlainStage,
  type StageResult,
} from "../rules/login.ts";
import { rowOf } from "../rules/login-table.ts";
import { judgeInput, type StageInput, stageInputSchema } from "../rules/stages.ts";
import { type AuthenticatorCode, currentCode } from "../rules/totp.ts";
import { callGuard, type GuardNotes } from "./call-guard.ts";
import { guardPageUrl, type Interaction, interactionView } from "./interaction.ts";
import type { PlannedLogin } from "./login-plan.ts";
import { recordLogin } from "./login-record.ts";
import { type LoginView, stageResults, stageViews, type Trouble } from "./login-view.ts";

/** One login under way. Whoever holds it can look at it and act as its user. */
export interface LoginSession {
  /** Unguessable: it stands in the address of the login's pages. */
  readonly id: string;
  /** The login as it is now: the same object until something changes. */
  view(): LoginView;
  /** Calls the listener after every change; the returned function ends that. */
  subscribe(listener: () => void): () => void;
  /**
   * The user enters something at a stage that is not a guard; where the login is elsewhere, nothing happens.
   * @throws UsageError for what is no such input
   */
  enter(input: StageInput): void;
  /** What the user's authenticator shows at this moment (RFC 6238). */
  authenticator(): AuthenticatorCode;
  /** What the user is asked to do at the page of a guard; null where it is not their turn there. */
  interaction(): Interaction | null;
  /** Address of the login's page, once the platform is listening. */
  link(): Promise<string>;
  /** The user goes away: the login ends without access. */
  leave(trouble: Trouble & { readonly failure: Failure }): void;
  /** The end of the login. Rejects only for a bug. */
  readonly result: Promise<GuardResult>;
}

/** Who sits before the login: told when it is the user's turn, and acting on the session at any later time. */
export interface LoginPerson {
  atStage(login: LoginSession, stage: PlainStage, failures: number): void;
  /** Rejects only for a bug. */
  atPage(login: LoginSession, interaction: Interaction): void | Promise<void>;
}

export interface LoginParts {
  readonly context: SimulatorContext;
  readonly id: string;
  readonly plan: PlannedLogin;
  readonly choices: ChoiceReader;
  readonly user: User;
  readonly ipAddress: string;
  readonly warnings: readonly string[];
  readonly person: LoginPerson;
  /** How long the user may take at one stage or page, in milliseconds of real time. */
  readonly patienceMs: number;
  /** How long the state of a page is good, in milliseconds of the platform's time; no less than the patience. */
  readonly stateLifetimeMs: number;
  readonly onInteraction: (interaction: Interaction, login: LoginSession) => void;
}

/** Starts a login (interface 3.1): it runs by itself wherever it is not the user's turn. */
export function startLogin(parts: LoginParts): LoginSession {
  const { context, id, plan, choices, user, ipAddress, person } = parts;
  const { clock, config } = context;
  const notes = plan.guards.map(
    (): GuardNotes => ({ exchanges: [], warnings: [], hint: null, failure: null, rows: [] }),
  );
  const listeners = createListeners();
  let resolve: (result: GuardResult) => void = () => {};
  let reject: (bug: unknown) => void = () => {};
  const result = new Promise<GuardResult>((onEnd, onBug) => {
    resolve = onEnd;
    reject = onBug;
  });
  let state = beginLogin(plan).state;
  let call: LoginView["call"] = null;
  let interaction: Interaction | null = null;
  let troubles: readonly Trouble[] = [];
  let turn = new AbortController();
  let ended: GuardResult | null = null;
  let seen: LoginView | null = null;

  const changed = () => {
    seen = null;
    listeners.tell();
  };

  const happen = (event: LoginEvent): void => {
    if (ended !== null) return;
    const row = rowOf(state, event);
    const next = advance(state, event);
    if (next.state === state) return;
    if (event.type === "stage-failed") choices.relyOn("login.attempts");
    if (row !== null && "guard" in event) at(notes, event.guard).rows.push(row);
    turn.abort();
    turn = new AbortController();
    interaction = null;
    troubles = [];
    state = next.state;
    for (const effect of next.effects) perform(effect);
    leaveWhenInterrupted();
  };

  const perform = (effect: LoginEffect): void => {
    switch (effect.type) {
      case "ask":
        ask(effect.stage);
        break;
      case "verify":
        verify(effect.guard, effect.code);
        break;
      case "send-user":
        sendUser(effect.guard);
        break;
      case "grant":
        finish({ outcome: "granted", deniedBy: null, reason: null, hint: null, failure: null });
        break;
      case "deny": {
        const guard = state.at === "denied" ? state.guard : null;
        const { hint, failure } = guard === null ? noNotes : at(notes, guard);
        const deniedBy = guard === null ? null : at(plan.guards, guard).key;
        finish({ outcome: "denied", deniedBy, reason: effect.reason, hint, failure });
      }
    }
  };

  const ask = (stage: PlainStage) => {
    waitForUser();
    changed();
    person.atStage(session, stage, "failures" in state ? state.failures.length : 0);
  };

  const verify = (guard: number, code: string | null) => {
    const limitMs = code === null ? GUARD_TIMEOUT_MS : choices.peek("guard.timeout.final");
    call = { startedAt: clock.monotonic(), limitMs };
    changed();
    callGuard({ context, choices, user, ipAddress }, at(plan.guards, guard), guard, code, at(notes, guard))
      .finally(() => {
        call = null;
      })
      .then(happen)
      .catch(reject);
  };

  const sendUser = (index: number) => {
    const guard = at(plan.guards, index);
    const { signal } = turn;
    const deadline = clock.monotonic() + parts.patienceMs;
    const stateEnd = clock.now() + parts.stateLifetimeMs;
    choices.relyOn("guard.state.lifetime");
    waitForUser();
    const opened: Interaction = {
      state: context.ids.secret(),
      guard,
      expiresAt: clock.now() + parts.patienceMs,
      timeLeft: () => Math.max(0, deadline - clock.monotonic()),
      signal,
      pageUrl: () => guardPageUrl(context, choices, user, guard, opened.state),
      comeBack: (came) =>
        happen(
          "code" in came
            ? { type: "user-returned", guard: index, code: came.code }
            : { type: "user-failed", guard: index, error: came.error },
        ),
      expireIfDue: () => {
        if (clock.now() >= stateEnd) expireState();
      },
      report: (trouble) => {
        if (opened !== interaction || troubles.some(({ reason }) => reason === trouble.reason)) return;
        troubles = [...troubles, trouble];
        changed();
      },
      visited: (exchange) => {
        if (ended !== null) return;
        at(notes, index).exchanges.push(exchange);
        changed();
      },
      warn: (warning) => {
        const { warnings } = at(notes, index);
        if (ended !== null || warnings.includes(warning)) return;
        warnings.push(warning);
        changed();
      },
    };
    // After the patience began: where both end at once, it is the patience that the user is told of.
    void clock.until(stateEnd, signal).then(() => {
      if (!signal.aborted) expireState();
    });
    interaction = opened;
    parts.onInteraction(opened, session);
    changed();
    Promise.resolve(person.atPage(session, opened)).catch(reject);
  };

  /** A person's patience is real time, however the platform's clock is turned. */
  const waitForUser = () => {
    const { signal } = turn;
    void clock.pause(parts.patienceMs, signal).then(() => {
      if (signal.aborted) return;
      choices.relyOn("guard.state.lifetime");
      const trouble = troubles.at(-1);
      session.leave({
        reason: trouble?.reason ?? `nobody came back within ${parts.patienceMs / 1000} s`,
        hint: trouble?.hint ?? "--interaction-timeout gives more time",
        failure: null,
      });
    });
  };

  const expireState = () =>
    session.leave({
      reason: `the state of the page expired by the platform's clock: it is good for ${parts.stateLifetimeMs / 1000} s`,
      hint: "come back before the clock is turned so far, or choose another guard.state.lifetime",
      failure: null,
    });

  const finish = (how: Pick<GuardResult, "outcome" | "deniedBy" | "reason" | "hint" | "failure">) => {
    const nothingChecked = "no auth-guard module is declared: nothing was checked";
    ended = {
      command: "guard",
      ...how,
      user: { id: user.id, role: user.role },
      ipAddress,
      stages: stageResults(state.results, plan.guards, notes),
      warnings: [...parts.warnings, ...(plan.guards.length === 0 ? [nothingChecked] : [])],
      choices: choices.used(),
    };
    interaction = null;
    turn.abort();
    recordLogin(context, ended);
    changed();
    listeners.clear();
    resolve(ended);
  };

  const session: LoginSession = {
    id,
    result,
    view: () => {
      seen ??= {
        id,
        domain: config.organization.domain,
        user: { id: user.id, role: user.role, login: user.login },
        ipAddress,
        stages: stageViews(plan, state, notes, ended !== null),
        current: ended === null ? state.results.length : null,
        call,
        interaction: interaction === null ? null : interactionView(interaction, parts.patienceMs, troubles),
        result: ended,
      };
      return seen;
    },
    subscribe: listeners.add,
    enter: (input) => happen(judgeInput(checkInput("enter()", stageInputSchema, input), user, clock.now())),
    authenticator: () => currentCode(user.totpSecret, clock.now()),
    interaction: () => interaction,
    link: async () => `${await context.listen()}/${config.organization.domain}/login/${id}`,
    leave: ({ reason, hint, failure }) => {
      if (ended !== null || !("failures" in state || state.at === "awaiting-user")) return;
      state = { ...state, results: [...state.results, leftStage(state, reason)] };
      finish({ outcome: "needs-user", deniedBy: null, reason, hint, failure });
    },
  };

  // A call that is under way is ended by the same signal, and denies the login; one that was just answered is not.
  const leaveWhenInterrupted = () => {
    if (context.signal?.aborted !== true) return;
    session.leave({ reason: "interrupted", hint: null, failure: "interrupted" });
  };
  if (context.signal !== undefined) {
    // However many logins listen, it is no leak: each stops when it ends.
    setMaxListeners(0, context.signal);
    context.signal.addEventListener("abort", leaveWhenInterrupted);
    void result.catch(() => {}).finally(() => context.signal?.removeEventListener("abort", leaveWhenInterrupted));
  }
  perform({ type: "ask", stage: "password" });
  leaveWhenInterrupted();
  return session;
}

/** The stage at which the user went away. */
function leftStage(state: LoginState, reason: string): StageResult {
  const where = "failures" in state ? { stage: state.at } : { stage: "guard" as const };
  const guard = state.at === "awaiting-user" ? { guard: state.guard } : {};
  return { ...where, ...guard, result: "needs-user", reason };
}

const noNotes = { hint: null, failure: null } as const;

function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return element;
}
