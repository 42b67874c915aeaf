import type { SimulatorContext } from "../../platform/context.ts";
import type { GuardResult } from "../guard-result.ts";

/** Writes the end of a login into the journal. */
export function recordLogin({ journal, ids, clock }: SimulatorContext, result: GuardResult): void {
  const { user, outcome, deniedBy, reason, stages } = result;
  const exchanges = stages.flatMap((stage) => stage.exchanges);
  const at = new Date(clock.now()).toISOString();
  journal.append({ type: "login", id: ids.next(), at, user, outcome, deniedBy, reason, exchanges });
}
