import type { Verdict } from "../checking/check.ts";
import type { Exchange } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";

/** Says which guard accepted the code of another one: the fault is there, and not in the guard that issued the code. */
export function acceptedBy(call: Exchange): Partial<Verdict> {
  const key = calledGuard(call);
  return {
    reason: `the guard ${key} let the user in with a code of this guard's page`,
    hint: `In the guard ${key}, look up a code together with the key of that guard, and refuse the codes of other guards.`,
  };
}

/** The key of the guard that a correct call went to. */
export function calledGuard({ request }: Exchange): string {
  const { moduleKey } = JSON.parse(bodyText(request.body)) as { readonly moduleKey: string };
  return moduleKey;
}
