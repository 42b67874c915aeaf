import { clip } from "../../protocol/harmless.ts";
import type { ImportFinding } from "./import-rules.ts";

/** Of one check, findings beyond these are only counted. */
const LISTED_FINDINGS = 100;

/** Longer texts are cut: whatever an app names may be as long as an answer. */
const TEXT_CHARACTERS = 2000;

function shortened(finding: ImportFinding): ImportFinding {
  const { path, message, value, identifier } = finding;
  return {
    ...finding,
    path: clip(path, TEXT_CHARACTERS),
    message: clip(message, TEXT_CHARACTERS),
    value: shortValue(value),
    identifier: identifier === null ? null : clip(identifier, TEXT_CHARACTERS),
  };
}

/** A value as it is, or the beginning of its JSON. */
function shortValue(value: unknown): unknown {
  if (typeof value === "string") return clip(value, TEXT_CHARACTERS);
  const text = JSON.stringify(value) ?? "";
  return text.length > TEXT_CHARACTERS ? clip(text, TEXT_CHARACTERS) : value;
}

/** The findings of one import, however many there are. */
export interface ImportFindings {
  add(...findings: readonly ImportFinding[]): void;
  /** The first one that fails the import. */
  readonly fault: ImportFinding | null;
  /** How many fail the import. */
  readonly faults: number;
  /** As they came; of a check with very many, the first ones, and how many more there are. */
  list(): ImportFinding[];
}

export function collectFindings(): ImportFindings {
  const listed: ImportFinding[] = [];
  const counts = new Map<string, number>();
  let fault: ImportFinding | null = null;
  let faults = 0;
  return {
    add(...findings) {
      for (const finding of findings) {
        const count = (counts.get(finding.check) ?? 0) + 1;
        counts.set(finding.check, count);
        if (count <= LISTED_FINDINGS) listed.push(shortened(finding));
        if (finding.result !== "fail") continue;
        fault ??= shortened(finding);
        faults++;
      }
    },
    get fault() {
      return fault;
    },
    get faults() {
      return faults;
    },
    list() {
      const rests = [...counts].flatMap(([check, count]) => {
        const last = listed.findLast((finding) => finding.check === check);
        const more = count - LISTED_FINDINGS;
        if (more <= 0 || last === undefined) return [];
        return [
          {
            ...last,
            path: "data.strings",
            value: null,
            identifier: null,
            message: `${more} more findings of this kind`,
            notKept: more,
          },
        ];
      });
      return [...listed, ...rests];
    },
  };
}
