import { secretsOf } from "../config/secrets.ts";
import type { Exchange } from "../journal/exchange.ts";
import type { SimulatorContext } from "./context.ts";

/** Where the exchanges of a result are found, and what must not be shown of them. */
export interface ResultEvidence {
  readonly find: (id: string) => Exchange | null;
  readonly secrets: readonly string[];
}

const evidence = Symbol.for("app-sim.evidence");

/**
 * Lets a result, and each object in its lists, lead to the exchanges that it names, so that an assertion can show them.
 * The member is not enumerable: it is no part of the result as data.
 */
export function withEvidence<Result>(result: Result, { journal, config }: SimulatorContext): Result {
  if (typeof result !== "object" || result === null) return result;
  const secrets = secretsOf(config);
  const find = (id: string) => {
    const record = journal.find(id);
    return record?.type === "exchange" ? record : null;
  };
  const elements = Object.values(result).flatMap((value: unknown) => (Array.isArray(value) ? value : []));
  for (const object of [result, ...elements]) {
    if (typeof object !== "object" || object === null || !Object.isExtensible(object)) continue;
    Object.defineProperty(object, evidence, { value: { find, secrets }, configurable: true });
  }
  return result;
}

/** Where the exchanges of a result are found; null for what no simulator of this process made. */
export function evidenceOfResult(result: object): ResultEvidence | null {
  return (result as { readonly [evidence]?: ResultEvidence })[evidence] ?? null;
}
