import type { Trial } from "../checking/check.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import type { InstalledGuard, Person } from "./call.ts";

/** How a guard treats people on the first call. */
export interface GuardPeople {
  /** Somebody who is let in; null: nobody is. */
  readonly passes: Person | null;
  /** Somebody who is denied, or asked to interact; null: nobody is. */
  readonly asked: Person | null;
}

/** How a guard should treat people on the first call. */
export interface ConfiguredPeople {
  readonly lets: Person | null;
  readonly denies: Person | null;
  /** Whether the configuration says how its page is passed, so that somebody has to be sent there. */
  readonly isPagePassed: boolean;
  /** Whether the guard has a page, which a login that is not let in at once goes on to. */
  readonly hasPage: boolean;
}

/** What the checks of guards may do beside what every trial may. */
export interface GuardTrial extends Trial {
  readonly people: GuardPeople;
  /** Of whom the configuration says that they are let in at the first call, and that they are not; and of its page. */
  readonly configured: ConfiguredPeople;
  /** A right request, with a token of its own, about this person; to another guard where one is named. */
  request(person: Person, code: string | null, guard?: InstalledGuard): Promise<RequestParts>;
  /** What the app cannot have issued. */
  madeUp(): string;
  /** The id of a user of whom the app never heard. */
  number(): number;
}

/** What the checks of the final call may do as well. */
export interface FinalTrial extends GuardTrial {
  /** Who walks the page. */
  readonly walker: Person;
  /** Another user; null: there is none. */
  readonly otherUser: Person | null;
  /** Users of whom the app knows nothing but that they were asked before: they never opened the page. */
  readonly newcomers: readonly Person[];
  /** A user whom the guard asked, and as whom nobody passes the page; null: there is none. */
  readonly visitor: Person | null;
  /** Opens the page of a login in a person's place, and leaves it. */
  visit(person: Person): Promise<void>;
  /** Walks the page in a person's place as it is failed; false: it is not known how. */
  failPage(person: Person): Promise<boolean>;
  /** The other guards of the same app. */
  readonly otherGuards: readonly InstalledGuard[];
}
