import { readChoices } from "../../config/choices.ts";
import type { User } from "../../config/schema.ts";
import { secretsOf } from "../../config/secrets.ts";
import { credentialsSent } from "../../journal/credentials.ts";
import { redactSecrets } from "../../journal/redact.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { loadManifests } from "../../platform/manifests.ts";
import type { GuardResult, GuardStage } from "../guard-result.ts";
import type { CallbackQuery, Return } from "../rules/callback.ts";
import { explainSilence, type FrameSilence } from "../visit/inspect-page.ts";
import type { VisitContext } from "../visit/page-visitor.ts";
import { type Audience, createAudience } from "./audience.ts";
import { type CallbackOutcome, createInteractions } from "./interactions.ts";
import type { LoginOptions } from "./login-options.ts";
import { type PlanOptions, planLogin } from "./login-plan.ts";
import { recordLogin } from "./login-record.ts";
import { type LoginPerson, type LoginSession, startLogin } from "./login-session.ts";

/** How many logins that have ended are kept, so that Reload and Back still show their pages. */
const MAX_ENDED_LOGINS = 100;

/** What the actions of guards work with. */
export interface GuardContext extends VisitContext {
  readonly logins: Logins;
}

/** A login that has started, or the result of one that could not start because a manifest could not be read. */
export type Begun =
  | { readonly ok: true; readonly login: LoginSession }
  | { readonly ok: false; readonly result: GuardResult };

/** The logins of the organization: those that are running, and the last that ended. */
export interface Logins {
  /**
   * Starts a login of this user.
   * @throws UsageError for a guard that no manifest declares, or a manifest that is not valid
   */
  begin(user: User, options: PlanOptions, person: LoginPerson): Promise<Begun>;
  find(id: string): LoginSession | null;
  /** Everybody who can log in. */
  readonly users: readonly User[];
  /** Who logs in by default (`login.user`); null: no user has that role. */
  readonly usualUser: User | null;
  /** The IP address of a login by default (`login.ipAddress`). */
  readonly usualIpAddress: string;
  readonly domain: string;
  /** How often a user may try a stage that is not a guard (choice `login.attempts`). */
  readonly attempts: number;
  callback(domain: string, query: CallbackQuery): CallbackOutcome;
  frameReturned(login: LoginSession, state: string, outcome: Return): boolean;
  /**
   * The frame of a login is silent: the login then reports why, if that can be found out.
   * False: this login waits for no frame with that state.
   */
  frameSilent(login: LoginSession, state: string, silence: FrameSilence): Promise<boolean>;
  /** Who watches logins in a browser. */
  readonly audience: Audience;
  /**
   * Hides secrets of this organization in an app's words, and what was sent to authenticate the calls of this login
   * (hardening S27).
   */
  withoutSecrets(login: LoginSession | null): (text: string) => string;
}

/** Creates the registry of logins. */
export function createLogins(context: SimulatorContext): Logins {
  const { config, ids } = context;
  const { domain } = config.organization;
  const interactions = createInteractions(domain);
  const sessions = new Map<string, LoginSession>();
  const ended: string[] = [];

  const forgetLater = (login: LoginSession) => {
    const forget = () => {
      ended.push(login.id);
      if (ended.length > MAX_ENDED_LOGINS) sessions.delete(ended.shift() ?? "");
    };
    context.underWay.add(login.result).then(forget, forget);
  };

  return {
    domain,
    users: config.users,
    usualIpAddress: config.login.ipAddress,
    usualUser: config.users.find(({ role }) => role === config.login.user) ?? null,
    attempts: context.choices["login.attempts"],
    audience: createAudience(context.clock),
    find: (id) => sessions.get(id) ?? null,
    callback: interactions.callback,
    frameReturned: interactions.frameReturned,
    async frameSilent(login, state, silence) {
      const interaction = login.interaction();
      if (interaction?.state !== state || interaction.guard.module.type !== "frame") return false;
      for (const trouble of await explainSilence(context, interaction, silence)) interaction.report(trouble);
      return true;
    },
    withoutSecrets: (login) => {
      const exchanges = login?.view().stages.flatMap((stage) => stage.exchanges) ?? [];
      const sent = exchanges.map((id) => context.journal.find(id));
      return redactSecrets([...secretsOf(config), ...credentialsSent(sent)]);
    },
    async begin(user, options, person) {
      const choices = readChoices(context.choices);
      const ipAddress = options.ipAddress ?? config.login.ipAddress;
      const installed = await loadManifests(context);
      if (!installed.ok) {
        const { reason, hint, failure, exchange } = installed;
        const stage: GuardStage = { stage: "guard", result: "denied", reason, exchanges: [exchange] };
        const how = { outcome: "denied", deniedBy: null, reason, hint, failure } as const;
        const who = { user: { id: user.id, role: user.role }, ipAddress };
        const facts = { stages: [stage], warnings: [], choices: choices.used() };
        const result: GuardResult = { command: "guard", ...how, ...who, ...facts };
        recordLogin(context, result);
        return { ok: false, result };
      }
      const login = startLogin({
        context,
        id: ids.secret(),
        plan: planLogin(context, installed.apps, options, user, choices),
        choices,
        user,
        ipAddress,
        warnings: installed.warnings,
        person,
        patienceMs: patience(context, options),
        stateLifetimeMs: 1000 * context.choices["guard.state.lifetime"],
        onInteraction: interactions.register,
      });
      sessions.set(login.id, login);
      forgetLater(login);
      return { ok: true, login };
    },
  };
}

/** A program that walks a page needs no time to think. */
const WALK_PATIENCE_SECONDS = 30;

function patience({ config, choices }: SimulatorContext, { interactionTimeout, page }: LoginOptions): number {
  const lifetime = choices["guard.state.lifetime"];
  const isWalked = typeof page === "object" && ("fill" in page || "browser" in page);
  const wanted = interactionTimeout ?? config.login.interactionTimeout ?? (isWalked ? WALK_PATIENCE_SECONDS : lifetime);
  return 1000 * Math.min(lifetime, wanted);
}
