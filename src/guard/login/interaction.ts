import type { Explanation } from "../../app-client/explain-outcome.ts";
import type { PageTrouble } from "../../browser/fill-form.ts";
import { appSecrets, type NamedSecret } from "../../config/secrets.ts";
import { moduleToken } from "../../platform/module-token.ts";
import { joinUrl } from "../../protocol/url.ts";
import { guardLeaks } from "../checks/leak-warnings.ts";
import type { Return } from "../rules/callback.ts";
import type { GuardCaller, GuardNotes } from "./call-guard.ts";
import { isCallbackOf } from "./callback-address.ts";
import type { LoginGuard } from "./login-plan.ts";

/** The interaction with the user that a guard asked for (interface 3.1, awaiting user interaction). */
export interface Interaction {
  /** Unguessable; in the query of a redirect guard's page, and valid for one return. */
  readonly state: string;
  /** The guard whose page the user is at. */
  readonly guard: LoginGuard;
  /** When the user's time is over, in milliseconds since the epoch; the state is valid at least as long. */
  readonly expiresAt: number;
  /** Milliseconds of real time that the user has left, whatever the platform's clock says; at least 0. */
  timeLeft(): number;
  /** Aborted when the user is back, or the login is over. */
  readonly signal: AbortSignal;
  /** `options.url` with a fresh `jwtToken`, and the `state` for a redirect guard (interface 4.2). */
  pageUrl(): Promise<string>;
  /** The user comes back from the page. Only the registry of interactions calls this, once. */
  comeBack(outcome: Return): void;
  /**
   * Ends the login if the state has expired by the platform's clock. Only the registry of interactions calls this, so
   * that no return is accepted just before the login itself notices.
   */
  expireIfDue(): void;
  /**
   * Reports something wrong with the page; the user may still come back.
   * @param how whether it is kept with the guard, or dropped when the user is back; default kept
   */
  report(trouble: Explanation, how?: "kept" | "until back"): void;
  /** Notes a request made on behalf of the user, by its id in the journal; it is kept with the guard. */
  visited(exchange: string): void;
  /** Notes a choice made on behalf of the user; it is reported if the guard then denies. */
  guessed(hint: string): void;
  /** Warns of something wrong with how the user came back; it is kept with the guard. */
  warn(warning: string): void;
}

/** An interaction, with what only the platform knows about it. */
export interface OpenInteraction extends Interaction {
  readonly troubles: readonly Explanation[];
  /** What must not be in any address that the app sends the user to: its secrets, and the tokens of the page. */
  secrets(): readonly NamedSecret[];
}

interface InteractionParts extends GuardCaller {
  readonly guard: LoginGuard;
  /** How long the user may take, in milliseconds of real time. */
  readonly patienceMs: number;
  /** How long the state is valid, in milliseconds of the platform's time. */
  readonly stateLifetimeMs: number;
  /** Aborted when the interaction is over. */
  readonly signal: AbortSignal;
  onReturn(outcome: Return): void;
  /** Called when the user can no longer come back. */
  onTrouble(trouble: PageTrouble): void;
  /** Called when something new is wrong with the page. */
  onReport(): void;
  /** Changes the notes on the guard, unless the login is over. */
  note(change: (notes: GuardNotes) => void): void;
}

/** Creates the interaction of a guard; its time starts now. */
export function openInteraction(parts: InteractionParts): OpenInteraction {
  const { context, guard, patienceMs, stateLifetimeMs, signal, note } = parts;
  const { clock, ids } = context;
  const state = ids.secret();
  const deadline = clock.monotonic() + patienceMs;
  const stateEnd = clock.now() + stateLifetimeMs;
  const troubles: Explanation[] = [];
  const tokens = new Set<string>();
  const expire = () =>
    parts.onTrouble({
      reason: `the state of the page expired by the platform's clock: it is valid for ${stateLifetimeMs / 1000} s`,
      hint: "come back before the clock is advanced that far, or choose another guard.state.lifetime",
      failure: null,
    });
  void clock.until(stateEnd, signal).then(() => {
    if (!signal.aborted) expire();
  });
  const pageTokens = () => [...tokens].map((value) => ({ name: "token", value }));
  const warn = (warning: string) =>
    note(({ warnings }) => {
      if (!warnings.includes(warning)) warnings.push(warning);
    });
  return {
    state,
    guard,
    troubles,
    expiresAt: clock.now() + patienceMs,
    timeLeft: () => Math.max(0, deadline - clock.monotonic()),
    signal,
    pageUrl: async () => {
      const url = await guardPageUrl(parts, guard, state);
      tokens.add(url.searchParams.get(TOKEN_PARAMETER) ?? "");
      return url.href;
    },
    secrets: () => [...appSecrets(guard.installed.app), ...pageTokens()],
    comeBack: parts.onReturn,
    expireIfDue: () => {
      if (clock.now() >= stateEnd) expire();
    },
    report: (trouble, how = "kept") => {
      if (signal.aborted || troubles.some(({ reason }) => reason === trouble.reason)) return;
      troubles.push(trouble);
      const { reason, hint } = trouble;
      if (how === "kept") warn(hint === null ? reason : `${reason} (${hint})`);
      parts.onReport();
    },
    visited: (id) => {
      note(({ exchanges }) => exchanges.push(id));
      const visited = context.journal.find(id);
      if (visited?.type !== "exchange") return;
      const page = { isCallback: isCallbackOf(context), tokens: pageTokens() };
      for (const leak of guardLeaks(visited, guard.installed.app, page)) warn(leak);
    },
    guessed: (hint) =>
      note((notes) => {
        notes.guess ??= hint;
      }),
    warn,
  };
}

/** The query parameter of the page's address that holds its token (interface 4.2). */
const TOKEN_PARAMETER = "jwtToken";

async function guardPageUrl(
  { context, choices, user }: GuardCaller,
  { key, module, installed: { app } }: LoginGuard,
  state: string,
): Promise<URL> {
  const url = new URL(joinUrl(app.url, module.optionsUrl ?? ""));
  url.searchParams.set(TOKEN_PARAMETER, await moduleToken(context, choices, { app, user, module: key }));
  if (module.type === "redirect") url.searchParams.set("state", state);
  return url;
}
