/** The two plural fields of a language object (interface 2.3). */
export interface PluralForms {
  readonly pluralCategoryNames: string[];
  readonly pluralRules: string;
}

/** The shape of CLDR's `plurals-type-cardinal`: language -> `pluralRule-count-<category>` -> rule text. */
export type CardinalRules = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A test of `n`: a constant, C source, or tests joined by one operator. */
type Test = boolean | string | { readonly operator: Operator; readonly tests: readonly Test[] };
type Operator = "&&" | "||";

const categories = ["zero", "one", "two", "few", "many", "other"];

/** `<operand> % <modulus> = <ranges>` of UTS #35, part 3, "Plural rules syntax"; deprecated spellings are left out. */
const relationSyntax = /^([nivwftce])(?: % (\d+))? (!?=) (\d+(?:\.\.\d+)?(?:,\d+(?:\.\.\d+)?)*)$/;

/** Two-way tests as gettext catalogues write them, with the truth value as the index. */
const customary: Readonly<Record<string, string>> = { "n==1": "(n != 1)", "n<=1": "(n > 1)" };

/**
 * The plural categories of a language and the C expression that selects one of them for an integer `n >= 0`.
 *
 * A language without rules of its own uses its parent's (`en-GB` those of `en`), otherwise all numbers are `other`.
 * Categories that only fractions use (Czech `many`) keep their place but are never selected.
 *
 * @throws {SyntaxError} if a rule is not in the syntax of UTS #35.
 * @example pluralForms("uk", rules).pluralCategoryNames // ["one", "few", "many", "other"]
 */
export function pluralForms(id: string, rules: CardinalRules): PluralForms {
  const own = ownOrInherited(id, rules);
  const names = categories.filter((category) => category === "other" || ruleKey(category) in own);
  const tests = names.slice(0, -1).map((category) => parseRule(own[ruleKey(category)] ?? ""));
  return { pluralCategoryNames: names, pluralRules: expression(tests) };
}

function ownOrInherited(id: string, rules: CardinalRules): Readonly<Record<string, string>> {
  const own = rules[id];
  if (own !== undefined) return own;
  const end = id.lastIndexOf("-");
  return end === -1 ? {} : ownOrInherited(id.slice(0, end), rules);
}

function ruleKey(category: string): string {
  return `pluralRule-count-${category}`;
}

function parseRule(rule: string): Test {
  const [condition = ""] = rule.split("@");
  const alternatives = condition.trim().split(" or ");
  return join(
    "||",
    alternatives.map((alternative) => join("&&", alternative.split(" and ").map(parseRelation))),
  );
}

function parseRelation(text: string): Test {
  const [, operand = "", modulus, relation, ranges = ""] = relationSyntax.exec(text.trim()) ?? [];
  if (relation === undefined) throw new SyntaxError(`not a CLDR plural relation: "${text}"`);
  const positive = relation === "=";
  const left = modulus === undefined ? "n" : `n%${modulus}`;
  const tests = ranges.split(",").map((range) => {
    const [low = "", high = low] = range.split("..");
    // For an integer, every operand except n and i (its fraction digits, its exponent) is 0.
    if (operand !== "n" && operand !== "i") return (Number(low) === 0) === positive;
    return positive ? within(left, low, high) : outside(left, low, high);
  });
  return join(positive ? "||" : "&&", tests);
}

function within(left: string, low: string, high: string): Test {
  if (low === high) return `${left}==${low}`;
  return low === "0" ? `${left}<=${high}` : join("&&", [`${left}>=${low}`, `${left}<=${high}`]);
}

function outside(left: string, low: string, high: string): Test {
  if (low === high) return `${left}!=${low}`;
  return low === "0" ? `${left}>${high}` : join("||", [`${left}<${low}`, `${left}>${high}`]);
}

/** Joins tests, folding constants and flattening; a single test stays as it is. */
function join(operator: Operator, tests: readonly Test[]): Test {
  const identity = operator === "&&";
  const parts = tests
    .flatMap((test) => (typeof test === "object" && test.operator === operator ? test.tests : [test]))
    .filter((test) => test !== identity);
  if (parts.includes(!identity)) return !identity;
  const [first = identity] = parts;
  return parts.length > 1 ? { operator, tests: parts } : first;
}

/** Nested conditionals over the tests of all categories but the last, which is the remainder. */
function expression(tests: readonly Test[]): string {
  const [first] = tests;
  const usual = tests.length === 1 && typeof first === "string" ? customary[first] : undefined;
  if (usual !== undefined) return usual;
  return tests.reduceRight<string>((rest, test, index) => {
    const fresh = withoutSettled(test, tests.slice(0, index));
    if (fresh === false) return rest;
    return fresh === true ? String(index) : `(${show(fresh)} ? ${index} : ${rest})`;
  }, String(tests.length));
}

/** Drops `n!=1` and the like if an earlier category has covered `n==1`, so that nothing is tested twice. */
function withoutSettled(test: Test, earlier: readonly Test[]): Test {
  const taken = earlier.flatMap((each) => (typeof each === "object" && each.operator === "||" ? each.tests : [each]));
  const settled = taken
    .filter((each) => typeof each === "string" && each.includes("=="))
    .map((each) => String(each).replace("==", "!="));
  const drop = (each: Test): Test => {
    if (typeof each === "object") return join(each.operator, each.tests.map(drop));
    return typeof each === "string" && each.includes("!=") && settled.includes(each) ? true : each;
  };
  return drop(test);
}

function show(test: Test): string {
  if (typeof test !== "object") return String(test);
  return `(${test.tests.map(show).join(` ${test.operator} `)})`;
}
