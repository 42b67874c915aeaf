import type { App, User } from "../../config/schema.ts";
import type { IssuedCode } from "../rules/oauth-token.ts";
import { type OneUse, USED } from "../rules/one-use.ts";

/** Of each kind so many are remembered; what is older is not known any more, and so not good. */
const REMEMBERED = 10_000;

/** What one user granted one app: the tokens of a code, and all that came of refreshing them. */
export interface Grant {
  readonly app: App;
  readonly user: User;
  readonly scopes: readonly string[];
  /** Whether the code of the grant was bound by PKCE. */
  readonly isPkce: boolean;
  isRevoked: boolean;
}

/** An authorization code that was issued. */
interface Code extends Omit<IssuedCode, "status">, OneUse {
  readonly grant: Grant;
}

/** A refresh token that was issued. */
export interface RefreshToken extends OneUse {
  readonly grant: Grant;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** An access token that was issued, by its `jti`. */
export interface AccessToken {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  isRevoked: boolean;
}

/** Everything that the authorization server has issued. */
export interface Grants {
  readonly codes: Remembered<Code>;
  readonly refreshTokens: Remembered<RefreshToken>;
  readonly accessTokens: Remembered<AccessToken>;
  /** Revokes every grant of an app: its tokens stop working, and what codes it has cannot be exchanged any more. */
  revokeAll(app: App): void;
}

interface Remembered<Value> {
  add(name: string, value: Value): void;
  find(name: string): Value | null;
  all(): Iterable<Value>;
}

/** Nothing is issued yet. */
export function createGrants(): Grants {
  const codes = remembered<Code>();
  const refreshTokens = remembered<RefreshToken>();
  const accessTokens = remembered<AccessToken>();
  return {
    codes,
    refreshTokens,
    accessTokens,
    revokeAll(app) {
      for (const issued of [codes, refreshTokens, accessTokens]) {
        for (const { grant } of issued.all()) if (grant.app === app) grant.isRevoked = true;
      }
      // A code is judged by its own use: its grant has no tokens yet.
      for (const code of codes.all()) if (code.grant.app === app) Object.assign(code, USED);
    },
  };
}

function remembered<Value>(): Remembered<Value> {
  const values = new Map<string, Value>();
  return {
    add(name, value) {
      values.set(name, value);
      const [oldest] = values.keys();
      if (values.size > REMEMBERED && oldest !== undefined) values.delete(oldest);
    },
    find: (name) => values.get(name) ?? null,
    all: () => values.values(),
  };
}
