import type { Clock } from "../../app-client/ports.ts";
import type { App, User } from "../../config/schema.ts";
import type { AuthorizationRequest } from "../rules/oauth-authorize.ts";
import type { Challenge } from "../rules/pkce.ts";

/** How many codes and tokens of each kind are kept; older ones count as unknown. */
const MAX_ISSUED = 10_000;
/** How many authorization requests may wait for their user; a browser that reloads forever cannot add more. */
const MAX_PENDING = 1000;

/** What one user granted to one app: covers the tokens issued for a code, and all tokens refreshed from them. */
export interface Grant {
  readonly app: App;
  readonly user: User;
  readonly scopes: readonly string[];
  /** Whether the grant's code was bound by PKCE. */
  readonly isPkce: boolean;
  isRevoked: boolean;
}

/** A time by both clocks: the platform's can be set or stopped, the monotonic one cannot. */
export interface ClockReading {
  /** Milliseconds of the monotonic clock. */
  readonly monotonic: number;
  /** Milliseconds since the epoch, by the platform's clock. */
  readonly now: number;
}

/** The current time. */
export function readClock(clock: Pick<Clock, "now" | "monotonic">): ClockReading {
  return { monotonic: clock.monotonic(), now: clock.now() };
}

/** The state of a code or refresh token, which is valid for one use. */
export interface SingleUse {
  readonly grant: Grant;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  isTaken: boolean;
  /** When the request that used it was answered; null: not yet. */
  answeredAt: ClockReading | null;
}

export const UNUSED = { isTaken: false, answeredAt: null } as const;
const LONG_AGO = { monotonic: Number.NEGATIVE_INFINITY, now: Number.NEGATIVE_INFINITY };
export const USED = { isTaken: true, answeredAt: LONG_AGO } as const;

/**
 * The status for a request. Of two concurrent requests, the second gets `in-use`, however long the first takes. When a
 * request was sent is unknown: one that arrives up to `graceMs` after the answer may have crossed it, so it gets
 * `in-use`, too. A later one, by either clock, gets `used`.
 * @param arrivedAt when the request arrived
 */
export function statusOfUse(
  { isTaken, answeredAt }: Pick<SingleUse, "isTaken" | "answeredAt">,
  arrivedAt: ClockReading,
  graceMs: number,
): "unused" | "in-use" | "used" {
  if (!isTaken) return "unused";
  if (answeredAt === null) return "in-use";
  const elapsed = Math.max(arrivedAt.monotonic - answeredAt.monotonic, arrivedAt.now - answeredAt.now);
  return elapsed > graceMs ? "used" : "in-use";
}

export interface Code extends SingleUse {
  /** null: the code came with an installation event, without a redirect. */
  readonly redirectUri: string | null;
  readonly challenge: Challenge | null;
  /** Lifetime in seconds of the access token of its exchange, if not the usual one. */
  tokenLifetime?: number;
}

/** An access token that was issued, by its `jti`. */
export interface AccessToken {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  isRevoked: boolean;
}

/** The question to the user: whether this app may act on their behalf. */
export interface Consent {
  /** Unguessable; names the request, whose state stays here. */
  readonly id: string;
  readonly app: App;
  readonly request: AuthorizationRequest;
  readonly warnings: readonly string[];
}

/** Everything that the authorization server has issued, and what users have yet to decide. */
export class Grants {
  readonly codes = new Store<Code>(MAX_ISSUED);
  readonly refreshTokens = new Store<SingleUse>(MAX_ISSUED);
  readonly accessTokens = new Store<AccessToken>(MAX_ISSUED);
  readonly pending = new Store<{ readonly consent: Consent; readonly expiresAt: number }>(MAX_PENDING);

  /** Forgets everything. */
  clear(): void {
    for (const store of [this.codes, this.refreshTokens, this.accessTokens, this.pending]) store.clear();
  }

  /** Revokes every grant of an app: its tokens stop working, and its codes can no longer be exchanged. */
  revokeAll(app: App): void {
    for (const issued of [this.codes, this.refreshTokens, this.accessTokens]) {
      for (const { grant } of issued.all()) if (grant.app.clientId === app.clientId) grant.isRevoked = true;
    }
    // A code is judged by its own use, because its grant has no tokens yet.
    for (const code of this.codes.all()) if (code.grant.app.clientId === app.clientId) Object.assign(code, USED);
  }
}

/** A map of limited size that forgets its oldest values. */
class Store<Value> {
  readonly #values = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(name: string, value: Value): void {
    this.#values.set(name, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#limit && oldest !== undefined) this.#values.delete(oldest);
  }

  find(name: string): Value | null {
    return this.#values.get(name) ?? null;
  }

  /** Finds a value and forgets it. */
  take(name: string): Value | null {
    const value = this.find(name);
    this.#values.delete(name);
    return value;
  }

  entries(): Iterable<[string, Value]> {
    return this.#values.entries();
  }

  clear(): void {
    this.#values.clear();
  }

  all(): Iterable<Value> {
    return this.#values.values();
  }
}
