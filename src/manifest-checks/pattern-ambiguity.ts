/**
 * Whether a regular expression can take exponential time (hardening S23): a repeated part matches the same text in two
 * ways, and something must follow it. The pattern is treated as the automaton of its characters (Glushkov), whose paths
 * are compared in pairs. Unsupported syntax, such as a back reference, counts as harmless.
 */
export function isExplosive(pattern: string): boolean {
  const reader = new PatternReader(pattern);
  const whole = reader.alternatives();
  if (whole === null || !reader.isAtEnd() || reader.places.length > PLACES_LIMIT) return false;
  return reader.loops.some(({ edges, end }) => hasRest(pattern.slice(end)) && isAmbiguous(reader.places, edges));
}

/** The comparison of pairs grows with the fourth power. */
const PLACES_LIMIT = 60;

/** A step from one character of the pattern to the next; two ways to make the same step are two edges. */
type Edge = readonly [from: number, to: number];

/** A part of a pattern, by the positions of its characters. */
interface Part {
  readonly isNullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
  readonly edges: readonly Edge[];
}

interface Loop {
  readonly edges: readonly Edge[];
  /** Index in the pattern after the loop. */
  readonly end: number;
}

const nothing: Part = { isNullable: true, first: [], last: [], edges: [] };

/** Parses a pattern into parts; each method returns null for unsupported syntax. */
class PatternReader {
  /** The source of each character or class. */
  readonly places: string[] = [];
  /** Unbounded repetitions. */
  readonly loops: Loop[] = [];
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  isAtEnd(): boolean {
    return this.#at === this.#pattern.length;
  }

  alternatives(): Part | null {
    let all = this.#sequence();
    while (all !== null && this.#take(/\|/y) !== null) {
      const next = this.#sequence();
      all = next === null ? null : either(all, next);
    }
    return all;
  }

  #take(token: RegExp): string | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#pattern)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  #sequence(): Part | null {
    let all = nothing;
    while (!this.isAtEnd() && !"|)".includes(this.#pattern.charAt(this.#at))) {
      const item = this.#item();
      if (item === null) return null;
      all = joined(all, item);
    }
    return all;
  }

  #item(): Part | null {
    if (this.#take(/\^|\$|\\[bB]/y) !== null) return nothing;
    const atom = this.#atom();
    const quantifier = this.#take(/[*+?]\??|\{\d+(?:,\d*)?\}\??/y);
    if (atom === null || quantifier === null) return atom;
    const isNullable = atom.isNullable || /^(?:[*?]|\{0)/.test(quantifier);
    if (!/^(?:[*+]|\{\d+,\})/.test(quantifier)) return { ...atom, isNullable };
    const edges = [...atom.edges, ...steps(atom.last, atom.first)];
    this.loops.push({ edges, end: this.#at });
    return { ...atom, isNullable, edges };
  }

  #atom(): Part | null {
    if (this.#take(/\((?:\?:|\?<[A-Za-z]\w*>)?(?!\?)/y) !== null) {
      const inner = this.alternatives();
      return this.#take(/\)/y) === null ? null : inner;
    }
    const source = this.#take(/\[(?:\\[\s\S]|[^\]\\])*\]|\\[dDwWsStnrfv\W_]|[^\\()[\]{}|*+?]/y);
    if (source === null) return null;
    const place = this.places.push(source) - 1;
    return { isNullable: false, first: [place], last: [place], edges: [] };
  }
}

function either(one: Part, other: Part): Part {
  return {
    isNullable: one.isNullable || other.isNullable,
    first: [...one.first, ...other.first],
    last: [...one.last, ...other.last],
    edges: [...one.edges, ...other.edges],
  };
}

function joined(one: Part, other: Part): Part {
  return {
    isNullable: one.isNullable && other.isNullable,
    first: one.isNullable ? [...one.first, ...other.first] : one.first,
    last: other.isNullable ? [...one.last, ...other.last] : other.last,
    edges: [...one.edges, ...other.edges, ...steps(one.last, other.first)],
  };
}

function steps(from: readonly number[], to: readonly number[]): Edge[] {
  return from.flatMap((start) => to.map((end): Edge => [start, end]));
}

/** Whether anything must follow a loop: otherwise the first try succeeds. */
function hasRest(rest: string): boolean {
  return rest.replace(/\.\*\??\$?$/, "").replaceAll(/[)*+?]/g, "") !== "";
}

/** Whether two different paths lead from a position back to it over the same text. */
function isAmbiguous(places: readonly string[], edges: readonly Edge[]): boolean {
  const letters = [...new Set([...places.join(""), ..."aA0_- .\n/é"])];
  const accepted = places.map((source) => {
    const one = new RegExp(`^(?:${source})$`);
    return new Set(letters.filter((letter) => one.test(letter)));
  });
  const overlap = (one: number, other: number) =>
    [...(accepted[one] ?? [])].some((letter) => accepted[other]?.has(letter));
  const from = (place: number) => edges.flatMap((edge, id) => (edge[0] === place ? [{ to: edge[1], id }] : []));
  return [...new Set(edges.map(([start]) => start))].some((start) => {
    const seen = new Set<string>();
    const open = [{ one: start, other: start, differ: false }];
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      for (const step of from(pair.one)) {
        for (const twin of from(pair.other)) {
          const differ = pair.differ || step.id !== twin.id;
          const key = `${step.to} ${twin.to} ${differ}`;
          if (seen.has(key) || !overlap(step.to, twin.to)) continue;
          if (differ && step.to === start && twin.to === start) return true;
          seen.add(key);
          open.push({ one: step.to, other: twin.to, differ });
        }
      }
    }
    return false;
  });
}
