import jsep from "jsep";

/** More than any language's expression needs; a longer one could be nested too deeply to be parsed. */
const MAX_CHARACTERS = 2000;

/** The binary operators of C. A comparison is 1 or 0, as in C. */
const operators: ReadonlyMap<string, (left: number, right: number) => number> = new Map([
  ["||", (left, right) => Number(left !== 0 || right !== 0)],
  ["&&", (left, right) => Number(left !== 0 && right !== 0)],
  ["==", (left, right) => Number(left === right)],
  ["!=", (left, right) => Number(left !== right)],
  ["<", (left, right) => Number(left < right)],
  ["<=", (left, right) => Number(left <= right)],
  [">", (left, right) => Number(left > right)],
  [">=", (left, right) => Number(left >= right)],
  ["+", (left, right) => left + right],
  ["-", (left, right) => left - right],
  ["*", (left, right) => left * right],
  ["/", (left, right) => Math.trunc(left / right)],
  ["%", (left, right) => left % right],
]);

/**
 * Parses a plural expression in C over the integer `n`: `pluralRules` of a language (interface 2.3), or the plural of
 * `Plural-Forms` in a PO file.
 *
 * @returns a function from `n` to the index of the plural form, which is not an integer if the expression has no value;
 * null for a text that is not such an expression
 */
export function pluralIndex(text: string): ((n: number) => number) | null {
  const expression = parse(text);
  if (expression === null || Number.isNaN(evaluate(expression, 1))) return null;
  return (n) => evaluate(expression, n);
}

function parse(text: string): jsep.Expression | null {
  try {
    return text.length > MAX_CHARACTERS ? null : jsep(text);
  } catch {
    return null;
  }
}

/** NaN for everything that does not occur in plural expressions. */
function evaluate(expression: jsep.Expression, n: number): number {
  const node = expression as jsep.CoreExpression;
  switch (node.type) {
    case "Literal":
      return typeof node.value === "number" ? node.value : Number.NaN;
    case "Identifier":
      return node.name === "n" ? n : Number.NaN;
    case "UnaryExpression": {
      const value = evaluate(node.argument, n);
      return node.operator === "!" ? Number(value === 0) : node.operator === "-" ? -value : Number.NaN;
    }
    case "BinaryExpression":
      return operators.get(node.operator)?.(evaluate(node.left, n), evaluate(node.right, n)) ?? Number.NaN;
    case "ConditionalExpression":
      return evaluate(evaluate(node.test, n) === 0 ? node.alternate : node.consequent, n);
    default:
      return Number.NaN;
  }
}
