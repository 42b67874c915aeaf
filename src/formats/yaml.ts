import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from "yaml";
import { invalidFile, lineAt } from "./invalid-file.ts";
import { fileOfEntries, type KeyEntry, type KeyNode } from "./key-tree.ts";
import type { ParsedFile, SourceText } from "./parsed-file.ts";

/** More than any real file has; aliases of aliases double with each line (hardening S24). */
const VALUES_LIMIT = 500_000;
const DEPTH_LIMIT = 64;

/** A YAML 1.2 file: as Rails has it, or any nested keys; comments before a key are its context. */
export function parseYaml(source: SourceText): ParsedFile {
  const document = parseDocument(source.text, { uniqueKeys: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) {
    const fault = error.code === "RESOURCE_EXHAUSTION" ? "it is nested too deep" : error.message;
    throw invalidFile(source, error.linePos?.[0].line ?? null, fault.split(/ at line \d|\n/)[0] ?? "");
  }
  if (!isMap(document.contents)) throw invalidFile(source, null, "expected a map of keys and texts");
  return fileOfEntries(entriesOf(document, source), source.language);
}

function entriesOf(document: Document, source: SourceText): readonly KeyEntry[] {
  const targets = aliasTargets(document);
  let values = 0;
  const nodeOf = (node: unknown, depth: number, context?: string): KeyNode => {
    values += 1;
    if (values > VALUES_LIMIT)
      throw invalidFile(source, null, `its aliases unfold to more than ${VALUES_LIMIT} values`);
    if (depth > DEPTH_LIMIT) throw invalidFile(source, lineOf(node), `it is nested deeper than ${DEPTH_LIMIT} levels`);
    if (isAlias(node)) {
      const target = targets.get(node);
      if (target === undefined) throw invalidFile(source, lineOf(node), `the alias *${node.source} has no anchor`);
      return nodeOf(target, depth + 1, context);
    }
    if (isMap(node))
      return {
        kind: "map",
        entries: node.items.flatMap((pair, index) => entryOf(pair, depth, index === 0 ? node.commentBefore : null)),
      };
    if (isSeq(node)) return { kind: "list", items: node.items.map((item) => nodeOf(item, depth + 1)) };
    if (isScalar(node) && typeof node.value === "string") return { kind: "text", text: node.value, context };
    return { kind: "other", what: kindOf(isScalar(node) ? node.value : null) };
  };
  /** A comment above the first key of a map is the map's. */
  const entryOf = ({ key, value }: Pair, depth: number, above: string | null | undefined): KeyEntry[] => {
    if (!isScalar(key)) throw invalidFile(source, lineOf(key), "expected a text as key");
    const name = key.source ?? String(key.value);
    const comments = [above, key.commentBefore, isScalar(value) ? value.comment : null];
    const context = comments.flatMap((comment) => comment?.trim() || []).join("\n") || undefined;
    const node = nodeOf(value, depth + 1, context?.replaceAll(/\n[ \t]+/g, "\n"));
    // YAML 1.1's merge key, which Rails files still use: what it brings stands first, so that own keys win.
    return name === "<<" && node.kind === "map" ? [...node.entries] : [[name, node]];
  };
  const lineOf = (node: unknown) => (isNode(node) ? lineAt(source.text, node.range?.[0] ?? 0) : null);
  const root = nodeOf(document.contents, 0);
  return root.kind === "map" ? root.entries : [];
}

/** What each alias stands for, found in one walk: the package looks through the whole file for every one. */
function aliasTargets(document: Document): ReadonlyMap<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  visit(document, {
    Node: (_, node) => {
      const target = isAlias(node) ? anchors.get(node.source) : undefined;
      if (target !== undefined) targets.set(node, target);
      if (!isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "object" ? "a binary value" : `a ${typeof value}`;
}
