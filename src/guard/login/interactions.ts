import {
  type CallbackQuery,
  type CallbackRefusal,
  type IssuedState,
  judgeCallback,
  type Return,
} from "../rules/callback.ts";
import type { Interaction } from "./interaction.ts";
import type { LoginSession } from "./login-session.ts";

/** How many past interactions are kept, to tell a late or second return from a made-up state. */
const MAX_PAST_INTERACTIONS = 1000;

/** What a return to the platform led to. */
export type CallbackOutcome =
  | { readonly ok: true; readonly login: LoginSession }
  /** `login` is the id of the one that the state was issued for; null: it was never issued. */
  | ({ readonly ok: false; readonly login: string | null } & CallbackRefusal);

/** The interactions that guards asked for, by their states (interface 3.1, 4.1). */
export interface Interactions {
  register(interaction: Interaction, login: LoginSession): void;
  /** The user's browser comes to the guard callback of a domain. */
  callback(domain: string, query: CallbackQuery): CallbackOutcome;
  /** A frame has reported its outcome. False: this login waits for no frame with that state. */
  frameReturned(login: LoginSession, state: string, outcome: Return): boolean;
}

interface Entry extends Pick<IssuedState, "type"> {
  readonly loginId: string;
  status: IssuedState["status"];
  /** What waits for the return; null once that is over, so that an old state keeps no login in memory. */
  waiting: { readonly interaction: Interaction; readonly login: LoginSession } | null;
}

/**
 * Creates the registry of interactions.
 * @param domain the organization's, in which all logins take place
 */
export function createInteractions(domain: string): Interactions {
  const entries = new Map<string, Entry>();
  const over: string[] = [];

  /** A state is used up before anything else happens, so that no second return can come in between. */
  const accept = (entry: Entry | null, outcome: Return): LoginSession => {
    if (entry?.waiting == null) throw new TypeError("a return that nobody waits for was accepted");
    const { interaction, login } = entry.waiting;
    entry.status = "used";
    interaction.comeBack(outcome);
    return login;
  };

  /** What is known of a state, as of now. */
  const find = (state: string): Entry | null => {
    const entry = entries.get(state);
    entry?.waiting?.interaction.expireIfDue();
    return entry ?? null;
  };

  /** Whose return a refused callback may have been: without a state that tells, of the only one that is awaited. */
  const interactionMeant = (entry: Entry | null): Interaction | null => {
    const isAwaited = ({ type, status }: Entry) => type === "redirect" && status === "open";
    const [only, ...others] = entry === null ? [...entries.values()].filter(isAwaited) : [entry];
    return only !== undefined && isAwaited(only) && others.length === 0 ? (only.waiting?.interaction ?? null) : null;
  };

  return {
    register(interaction, login) {
      const { state, guard, signal } = interaction;
      const type = guard.module.type === "frame" ? "frame" : "redirect";
      const entry: Entry = { type, loginId: login.id, status: "open", waiting: { interaction, login } };
      entries.set(state, entry);
      signal.addEventListener("abort", () => {
        if (entry.status === "open") entry.status = "expired";
        entry.waiting = null;
        over.push(state);
        if (over.length > MAX_PAST_INTERACTIONS) entries.delete(over.shift() ?? "");
      });
    },
    callback(domainOfCallback, query) {
      const entry = find(query.state[0] ?? "");
      const verdict = judgeCallback(domainOfCallback, query, entry && { domain, ...entry });
      if (verdict.ok) return { ok: true, login: accept(entry, verdict.outcome) };
      const { message, hint } = verdict;
      interactionMeant(entry)?.report({ reason: `a callback was not accepted: ${message}`, hint });
      return { ...verdict, login: entry?.loginId ?? null };
    },
    frameReturned(login, state, outcome) {
      const entry = find(state);
      if (entry?.waiting?.login !== login || entry.status !== "open" || entry.type !== "frame") return false;
      accept(entry, outcome);
      return true;
    },
  };
}
