import type { Logins } from "./login/logins.ts";
import type { VisitContext } from "./visit/page-visitor.ts";

/** What the actions of guards work with. */
export interface GuardContext extends VisitContext {
  readonly logins: Logins;
}
