import { readChoices } from "../../config/choices.ts";
import type { User } from "../../config/schema.ts";
import { secretsOf } from "../../config/secrets.ts";
import { credentialsSent } from "../../journal/credentials.ts";
import { redactSecrets } from "../../journal/redact.ts";
import type { SimulatorContext } from "../../platform/context.ts";
import { loadManifests } from "../../platform/manifests.ts";
import { requireUsable } from "../../platform/require-usable.ts";
import type { GuardResult } from "../guard-result.ts";
import type { FrameTrouble } from "../visit/silent-frame.ts";
import { Audience } from "./audience.ts";
import { Interactions } from "./interactions.ts";
import type { LoginPerson, LoginSession } from "./login-face.ts";
import type { LoginOptions } from "./login-options.ts";
import { type PlanOptions, planGuards, planLogin } from "./login-plan.ts";
import { startLogin } from "./login-session.ts";
import { recordLogin } from "./record-login.ts";

/** How many finished logins are kept, so that Reload and Back still show their pages. */
const MAX_ENDED_LOGINS = 100;
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
      const begun = await beginLogin(by, { user, options, person, interactions });
      if (begun.ok) keep(begun.login);
      return begun;
    },
  };
}

/** What a new login needs, in addition to its context. */
interface NewLogin {
  readonly user: User;
  readonly options: PlanOptions;
  readonly person: LoginPerson;
  readonly interactions: Interactions;
}

async function beginLogin(by: SimulatorContext, { user, options, person, interactions }: NewLogin): Promise<Begun> {
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
  const guards = planGuards(installed.apps, options, user, choices);
  const login = startLogin({
    context: by,
    id: by.ids.secret(),
    plan: planLogin(guards, options, by.config.login, choices),
    choices,
    user,
    ipAddress,
    warnings: installed.warnings,
    person,
    patienceMs: patience(by, options),
    stateLifetimeMs: 1000 * by.choices["guard.state.lifetime"],
    onInteraction: (interaction, session) => interactions.register(interaction, session),
    bringBack: (session, interaction, outcome) => interactions.bringBack(session, interaction, outcome),
  });
  return { ok: true, login };
}

function patience({ config, choices }: SimulatorContext, { interactionTimeout, page }: LoginOptions): number {
  const lifetime = choices["guard.state.lifetime"];
  const isWalked = typeof page === "object" && !("code" in page) && !("error" in page);
  const wanted = interactionTimeout ?? config.login.interactionTimeout ?? (isWalked ? WALK_PATIENCE_SECONDS : lifetime);
  return 1000 * Math.min(lifetime, wanted);
}
