import type { Choices } from "../config/choices.ts";
import type { Config } from "../config/schema.ts";
import { secretsOf } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { Journal } from "../journal/journal.ts";
import type { SimulatorContext } from "./context.ts";

/** Where the exchanges of a result are found, and what must not be shown of them. */
export interface ResultEvidence {
  readonly find: (id: string) => Exchange | null;
  readonly secrets: readonly string[];
}

/** What a result came from. */
export interface RunEvidence extends ResultEvidence {
  readonly journal: Journal;
  readonly config: Config;
  readonly choices: Choices;
}

const evidence = Symbol.for("app-sim.evidence");

/**
 * Lets a result, and each object in its lists, lead to the exchanges that it names, so that an assertion can show them.
 * The member is not enumerable: it is no part of the result as data.
 */
export function withEvidence<Result>(result: Result, { journal, config, choices }: SimulatorContext): Result {
  if (typeof result !== "object" || result === null) return result;
  const find = (id: string) => {
    const record = journal.find(id);
    return record?.type === "exchange" ? record : null;
  };
  const value: RunEvidence = { find, secrets: secretsOf(config), journal, config, choices };
  const elements = Object.values(result).flatMap((member: unknown) => (Array.isArray(member) ? member : []));
  for (const object of [result, ...elements]) {
    if (typeof object !== "object" || object === null || !Object.isExtensible(object)) continue;
    Object.defineProperty(object, evidence, { value, configurable: true });
  }
  return result;
}

/** Where the exchanges of a result are found; null for what no simulator of this process made. */
export function evidenceOfResult(result: object): RunEvidence | null {
  return (result as { readonly [evidence]?: RunEvidence })[evidence] ?? null;
}
