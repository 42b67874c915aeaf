import { setMaxListeners } from "node:events";
import { atMost } from "../../app-client/ports.ts";
import type { PageTrouble } from "../../browser/fill-form.ts";
import type { ChoiceReader } from "../../config/choices.ts";
import type { User } from "../../config/schema.ts";
import { createListeners } from "../../journal/listeners.ts";
import { checkInput } from "../../platform/check-input.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { GUARD_TIMEOUT_MS } from "../../protocol/limits.ts";
import { oneLoginPath } from "../../web/login-paths.ts";
import { type GuardResult, NOTHING_CHECKED } from "../guard-result.ts";
import type { Return } from "../rules/callback.ts";
import {
  advance,
  type LoginEffect,
  type LoginEvent,
  type LoginState,
  leaveLogin,
  newLogin,
  type PlainStage,
  userReturn,
} from "../rules/login.ts";
import { REFUSED_CODE, rowOf } from "../rules/login-table.ts";
import { inputWords, judgeInput, rightInput, type StageInput, stageInputSchema, wrongInput } from "../rules/stages.ts";
import { type AuthenticatorCode, currentCode } from "../rules/totp.ts";
import { callGuard, emptyNotes, explainRefusedCode, type GuardNotes } from "./call-guard.ts";
import { type Interaction, type OpenInteraction, openInteraction } from "./interaction.ts";
import type { LoginPerson, LoginSession } from "./login-face.ts";
import type { PlannedLogin } from "./login-plan.ts";
import { interactionView, type LoginView, stageResults, stageViews } from "./login-view.ts";
import { recordLogin } from "./record-login.ts";

interface LoginParts {
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
  /** How long the state of a page is valid, in milliseconds of the platform's time; at least the patience. */
  readonly stateLifetimeMs: number;
  readonly onInteraction: (interaction: OpenInteraction, login: LoginSession) => void;
  /** Brings the user back from a page. */
  readonly bringBack: (login: LoginSession, interaction: Interaction, outcome: Return) => void;
}

/** Starts a login (interface 3.1): it runs by itself unless it is the user's turn. */
export function startLogin(parts: LoginParts): LoginSession {
  const login = new RunningLogin(parts);
  login.start();
  return login;
}

/** Carries out what the pure state machine of rules/login.ts decides, and feeds it events. */
class RunningLogin implements LoginSession {
  readonly id: string;
  readonly result: Promise<GuardResult>;
  readonly #parts: LoginParts;
  readonly #notes: readonly GuardNotes[];
  readonly #listeners = createListeners();
  #resolve: (result: GuardResult) => void = () => {};
  #reject: (bug: unknown) => void = () => {};
  #state: LoginState;
  /** The call to the app that is in flight. */
  #call: LoginView["call"] = null;
  #interaction: OpenInteraction | null = null;
  /** The visitor that acts for the user at the page; null: none. */
  #visit: Promise<void> | null = null;
  /** Whether the return from a page was simulated instead of made by the page. */
  #isPlayed = false;
  /** Aborted when the user's turn is over. */
  #turn = new AbortController();
  #ended: GuardResult | null = null;
  /** The cached view of the current state. */
  #view: LoginView | null = null;

  constructor(parts: LoginParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#notes = parts.plan.guards.map(emptyNotes);
    this.#state = newLogin(parts.plan).state;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(): void {
    const { signal } = this.#parts.context;
    if (signal !== undefined) {
      const leave = () => this.#leaveIfInterrupted();
      // Any number of logins may listen: each stops when it ends.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", leave);
      void this.result.catch(() => {}).finally(() => signal.removeEventListener("abort", leave));
    }
    this.#ask("password");
    this.#leaveIfInterrupted();
  }

