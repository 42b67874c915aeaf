import type { Explanation } from "../../app-client/explain-outcome.ts";
import type { Clock } from "../../app-client/ports.ts";
import { readChoices } from "../../config/choices.ts";
import type { User } from "../../config/schema.ts";
import { secretsOf } from "../../config/secrets.ts";
import { credentialsSent } from "../../journal/credentials.ts";
import { redactSecrets } from "../../journal/redact.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { loadManifests } from "../../platform/manifests.ts";
import { requireUsable } from "../../platform/require-usable.ts";
import type { GuardResult } from "../guard-result.ts";
import {
  type CallbackQuery,
  type CallbackRefusal,
  callbackWarnings,
  type IssuedState,
  judgeCallback,
  type Return,
} from "../rules/callback.ts";
import type { FrameTrouble } from "../visit/silent-frame.ts";
import type { OpenInteraction } from "./interaction.ts";
import type { LoginPerson, LoginSession } from "./login-face.ts";
import type { LoginOptions } from "./login-options.ts";
import { type PlanOptions, planLogin } from "./login-plan.ts";
import { startLogin } from "./login-session.ts";
import { recordLogin } from "./record-login.ts";

/** How many finished logins are kept, so that Reload and Back still show their pages. */
const MAX_ENDED_LOGINS = 100;
/** How many past interactions are kept, to tell a late or second return from a made-up state. */
const MAX_PAST_INTERACTIONS = 1000;
/** A browser that shows a login requests its last page immediately; one that was closed never does. */
const MAX_WAIT_MS = 2000;
/** Time for the files of a page: its styles and scripts. */
const PAGE_FILES_MS = 500;
/** Patience for a program that walks a page: it needs no time to think. */
const WALK_PATIENCE_SECONDS = 30;

/** A login that has started, or the result of one that could not start because a manifest could not be read. */
export type Begun =
  | {
      /** Whether it has begun. */
      readonly ok: true;
      /** The login, waiting at its first stage. */
      readonly login: LoginSession;
    }
  | {
      /** Whether it has begun. */
      readonly ok: false;
      /** Why it could not start. */
      readonly result: GuardResult;
    };

/** The logins of the organization: those that are running, and the last that ended. */
export interface Logins extends Pick<Interactions, "callback" | "callbackPosted" | "frameReturned"> {
  /**
   * Starts a login of this user.
   * @param by the context of the command that starts it; default the platform's
   * @throws UsageError for a guard that no manifest declares, or a manifest that is not valid
   */
  begin(user: User, options: PlanOptions, person: LoginPerson, by?: SimulatorContext): Promise<Begun>;
  find(id: string): LoginSession | null;
  /** Everybody who can log in. */
  readonly users: readonly User[];
  /** Who logs in by default (`login.user`); null: no user has that role. */
  readonly usualUser: User | null;
  /** The IP address of a login by default (`login.ipAddress`). */
  readonly usualIpAddress: string;
  readonly domain: string | null;
  /** How often a user may try a stage that is not a guard (choice `login.attempts`). */
  readonly attempts: number;
  /**
   * The frame of a login is silent, or calls the platform wrongly: the login then reports why, if known. False: this
   * login waits for no frame with that state.
   */
  frameTroubled(login: LoginSession, state: string, trouble: FrameTrouble): Promise<boolean>;
  /** The browsers that show logins. */
  readonly audience: Audience;
  /** Hides this organization's secrets and the credentials of this login's calls in an app's text (hardening S27). */
  withoutSecrets(login: LoginSession | null): (text: string) => string;
}

