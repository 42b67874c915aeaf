import type { Choices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { secretsOf } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import { Redactor } from "../journal/redact.ts";
import type { SimulatorContext } from "./context.ts";

/** Finds the exchanges of a result, and redacts secrets in them. */
export interface ResultEvidence {
  readonly find: (id: string) => Exchange | null;
  readonly redactor: Redactor;
}

/** For a result that was read from JSON, or that nothing was sent for. */
export const noEvidence: ResultEvidence = { find: () => null, redactor: new Redactor([]) };

/** Where a result came from. */
export interface RunEvidence extends ResultEvidence {
  readonly secrets: readonly string[];
  readonly journal: Journal;
  readonly config: Config;
  readonly choices: Choices;
}

const evidence = Symbol.for("app-sim.evidence");

/**
 * Attaches to a result, and to each object in its lists, the exchanges that it names, so that assertions can show them.
 * The member is not enumerable: it is not part of the result's data.
 */
export function withEvidence<Result>(result: Result, { journal, config, choices }: SimulatorContext): Result {
  if (typeof result !== "object" || result === null) return result;
  const find = (id: string) => {
    const record = journal.find(id);
    return record?.type === "exchange" ? record : null;
  };
  const secrets = secretsOf(config);
  const value: RunEvidence = { find, redactor: new Redactor(secrets), secrets, journal, config, choices };
  const elements = Object.values(result).flatMap((member: unknown) => (Array.isArray(member) ? member : []));
  for (const object of [result, ...elements]) {
    if (typeof object !== "object" || object === null || !Object.isExtensible(object)) continue;
    Object.defineProperty(object, evidence, { value, configurable: true });
  }
  return result;
}

/** Where the exchanges of a result are; null if no simulator in this process made it. */
export function evidenceOfResult(result: object): RunEvidence | null {
  return (result as { readonly [evidence]?: RunEvidence })[evidence] ?? null;
}
