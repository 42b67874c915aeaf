import type { Explanation } from "../../app-client/explain-outcome.ts";
import {
  type CallbackQuery,
  type CallbackRefusal,
  callbackWarnings,
  type IssuedState,
  judgeCallback,
  type Return,
} from "../rules/callback.ts";
import type { OpenInteraction } from "./interaction.ts";
import type { LoginSession } from "./login-face.ts";

/** How many past interactions are kept, to tell a late or second return from a made-up state. */
const MAX_PAST_INTERACTIONS = 1000;

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
export class Interactions {
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

  /** The user returns without a browser. */
  bringBack(login: LoginSession, { guard, state }: Pick<OpenInteraction, "guard" | "state">, outcome: Return): void {
    if (guard.module.type === "frame") return void this.frameReturned(login, state, outcome);
    const [code, error] = "code" in outcome ? [[outcome.code], []] : [[], [outcome.error]];
    this.callback(this.#domain, { state: [state], code, error, others: [] });
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