/** Creates the registry of logins. */
export function createLogins(context: SimulatorContext): Logins {
  const { config } = context;
  const { domain } = config.organization;
  const interactions = new Interactions(domain);
  const sessions = new Map<string, LoginSession>();
  const ended: string[] = [];

  const keep = (login: LoginSession) => {
    sessions.set(login.id, login);
    const forgetLater = () => {
      ended.push(login.id);
      if (ended.length > MAX_ENDED_LOGINS) sessions.delete(ended.shift() ?? "");
    };
    context.underWay.add(login.result).then(forgetLater, forgetLater);
  };

  return {
    domain,
    users: config.users,
    usualIpAddress: config.login.ipAddress,
    usualUser: config.users.find(({ role }) => role === config.login.user) ?? null,
    attempts: context.choices["login.attempts"],
    audience: new Audience(context.clock),
    find: (id) => sessions.get(id) ?? null,
    callback: (domainInPath, query) => interactions.callback(domainInPath, query),
    callbackPosted: (query) => interactions.callbackPosted(query),
    frameReturned: (login, state, outcome) => interactions.frameReturned(login, state, outcome),
    async frameTroubled(login, state, trouble) {
      const interaction = login.interaction();
      if (interaction?.state !== state || interaction.guard.module.type !== "frame") return false;
      // Loaded only when needed: it reads HTML.
      const { explainFrame } = await import("../visit/silent-frame.ts");
      for (const each of await explainFrame(context, interaction, trouble)) interaction.report(each, "until back");
      return true;
    },
    withoutSecrets: (login) => {
      const exchanges = login?.view().stages.flatMap((stage) => stage.exchanges) ?? [];
      const sent = exchanges.map((id) => context.journal.find(id));
      return redactSecrets([...secretsOf(config), ...credentialsSent(sent)]);
    },
    async begin(user, options, person, by = context) {
      const choices = readChoices(by.choices);
      const ipAddress = options.ipAddress ?? by.config.login.ipAddress;
      const installed = await loadManifests(by);
      if (!installed.ok) {
        const { reason, hint, failure, exchange } = installed;
        const result: GuardResult = {
          command: "guard",
          ...{ outcome: "failed", deniedBy: null, reason, hint, failure },
          user: { id: user.id, role: user.role },
          ipAddress,
          expectation: null,
          stages: [{ stage: "guard", result: "failed", reason, exchanges: [exchange] }],
          warnings: [],
          choices: choices.used(),
        };
        recordLogin(by, result);
        return { ok: false, result };
      }
      requireUsable(installed.apps, "auth-guard", options.modules ?? "every");
      const login = startLogin({
        context: by,
        id: by.ids.secret(),
        plan: planLogin(by, installed.apps, options, user, choices),
        choices,
        user,
        ipAddress,
        warnings: installed.warnings,
        person,
        patienceMs: patience(by, options),
        stateLifetimeMs: 1000 * by.choices["guard.state.lifetime"],
        onInteraction: (interaction, session) => interactions.register(interaction, session),
        bringBack: (session, { guard, state }, outcome) => {
          if (guard.module.type === "frame") return void interactions.frameReturned(session, state, outcome);
          const [code, error] = "code" in outcome ? [[outcome.code], []] : [[], [outcome.error]];
          interactions.callback(domain, { state: [state], code, error, others: [] });
        },
      });
      keep(login);
      return { ok: true, login };
    },
  };
}

function patience({ config, choices }: SimulatorContext, { interactionTimeout, page }: LoginOptions): number {
  const lifetime = choices["guard.state.lifetime"];
  const isWalked = typeof page === "object" && !("code" in page) && !("error" in page);
  const wanted = interactionTimeout ?? config.login.interactionTimeout ?? (isWalked ? WALK_PATIENCE_SECONDS : lifetime);
  return 1000 * Math.min(lifetime, wanted);
}

/** The outcome of a return to the platform. */
export type CallbackOutcome =
  | { readonly ok: true; readonly login: LoginSession }
  /** `login` is the id of the one that the state was issued for; null: it was never issued. */
  | ({ readonly ok: false; readonly login: string | null } & CallbackRefusal);

interface Entry extends Omit<IssuedState, "status"> {
  readonly loginId: string;
  status: IssuedState["status"];
  /** The interaction that waits for the return; null once it is over, so that an old state keeps no login in memory. */
  waiting: { readonly interaction: OpenInteraction; readonly login: LoginSession } | null;
}

/** The interactions that guards asked for, by their states (interface 3.1, 4.1). */
class Interactions {
  readonly #domain: string | null;
  readonly #entries = new Map<string, Entry>();
  readonly #over: string[] = [];

  /** @param domain the organization's, shared by all logins */
  constructor(domain: string | null) {
    this.#domain = domain;
  }

