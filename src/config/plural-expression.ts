/** More than any language needs; what is nested deeper could not be read without an end to the stack. */
const MOST_TOKENS = 1000;

const token = /\s*(\d+|n|\|\||&&|[=!<>]=|[-+*/%<>!?:()])/y;

type Value = (n: number) => number;
type Binary = (left: number, right: number) => number;

/** The operators of C that join two values, those that bind loosest first. Truth is 1 and 0, as in C. */
const levels: readonly Readonly<Record<string, Binary>>[] = [
  { "||": (left, right) => Number(left !== 0 || right !== 0) },
  { "&&": (left, right) => Number(left !== 0 && right !== 0) },
  { "==": (left, right) => Number(left === right), "!=": (left, right) => Number(left !== right) },
  {
    "<": (left, right) => Number(left < right),
    "<=": (left, right) => Number(left <= right),
    ">": (left, right) => Number(left > right),
    ">=": (left, right) => Number(left >= right),
  },
  { "+": (left, right) => left + right, "-": (left, right) => left - right },
  {
    "*": (left, right) => left * right,
    "/": (left, right) => Math.trunc(left / right),
    "%": (left, right) => left % right,
  },
];

/**
 * Reads a C expression over the integer `n`, as `pluralRules` of a language holds it (interface 2.3).
 *
 * @returns its value for an `n`; NaN or an infinity where it divides by 0
 * @throws {SyntaxError} when it is no such expression
 */
export function readPluralExpression(text: string): (n: number) => number {
  const tokens = tokensOf(text);
  let next = 0;
  const take = (wanted: string): boolean => {
    if (tokens[next] !== wanted) return false;
    next++;
    return true;
  };
  const demand = (wanted: string): void => {
    if (!take(wanted)) throw new SyntaxError(`expected ${wanted} ${placeText(tokens, next)}`);
  };

  const conditional = (): Value => {
    const test = binary(0);
    if (!take("?")) return test;
    const yes = conditional();
    demand(":");
    const no = conditional();
    return (n) => (test(n) === 0 ? no(n) : yes(n));
  };
  const binary = (loosest: number): Value => {
    let left = unary();
    for (;;) {
      const operator = tokens[next] ?? "";
      const level = levels.findIndex((operators) => Object.hasOwn(operators, operator));
      const apply = levels[level]?.[operator];
      if (apply === undefined || level < loosest) return left;
      next++;
      const [first, second] = [left, binary(level + 1)];
      left = (n) => apply(first(n), second(n));
    }
  };
  const unary = (): Value => {
    if (take("!")) {
      const value = unary();
      return (n) => Number(value(n) === 0);
    }
    if (take("-")) {
      const value = unary();
      return (n) => -value(n);
    }
    return primary();
  };
  const primary = (): Value => {
    if (take("n")) return (n) => n;
    const number = tokens[next] ?? "";
    if (/^\d/.test(number)) {
      next++;
      return () => Number(number);
    }
    if (!take("(")) throw new SyntaxError(`expected n, a number or ( ${placeText(tokens, next)}`);
    const value = conditional();
    demand(")");
    return value;
  };

  const value = conditional();
  if (next < tokens.length) throw new SyntaxError(`expected an operator ${placeText(tokens, next)}`);
  return value;
}

function tokensOf(text: string): string[] {
  const trimmed = text.trimEnd();
  const tokens: string[] = [];
  for (let at = 0; at < trimmed.length; at = token.lastIndex) {
    token.lastIndex = at;
    const [, found] = token.exec(trimmed) ?? [];
    if (found === undefined)
      throw new SyntaxError(`nothing that a plural expression can hold at "${trimmed.slice(at, at + 10)}"`);
    if (tokens.push(found) > MOST_TOKENS) throw new SyntaxError("too long for a plural expression");
  }
  return tokens;
}

function placeText(tokens: readonly string[], next: number): string {
  return next < tokens.length ? `before "${tokens.slice(next, next + 5).join("")}"` : "at the end";
}