  view(): LoginView {
    const { plan, user, ipAddress, patienceMs, context } = this.#parts;
    const [state, notes, hasEnded] = [this.#state, this.#notes, this.#ended !== null];
    let stages: LoginView["stages"] | null = null;
    this.#view ??= {
      id: this.id,
      domain: context.config.organization.domain,
      user: { id: user.id, role: user.role, login: user.login },
      ipAddress,
      // Made on demand: a view for every step would be costly with thousands of guards.
      get stages() {
        stages ??= stageViews(plan, state, notes, hasEnded);
        return stages;
      },
      current: this.#ended === null ? this.#state.results.length : null,
      call: this.#call,
      interaction: this.#interaction && interactionView(this.#interaction, patienceMs),
      result: this.#ended,
    };
    return this.#view;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  enter(input: StageInput): void {
    const { user, context } = this.#parts;
    this.#advance(judgeInput(checkInput(stageInputSchema, input, inputWords), user, context.clock.now()));
  }

  play(how: "right" | "wrong"): void {
    const { user, context } = this.#parts;
    const { stages, current } = this.view();
    const stage = stages[current ?? -1]?.stage;
    if (stage === undefined || stage === "guard") return;
    this.enter((how === "right" ? rightInput : wrongInput)(stage, user, context.clock.now()));
  }