  register(interaction: OpenInteraction, login: LoginSession): void {
    const { state, guard, signal } = interaction;
    const type = guard.module.type === "frame" ? "frame" : "redirect";
    const waiting = { interaction, login };
    const entry: Entry = { domain: this.#domain, type, loginId: login.id, status: "open", waiting };
    this.#entries.set(state, entry);
    signal.addEventListener("abort", () => {
      if (entry.status === "open") entry.status = "expired";
      entry.waiting = null;
      this.#over.push(state);
      if (this.#over.length > MAX_PAST_INTERACTIONS) this.#entries.delete(this.#over.shift() ?? "");
    });
  }

  /** The user's browser comes to the guard callback of a domain. */
  callback(domain: string | null, query: CallbackQuery): CallbackOutcome {
    const entry = this.#find(query.state[0] ?? "");
    const verdict = judgeCallback(domain, query, entry);
    const meant = this.#interactionMeant(entry);
    if (meant !== null) for (const warning of callbackWarnings(query, meant.secrets())) meant.warn(warning);
    if (verdict.ok) return { ok: true, login: accept(entry, verdict.outcome) };
    const { message, hint } = verdict;
    meant?.report({ reason: `a callback was not accepted: ${message}`, hint });
    return { ...verdict, login: entry?.loginId ?? null };
  }

  /** The user's browser posts to the guard callback: the error to show, also in the waiting login. */
  callbackPosted(query: CallbackQuery): Explanation {
    const posted = {
      reason: "the guard callback accepts only GET, but the browser sent a POST",
      hint: "answer the form with HTTP 302 (interface 4.2): after 307 or 308 a browser repeats the POST",
    };
    this.#interactionMeant(this.#find(query.state[0] ?? ""))?.report(posted);
    return posted;
  }

  /** A frame has reported its outcome. False: this login waits for no frame with that state. */
  frameReturned(login: LoginSession, state: string, outcome: Return): boolean {
    const entry = this.#find(state);
    if (entry?.waiting?.login !== login || entry.status !== "open" || entry.type !== "frame") return false;
    accept(entry, outcome);
    return true;
  }

  /** What is currently known about a state. */
  #find(state: string): Entry | null {
    const entry = this.#entries.get(state);
    entry?.waiting?.interaction.expireIfDue();
    return entry ?? null;
  }

  /** The interaction that a refused callback may belong to: without a known state, the only one awaited. */
  #interactionMeant(entry: Entry | null): OpenInteraction | null {
    const isAwaited = ({ type, status }: Entry) => type === "redirect" && status === "open";
    const [only, ...others] = (entry === null ? [...this.#entries.values()] : [entry]).filter(isAwaited);
    return others.length === 0 ? (only?.waiting?.interaction ?? null) : null;
  }
}

/** A state is used up before anything else happens, so that a second return cannot slip in. */
function accept(entry: Entry | null, outcome: Return): LoginSession {
  if (entry?.waiting == null) throw new TypeError("a return that no interaction waits for was accepted");
  const { interaction, login } = entry.waiting;
  entry.status = "used";
  interaction.comeBack(outcome);
  return login;
}

/** The browsers that show logins, so that the platform does not stop before they have shown the end. */
class Audience {
  readonly #clock: Clock;
  /** For each login that a browser shows: aborted once it has shown the end. */
  readonly #watched = new WeakMap<LoginSession, AbortController>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A page of the login was sent, or the browser was redirected to one. */
  served(login: LoginSession): void {
    const seen = this.#watched.get(login) ?? new AbortController();
    this.#watched.set(login, seen);
    if (login.view().result !== null) seen.abort();
  }

  /** Resolves when the browser has shown the end; immediately if there is none; early if the signal is aborted. */
  async hasSeenEnd(login: LoginSession, signal: AbortSignal): Promise<void> {
    const seen = this.#watched.get(login)?.signal;
    if (seen === undefined) return;
    await this.#clock.pause(MAX_WAIT_MS, AbortSignal.any([signal, seen]));
    if (seen.aborted) await this.#clock.pause(PAGE_FILES_MS, signal);
  }
}
