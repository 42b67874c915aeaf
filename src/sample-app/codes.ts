import { createExpiringMap } from "./expiring-map.ts";
import { isSamePerson, type Person } from "./token.ts";
import { unguessable } from "./unguessable.ts";

const LIFETIME_MS = 2 * 60_000;
const LIMIT = 10_000;

/** What a code is good for: this module's final call about this user of this organization. */
export interface CodeHolder extends Person {
  readonly moduleKey: string;
}

/** The codes that this app has handed out and that wait for their final call (interface 3.1). */
export interface Codes {
  /** Makes a code that nobody can guess. */
  issue(holder: CodeHolder): string;
  /** True once for each code, within 2 minutes, and for its own holder only. */
  redeem(code: string, holder: CodeHolder): boolean;
}

/** Keeps codes in memory; an app that runs as several processes needs a store that they share. */
export function createCodes(now: () => number = () => performance.now()): Codes {
  const holders = createExpiringMap<CodeHolder>(LIFETIME_MS, LIMIT, now);
  return {
    issue: ({ userId, organizationId, moduleKey }) => {
      const code = unguessable();
      holders.add(code, { userId, organizationId, moduleKey });
      return code;
    },
    redeem: (code, holder) => {
      const owner = holders.get(code);
      // Somebody else's try does not use the code up: it would lock its owner out.
      if (owner === undefined || owner.moduleKey !== holder.moduleKey || !isSamePerson(owner, holder)) return false;
      // Nothing is awaited between looking and deleting, so of two calls at once only one finds the code.
      holders.delete(code);
      return true;
    },
  };
}
