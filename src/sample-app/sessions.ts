import type { IncomingMessage } from "node:http";
import { cookieOf, setCookie } from "./cookies.ts";
import { createExpiringMap } from "./expiring-map.ts";
import type { Tokens } from "./oauth-client.ts";
import { unguessable } from "./unguessable.ts";

const LIFETIME_MS = 8 * 60 * 60_000;
const LIMIT = 10_000;
const COOKIE = "sample_app_session";

/** A user who is logged in to this app. The tokens never leave it, but for the platform. */
export interface Session {
  tokens: Tokens;
  /** The refresh under way; null if there is none. */
  refreshing: Promise<void> | null;
}

/** Who is logged in, by the cookie of their browser. */
export interface Sessions {
  /** Ends the browser's old session, and returns the Set-Cookie header of a new one. */
  begin(request: IncomingMessage, tokens: Tokens): string;
  find(request: IncomingMessage): Session | undefined;
  end(request: IncomingMessage): void;
}

/** Keeps sessions in memory, for 8 hours each; an app that runs as several processes needs a store that they share. */
export function createSessions(now: () => number = () => performance.now()): Sessions {
  const sessions = createExpiringMap<Session>(LIFETIME_MS, LIMIT, now);
  const end = (request: IncomingMessage) => sessions.delete(cookieOf(request, COOKIE));
  return {
    begin: (request, tokens) => {
      end(request);
      // Always a new id: one that was there before the login may be known to somebody else.
      const id = unguessable();
      sessions.add(id, { tokens, refreshing: null });
      return setCookie(COOKIE, id);
    },
    find: (request) => sessions.get(cookieOf(request, COOKIE)),
    end,
  };
}
