import type { Trial } from "../checking/check.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import type { User } from "../config/schema.ts";
import type { InstalledGuard, Person } from "./call.ts";

/** How a guard treats people on the first call. */
export interface GuardPeople {
  /** Somebody who is let in; null: nobody is. */
  readonly passes: Person | null;
  /** Somebody who is denied, or asked to interact; null: nobody is. */
  readonly asked: Person | null;
  /** Somebody who is answered 401 or 403, although others are let in; null: nobody is. */
  readonly turnedAway: Person | null;
  /** The user who is let in, at an address from which the guard does not let this user in; null: none is known. */
  readonly elsewhere: Person | null;
  /** Another user, whom the guard does not let in from where that user is let in; null: none is known. */
  readonly outsider: Person | null;
  /** Another user than `asked`, whom the guard lets in from the same address; null: none is known, or not needed. */
  readonly insider: Person | null;
}

/** How a guard should treat people on the first call. */
export interface ConfiguredPeople {
  readonly lets: Person | null;
  readonly denies: Person | null;
  /** Whether the configuration says how to pass its page: then the guard must send somebody there. */
  readonly isPagePassed: boolean;
  /** Whether the guard has a page, to which a login goes on if it is not let in immediately. */
  readonly hasPage: boolean;
}

/** What the checks of guards can do in addition to every trial. */
export interface GuardTrial extends Trial {
  readonly people: GuardPeople;
  /** A configured user of each role. */
  readonly users: readonly User[];
  /** What the configuration says about people and the page. */
  readonly configured: ConfiguredPeople;
  /** A correct request about this person, with a new token; to this guard by default. */
  request(person: Person, code: string | null, guard?: InstalledGuard): Promise<RequestParts>;
  /** A value that the app cannot have issued. */
  madeUp(): string;
  /** The id of a user unknown to the app. */
  number(): number;
}

/** What the checks of the final call can do in addition. */
export interface FinalTrial extends GuardTrial {
  /** The person who walks the page. */
  readonly walker: Person;
  /** Another user; null: there is none. */
  readonly otherUser: Person | null;
  /** Users who were asked before, but never opened the page. */
  readonly newcomers: readonly Person[];
  /** A user whom the guard asked, but who never passes the page; null: there is none. */
  readonly visitor: Person | null;
  /** Opens the page of a login as this person, and leaves it. */
  visit(person: Person): Promise<void>;
  /** Walks the page as this person, and fails; false: it is unknown how. */
  failPage(person: Person): Promise<boolean>;
  /** Walks the page as this person, with other passwords than the configured ones; false: there are none, or they pass. */
  mistype(person: Person): Promise<boolean>;
  /**
   * Passes the page as this person.
   * @returns the code; null: there is none, or the page needs a browser
   */
  passPage(person: Person): Promise<string | null>;
  /**
   * Passes the page as the walker, with the token of another guard.
   * @returns the code; null: there is none, or that guard's own page is passed the same way
   */
  passPageAs(other: InstalledGuard): Promise<string | null>;
  /** The other guards of the same app. */
  readonly otherGuards: readonly InstalledGuard[];
}
