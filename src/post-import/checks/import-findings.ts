import { clip } from "../../protocol/harmless.ts";
import type { ImportFinding } from "../import-result.ts";

/** Further findings of one check are only counted. */
const LISTED_FINDINGS = 100;

/** Longer texts are truncated: any name in an answer may be as long as the answer. */
const TEXT_CHARACTERS = 2000;

/** The findings of one import, in bounded memory. */
export class ImportFindings {
  readonly #listed: ImportFinding[] = [];
  readonly #counts = new Map<string, number>();
  /** The first one that fails the import. */
  fault: ImportFinding | null = null;
  /** How many fail the import. */
  faults = 0;

  add(...findings: readonly ImportFinding[]): void {
    for (const finding of findings) {
      const count = (this.#counts.get(finding.check) ?? 0) + 1;
      this.#counts.set(finding.check, count);
      if (count <= LISTED_FINDINGS) this.#listed.push(shortened(finding));
      if (finding.result !== "fail") continue;
      this.fault ??= shortened(finding);
      this.faults++;
    }
  }

  /** In order; for a check with very many, the first ones, and a count of the rest. */
  list(): ImportFinding[] {
    const rests = [...this.#counts].flatMap(([check, count]) => {
      const last = this.#listed.findLast((finding) => finding.check === check);
      const more = count - LISTED_FINDINGS;
      if (more <= 0 || last === undefined) return [];
      const message = `${more} more findings of this kind`;
      return [{ ...last, path: "data.strings", value: null, identifier: null, message, notKept: more }];
    });
    return [...this.#listed, ...rests];
  }
}

function shortened(finding: ImportFinding): ImportFinding {
  const { path, message, value, identifier } = finding;
  return {
    ...finding,
    path: clip(path, TEXT_CHARACTERS),
    message: clip(message, TEXT_CHARACTERS),
    value: shortValue(value),
    identifier: identifier && clip(identifier, TEXT_CHARACTERS),
  };
}

/** A value as it is, or the beginning of its JSON. */
function shortValue(value: unknown): unknown {
  if (typeof value === "string") return clip(value, TEXT_CHARACTERS);
  const json = JSON.stringify(value) ?? "";
  return json.length > TEXT_CHARACTERS ? clip(json, TEXT_CHARACTERS) : value;
}
