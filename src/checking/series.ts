import type { Exchange } from "../journal/exchange.ts";
import type { CheckFacts, Evidence, TrialCheck, Verdict } from "./check.ts";
import type { Reply } from "./reply.ts";
import type { RequestParts } from "./request-parts.ts";
import { faulty, NO_DECISION, NOTHING_TO_CHANGE, PASSED, skipVerdict, undecided } from "./verdict.ts";

/** What a correct app does with each request of a series; `decided`: it accepts or refuses it, but does not break. */
type Wanted = "accepted" | "refused" | "decided";

/** A check with several requests, each with a name and a correct answer. */
export interface Series extends CheckFacts {
  readonly right: Wanted;
  /** The requests by name, in order, made from correct ones, which the parameter provides. */
  readonly requests: (prepare: () => Promise<RequestParts>) => Promise<Readonly<Record<string, RequestParts | null>>>;
  /** Why a correct app may answer a request differently; null: it may not. Such answers alone prove nothing. */
  readonly pardon?: (exchange: Exchange) => string | null;
}

/** The role of correct requests between wrong ones: some apps block callers who send only wrong ones. */
const BETWEEN = "correct, in between";
/** How many wrong requests are sent without a correct one. */
const MOST_IN_A_ROW = 5;

/** A check that sends requests one after another, and judges each separately. */
export function seriesCheck({ right, requests, pardon = () => null, ...facts }: Series): TrialCheck {
  return {
    ...facts,
    async run({ prepare, send }) {
      const named = Object.entries(await requests(prepare));
      const sent = named.flatMap(([name, request]) => (request === null ? [] : [{ name, request }]));
      for (const [index, { name, request }] of sent.entries()) {
        if (right === "refused" && index > 0 && index % MOST_IN_A_ROW === 0) await send(BETWEEN, await prepare());
        await send(name, request);
      }
    },
    judge: (evidence) => judgeSeries(facts, right, pardon, evidence),
  };
}

function judgeSeries(
  facts: CheckFacts,
  right: Wanted,
  pardon: (exchange: Exchange) => string | null,
  { steps: all, read }: Evidence,
): Verdict {
  const steps = all.filter(({ role }) => role !== BETWEEN);
  const wrong = steps.filter(({ exchange }) => !isRight(read(exchange), right));
  const faults = wrong.filter(({ exchange }) => pardon(exchange) === null);
  if (faults.length > 0) {
    const says = faults.map(({ role, exchange }) => `${role}: the app ${read(exchange).says}`).join("; ");
    const isUndecided = right === "refused" && faults.every(({ exchange }) => read(exchange).kind === "broken");
    return isUndecided ? undecided(facts, `${says}, ${NO_DECISION}`) : faulty(facts, says);
  }
  const [first] = wrong;
  if (steps.length > wrong.length) return PASSED;
  const pardoned = first === undefined ? null : pardon(first.exchange);
  return pardoned === null ? NOTHING_TO_CHANGE : skipVerdict(pardoned);
}

function isRight({ kind }: Reply, right: Wanted): boolean {
  return right === "decided" ? kind === "accepted" || kind === "refused" : kind === right;
}
