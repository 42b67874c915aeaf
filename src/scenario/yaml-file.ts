import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import type { Problem } from "../protocol/usage-error.ts";

/** More than any real file has; aliases of aliases double with each line (hardening S24). */
const ALIAS_LIMIT = 100;

/** Where something stands in a file, both from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** What a YAML file says, or everything that is wrong with it; problems have no path, but a place. */
export type YamlFile =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** Where the value at a path such as `steps[0].wait` stands, or else what holds it. */
      readonly placeOf: (path: string) => Place;
    }
  | { readonly ok: false; readonly faults: readonly (Place & Pick<Problem, "message">)[] };

/** Reads one YAML 1.2 document, of which JSON is a part: no key twice, no tags of one's own, no `__proto__`. */
export function parseYamlFile(text: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error", prettyErrors: false });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const faults = [...document.errors, ...document.warnings].map(({ code, message, pos: [offset] }) => ({
    ...placeAt(offset),
    message: faultTexts[code] ?? `is not valid YAML: ${message.split("\n", 1)[0]}`,
  }));
  if (faults.length > 0) return { ok: false, faults };
  const forbidden = forbiddenKeys(document).map((offset) => ({
    ...placeAt(offset),
    message: "__proto__ is not allowed as a name",
  }));
  if (forbidden.length > 0) return { ok: false, faults: forbidden };
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIAS_LIMIT });
    return { ok: true, value, placeOf: (path) => placeAt(offsetOf(document, path)) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const message = `its aliases cannot be unfolded: ${error.message}`;
    return { ok: false, faults: [{ line: 1, column: 1, message }] };
  }
}

/** What the package says at length, or in words of its own. */
const faultTexts: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "the name stands here a second time",
  MULTIPLE_DOCS: "a second document begins here: put each scenario into a file of its own",
  TAB_AS_INDENT: "a tab cannot indent: use spaces",
  RESOURCE_EXHAUSTION: "it is nested too deep",
  TAG_RESOLVE_FAILED: "a tag is not allowed here",
};

function forbiddenKeys(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && String(key.value) === "__proto__") offsets.push(key.range?.[0] ?? 0);
    },
  });
  return offsets;
}

/** Follows a path as far as it leads; a member stands where its name does. */
function offsetOf(document: Document, path: string): number {
  let node = resolved(document, document.contents);
  let offset = node?.range?.[0] ?? 0;
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === name);
      if (pair === undefined) return offset;
      offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = resolved(document, pair.value);
    } else if (isSeq(node)) {
      const item = node.items[Number(name)];
      if (item === undefined) return offset;
      node = resolved(document, item);
      offset = node?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

function resolved(document: Document, node: unknown): Node | null {
  const target = isAlias(node) ? node.resolve(document) : node;
  return isMap(target) || isSeq(target) || isScalar(target) ? target : null;
}
