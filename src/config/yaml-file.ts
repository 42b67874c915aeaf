import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";

/** Aliases of aliases double with each line (hardening S24). */
const ALIAS_LIMIT = 100;

/** Both from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

type YamlFile =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The place of the value at a path such as `steps[0].wait`, or of the nearest value around it. */
      readonly placeOf: (path: string) => Place;
    }
  | { readonly ok: false; readonly faults: readonly (Place & { readonly message: string })[] };

/** Reads one YAML 1.2 document, which may be JSON: without duplicate keys, custom tags and `__proto__`. */
export function parseYamlFile(text: string): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error", prettyErrors: false });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const found = [...document.errors, ...document.warnings];
  // Of the other errors, the first causes the rest.
  const unknown = found.find(({ code }) => faultTexts[code] === undefined);
  const deeper = deeperLine(unknown, found, text);
  const errors = found
    .filter((error) => error === unknown || faultTexts[error.code] !== undefined)
    .map((error) => {
      if (error === unknown && deeper !== null)
        return { ...placeAt(deeper), message: tooDeepText(placeAt(error.pos[0])) };
      const { code, message, pos } = error;
      const open = /^Flow (map|sequence)/.test(message)
        ? unclosed(document, text)
        : message.startsWith("Missing closing")
          ? lastQuote(document)
          : null;
      if (open !== null) return { ...placeAt(open), message: `this ${text[open]} is not closed` };
      return { ...placeAt(pos[0]), message: faultTexts[code] ?? yamlText(message) };
    });
  const message = "__proto__ is not allowed as a name";
  const faults = errors.length > 0 ? errors : forbiddenKeys(document).map((at) => ({ ...placeAt(at), message }));
  if (faults.length > 0) return { ok: false, faults };
  try {
    const value: unknown = document.toJS({ maxAliasCount: ALIAS_LIMIT });
    return { ok: true, value, placeOf: (path) => placeAt(offsetOf(document, path)) };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { ok: false, faults: [{ line: 1, column: 1, message: `its aliases cannot be resolved: ${error.message}` }] };
  }
}

/** Errors for which the message of the package is long or unclear. */
const faultTexts: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: "the name occurs a second time",
  MULTIPLE_DOCS: "a second document starts here: put each into its own file",
  TAB_AS_INDENT: "tabs are not allowed for indentation: use spaces",
  RESOURCE_EXHAUSTION: "it is nested too deeply",
  TAG_RESOLVE_FAILED: "a tag is not allowed here",
};

function yamlText(message: string): string {
  return /^Sequence item without -|^All \w+ items must start at the same column/.test(message)
    ? "fits no line above: begin it in the same column as the line that it goes with"
    : `is not valid YAML: ${message.split("\n", 1)[0]}`;
}

type Fault = Document["errors"][number] | Document["warnings"][number];

/**
 * The offset of a name in a line that is indented deeper than the value above it allows: `a: b` and then `  c: d`. YAML
 * reads that as one continued value.
 */
function deeperLine(first: Fault | undefined, all: readonly Fault[], text: string): number | null {
  const { pos } = all.find(({ code }) => code === "MULTILINE_IMPLICIT_KEY") ?? {};
  if (first?.code !== "BLOCK_AS_IMPLICIT_KEY" || pos?.[0] !== first.pos[0]) return null;
  const begin = text.lastIndexOf("\n", pos[1] - 1) + 1;
  return begin <= pos[0] ? null : begin + text.slice(begin).search(/\S/);
}

/** The offset of the last unclosed { or [; null: all are closed. */
function unclosed(document: Document, text: string): number | null {
  let found: number | null = null;
  visit(document, {
    Collection: (_, { flow, range }) => {
      if (flow === true && range && !/[}\]]/.test(text[range[1] - 1] ?? "")) found = range[0];
    },
  });
  return found;
}

/** The offset of the last quoted value: one that is not closed swallows the rest of the text. */
function lastQuote(document: Document): number | null {
  let found: number | null = null;
  visit(document, {
    Scalar: (_, { type, range }) => {
      if (type?.startsWith("QUOTE_") === true && range) found = range[0];
    },
  });
  return found;
}

function tooDeepText({ line }: Place): string {
  return `is indented too far: line ${line} already has a value, so the lines below it must not be indented further than its name`;
}

function forbiddenKeys(document: Document): number[] {
  const offsets: number[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && String(key.value) === "__proto__") offsets.push(key.range?.[0] ?? 0);
    },
  });
  return offsets;
}

/** Follows a path as far as it leads; the place of a member is that of its name. */
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
