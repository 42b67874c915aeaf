import { pathText } from "../protocol/problems.ts";
import { choiceDefinitions } from "./choices.ts";

/** A part of the configuration and where it comes from. */
export interface Layer {
  /** For people: `default`, `file app-sim.config.json`, `env APP_SIM_APP`, `flag --app`. */
  readonly origin: string;
  readonly value: Tree;
}

type Tree = { readonly [key: string]: unknown };

export interface MergedLayers {
  readonly value: Record<string, unknown>;
  /** The origin of each leaf value, by path, in the order of the value. */
  readonly origins: ReadonlyMap<string, string>;
}

interface Sourced {
  value: unknown;
  origin: string;
}
type SourcedTree = Sourced | SourcedTree[] | { [key: string]: SourcedTree };

/** Lists whose elements are completed from the first default element instead of replacing it. */
const completedLists: readonly string[] = ["apps", "projects"];

/**
 * Merges the layers, later ones taking precedence. Objects are merged key by key; a list replaces the one below, except
 * that elements of `apps` and `projects` are merged with the element below them, or with the first element of the
 * bottom layer if there is none.
 */
export function mergeLayers(layers: readonly Layer[]): MergedLayers {
  let merged: SourcedTree = {};
  for (const { origin, value } of layers) merged = lay(merged, sourced(value, origin), "");
  const origins = new Map<string, string>();
  const value = unwrap(merged, [], origins) as Record<string, unknown>;
  return { value, origins };
}

/**
 * The part of a layer that the layers above it leave in effect, as a layer of its own: in each section, the members
 * that nothing above has changed. A list counts only as a whole.
 */
export function standing({ origins }: MergedLayers, origin: string, sections: Tree): Layer {
  const stands = (path: string) =>
    [...origins].every(([leaf, from]) => from === origin || !(leaf === path || /^[.[]/.test(rest(leaf, path))));
  const kept = Object.entries(sections).flatMap(([name, section]) => {
    if (!isTree(section)) return stands(name) ? [[name, section] as const] : [];
    const members = Object.entries(section).filter(([member]) => stands(`${name}.${member}`));
    return members.length === 0 ? [] : [[name, Object.fromEntries(members)] as const];
  });
  return { origin, value: Object.fromEntries(kept) };
}

/** The rest of a leaf's path after a parent's path; "" if the leaf is not below it. */
function rest(leaf: string, path: string): string {
  return leaf.startsWith(path) ? leaf.slice(path.length) : "";
}

function sourced(value: unknown, origin: string, isLeaf = false): SourcedTree {
  if (isLeaf) return { value, origin };
  if (Array.isArray(value) && value.length > 0 && value.every(isTree))
    return value.map((element) => sourced(element, origin));
  if (isTree(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, sourced(child, origin, Object.hasOwn(choiceDefinitions, key))]),
    );
  }
  return { value, origin } satisfies Sourced;
}

function lay(below: SourcedTree | undefined, above: SourcedTree, key: string): SourcedTree {
  if (Array.isArray(above)) {
    if (!Array.isArray(below) || !completedLists.includes(key)) return above;
    return above.map((element, index) => lay(below[index] ?? below[0], element, ""));
  }
  if (isSourced(above) || below === undefined || isSourced(below) || Array.isArray(below)) return above;
  const result = { ...below };
  for (const [name, child] of Object.entries(above)) result[name] = lay(below[name], child, name);
  return result;
}

function unwrap(tree: SourcedTree, path: readonly PropertyKey[], origins: Map<string, string>): unknown {
  if (Array.isArray(tree)) return tree.map((element, index) => unwrap(element, [...path, index], origins));
  if (isSourced(tree)) {
    origins.set(pathText(path), tree.origin);
    return tree.value;
  }
  return Object.fromEntries(Object.entries(tree).map(([key, child]) => [key, unwrap(child, [...path, key], origins)]));
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSourced(tree: SourcedTree): tree is Sourced {
  return typeof (tree as Sourced).origin === "string" && "value" in tree;
}