  comeBack(outcome: Return): void {
    if (this.#interaction === null) return;
    this.#isPlayed = true;
    this.#parts.bringBack(this, this.#interaction, outcome);
  }

  authenticator(): AuthenticatorCode {
    const { user, context } = this.#parts;
    return currentCode(user.totpSecret, context.clock.now());
  }

  interaction(): Interaction | null {
    // A browser that has brought its user back requests the login's page, and must not be sent to the app again.
    return this.#turn.signal.aborted ? null : this.#interaction;
  }

  async link(): Promise<string> {
    const { listen, config } = this.#parts.context;
    return (await listen()) + oneLoginPath(config.organization.domain, this.id);
  }

  leave({ reason, hint, failure }: PageTrouble): void {
    const left = this.#ended === null ? leaveLogin(this.#state, reason) : null;
    if (left === null) return;
    this.#state = left;
    this.#end({ outcome: "needs-user", deniedBy: null, reason, hint, failure });
  }

  #advance(event: LoginEvent): void {
    if (this.#ended !== null) return;
    const row = rowOf(this.#state, event);
    const { state, effects } = advance(this.#state, event);
    if (state === this.#state) return;
    if (event.type === "stage-failed") this.#parts.choices.relyOn("login.attempts");
    if (row !== null && "guard" in event) at(this.#notes, event.guard).rows.push(row);
    if (row === REFUSED_CODE && "guard" in event && !this.#isPlayed) {
      const notes = at(this.#notes, event.guard);
      notes.hint ??= explainRefusedCode(this.#parts, notes.exchanges);
    }
    this.#turn.abort();
    this.#turn = new AbortController();
    this.#interaction = null;
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    this.#leaveIfInterrupted();
  }

  #perform(effect: LoginEffect): void {
    if (effect.type === "ask") this.#ask(effect.stage);
    else if (effect.type === "verify") this.#verify(effect.guard, effect.code);
    else if (effect.type === "send-user") this.#sendUser(effect.guard);
    else if (effect.type === "deny") this.#deny(effect.reason);
    else this.#end({ outcome: "granted", deniedBy: null, reason: null, hint: null, failure: null });
  }

  #ask(stage: PlainStage): void {
    this.#limitTurn();
    this.#notify();
    this.#parts.person.atStage(this, stage, "failures" in this.#state ? this.#state.failures.length : 0);
  }

  #verify(index: number, code: string | null): void {
    const { context, plan, choices } = this.#parts;
    const limitMs = code === null ? GUARD_TIMEOUT_MS : choices.peek("guard.timeout.final");
    this.#call = { startedAt: context.clock.monotonic(), limitMs };
    this.#notify();
    callGuard(this.#parts, { guard: at(plan.guards, index), index, notes: at(this.#notes, index) }, code)
      .finally(() => {
        this.#call = null;
      })
      .then((event) => this.#advance(event))
      .catch(this.#reject);
  }

  #sendUser(index: number): void {
    const { plan, choices, person, onInteraction } = this.#parts;
    choices.relyOn("guard.state.lifetime");
    this.#limitTurn();
    this.#isPlayed = false;
    this.#visit = null;
    const interaction = openInteraction({
      ...this.#parts,
      guard: at(plan.guards, index),
      signal: this.#turn.signal,
      onReturn: (outcome) => this.#bringBack(index, outcome),
      onTrouble: (trouble) => this.leave(trouble),
      onReport: () => this.#notify(),
      note: (change) => {
        if (this.#ended !== null) return;
        change(at(this.#notes, index));
        this.#notify();
      },
    });
    this.#interaction = interaction;
    onInteraction(interaction, this);
    this.#notify();
    this.#visit = person.atPage(this, interaction) ?? null;
    this.#visit?.catch(this.#reject);
  }

  /** Chromium may bring its user back before it reports how, and its warnings belong to this guard. */
  #bringBack(guard: number, outcome: Return): void {
    const goOn = () => this.#advance(userReturn(guard, outcome));
    if (this.#visit === null) goOn();
    else {
      this.#turn.abort();
      void atMost(this.#parts.context.clock, LAST_WORDS_MS, this.#visit).then(goOn, () => {});
    }
  }

  /** A person's patience is real time, whatever the platform's clock says. */
  #limitTurn(): void {
    const { context, choices, patienceMs } = this.#parts;
    const { signal } = this.#turn;
    void context.clock.pause(patienceMs, signal).then(() => {
      if (signal.aborted) return;
      choices.relyOn("guard.state.lifetime");
      const trouble = this.#interaction?.troubles.at(-1);
      this.leave({
        reason: trouble?.reason ?? `the user did not come back within ${patienceMs / 1000} s`,
        hint: trouble?.hint ?? "--interaction-timeout gives more time",
        failure: null,
      });
    });
  }

  /** The same signal aborts a call in flight, which denies the login; a call that was just answered stays. */
  #leaveIfInterrupted(): void {
    if (this.#parts.context.signal?.aborted !== true) return;
    this.leave({ reason: "interrupted", hint: null, failure: "interrupted" });
  }

  #deny(reason: string): void {
    const guard = this.#state.at === "denied" ? this.#state.guard : null;
    const { hint, guess, failure } = guard === null ? emptyNotes() : at(this.#notes, guard);
    // Without a valid answer nobody gets in, but no guard denied either.
    const deniedBy = guard === null || failure !== null ? null : at(this.#parts.plan.guards, guard).key;
    this.#end({ outcome: failure === null ? "denied" : "failed", deniedBy, reason, hint: hint ?? guess, failure });
  }

  #end(ending: Pick<GuardResult, "outcome" | "deniedBy" | "reason" | "hint" | "failure">): void {
    const { context, plan, choices, user, ipAddress, warnings } = this.#parts;
    const result: GuardResult = {
      command: "guard",
      ...ending,
      user: { id: user.id, role: user.role },
      ipAddress,
      expectation: null,
      stages: stageResults(this.#state.results, plan.guards, this.#notes),
      warnings: [...warnings, ...(plan.guards.length === 0 ? [NOTHING_CHECKED] : [])],
      choices: choices.used(),
    };
    this.#ended = result;
    this.#interaction = null;
    this.#turn.abort();
    recordLogin(context, result);
    this.#notify();
    this.#listeners.clear();
    this.#resolve(result);
  }

  #notify(): void {
    this.#view = null;
    this.#listeners.notify();
  }
}

/** How long a visit to a page may take to end after its user is back. */
const LAST_WORDS_MS = 1_000;

function at<T>(list: readonly T[], index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return element;
}
