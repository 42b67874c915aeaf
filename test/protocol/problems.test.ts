import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { didYouMean } from "../../src/protocol/nearest.ts";
import { pathText, problemsOf, valueText } from "../../src/protocol/problems.ts";

/** The problems of `{x: value}` held against `{x: schema}`, as they are printed. */
function lines(schema: z.ZodType, value: unknown): string[] {
  const input = { x: value };
  const { error } = z.object({ x: schema }).safeParse(input);
  return error === undefined ? [] : problemsOf(error, input).map(({ path, message }) => `${path} ${message}`);
}

const edition = z.enum(["enterprise", "standard"]);
const guard = z.discriminatedUnion("type", [
  z.object({ type: z.literal("direct") }),
  z.object({ type: z.literal("redirect"), url: z.string() }),
]);
const texts = z.union([z.string(), z.record(z.string(), z.string())]);

describe("problemsOf", () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ["a missing field", z.object({ y: z.string() }), {}, "x.y is missing: expected a string"],
    ["a missing name", z.object({ y: edition }), {}, 'x.y is missing: allowed: "enterprise", "standard"'],
    [
      "a variable that is not set",
      z.string(),
      undefined,
      "x is undefined (is it read from a variable that is not set?): expected a string",
    ],
    ["a wrong type", z.string(), 5, "x is 5: expected a string"],
    ["null", z.string(), null, "x is null: expected a string"],
    ["an array for an object", z.object({}), [1], "x is [1]: expected an object"],
    ["an array for a record", z.record(z.string(), z.string()), [], "x is []: expected an object"],
    ["an object for an array", z.array(z.string()), {}, "x is {}: expected an array"],
    ["text for a boolean", z.boolean(), "yes", 'x is "yes": expected true or false'],
    ["a fraction", z.number().int(), 1.5, "x is 1.5: expected a whole number"],
    ["too small a number", z.number().min(0), -1, "x is -1: expected at least 0"],
    ["zero for a positive number", z.number().positive(), 0, "x is 0: expected more than 0"],
    ["too large a number", z.number().max(65_535), 99_999, "x is 99999: expected at most 65535"],
    ["an empty list", z.array(z.string()).min(1), [], "x is []: expected at least 1 element"],
    ["a short list", z.array(z.string()).min(2), [], "x is []: expected at least 2 elements"],
    ["empty text", z.string().min(1), "", 'x is "": expected at least 1 character'],
    ["empty text, in words of the schema", z.string().min(1, "must not be empty"), "", 'x is "": must not be empty'],
    [
      "a near name",
      edition,
      "enterprize",
      'x is "enterprize": allowed: "enterprise", "standard". Did you mean "enterprise"?',
    ],
    ["a far name", edition, "free", 'x is "free": allowed: "enterprise", "standard"'],
    ["a name of another type", edition, 1, 'x is 1: allowed: "enterprise", "standard"'],
    ["a pattern", z.string().regex(/^a$/), "b", 'x is "b": must match pattern /^a$/'],
    ["a pattern, in words of the schema", z.string().regex(/^a$/, "just an a"), "b", 'x is "b": just an a'],
    ["a refinement", z.string().refine(() => false, "never right"), "b", 'x is "b": never right'],
    ["a format", z.base64(), "*", 'x is "*": expected a base64-encoded string'],
    ["a format with a vowel", z.ipv4(), "*", 'x is "*": expected an IPv4 address'],
    ["a union of types", texts, 5, "x is 5: expected a string or an object"],
    ["a union of formats", z.union([z.ipv4(), z.ipv6()]), 5, "x is 5: expected a string"],
    ["a part of one member of a union", texts, { one: 5 }, "x.one is 5: expected a string"],
    [
      "a union, in words of the schema",
      z.union([z.ipv4(), z.ipv6()], "expected an address"),
      5,
      "x is 5: expected an address",
    ],
    [
      "names or a type",
      z.union([edition, z.array(z.string())]),
      "standart",
      'x is "standart": allowed: "enterprise", "standard" or an array. Did you mean "standard"?',
    ],
    [
      "an unknown discriminator",
      guard,
      { type: "redirekt" },
      'x.type is "redirekt": allowed: "direct", "redirect". Did you mean "redirect"?',
    ],
    ["a missing discriminator", guard, {}, 'x.type is missing: allowed: "direct", "redirect"'],
    ["a field that the discriminator asks for", guard, { type: "redirect" }, "x.url is missing: expected a string"],
  ])("says in one line what is wrong with %s", (_, schema, value, line) => {
    expect(lines(schema, value)).toEqual([line]);
  });

  it("names every unknown key with the nearest known one and what is allowed", () => {
    const input = { world: { citty: 1, zzzzz: 2 } };
    const { error } = z.object({ world: z.strictObject({ city: z.string().optional() }) }).safeParse(input);
    const keysAt = (path: string) => (path === "world" ? ["city", "river"] : []);
    expect(error && problemsOf(error, input, keysAt)).toEqual([
      { path: "world.citty", message: 'is not a known name. Did you mean "city"? Allowed here: city, river' },
      { path: "world.zzzzz", message: "is not a known name. Allowed here: city, river" },
    ]);
  });

  it("says where a name belongs if it is known elsewhere", () => {
    const places: Record<string, string[]> = { start: ['{"a": …}'], ip: ['{"b": …}'], name: ['{"c": …}', '{"d": …}'] };
    const told = (name: string) => {
      const { error } = z.strictObject({}).safeParse({ [name]: 1 });
      const known = ["ipAddress", "role"];
      return (
        error &&
        problemsOf(
          error,
          {},
          () => known,
          (_, wrong) => places[wrong] ?? [],
        )[0]?.message
      );
    };
    expect(["start", "name", "ip", "userRole", "it"].map(told)).toEqual([
      'is not a known name here: it belongs elsewhere, as {"a": …}',
      'is not a known name here; elsewhere there is {"c": …} and {"d": …}. Allowed here: ipAddress, role',
      'is not a known name here; elsewhere there is {"b": …}. Did you mean "ipAddress"? Allowed here: ipAddress, role',
      'is not a known name. Did you mean "role"? Allowed here: ipAddress, role',
      "is not a known name. Allowed here: ipAddress, role",
    ]);
  });

  it("reports all problems at once, each with its path", () => {
    const input = { list: [{ a: 1 }, { a: "fine" }, {}], other: false };
    const schema = z.object({ list: z.array(z.object({ a: z.string() })), other: z.string() });
    const { error } = schema.safeParse(input);
    expect(error && problemsOf(error, input).map(({ path }) => path)).toEqual(["list[0].a", "list[2].a", "other"]);
  });

  it("leaves the path empty if the whole value is wrong", () => {
    const { error } = z.object({}).safeParse("text");
    expect(error && problemsOf(error, "text")).toEqual([{ path: "", message: 'is "text": expected an object' }]);
  });
});

describe("valueText", () => {
  it.each([
    ["text", '"text"'],
    ["two\nlines", '"two\\nlines"'],
    [null, "null"],
    [undefined, "undefined"],
    [{ a: [1] }, '{"a":[1]}'],
    [12n, "12n"],
    [() => "two\nlines", "function"],
    [{ big: 12n }, "an object that JSON cannot represent"],
  ])("shows %o as %s", (value, text) => expect(valueText(value)).toBe(text));

  it("is one line of at most 60 characters", () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withBigInt: true }), fc.string({ minLength: 50 })), (value) => {
        expect(valueText(value)).toMatch(/^.{1,60}$/u);
      }),
    );
  });
});

describe("pathText", () => {
  it.each([
    [[], ""],
    [["modules", "auth-guard", 1, "options", "url"], "modules.auth-guard[1].options.url"],
    [[0, "a"], "[0].a"],
  ])("writes %j as %j", (path, text) => expect(pathText(path)).toBe(text));
});

describe("didYouMean", () => {
  it.each([
    ["enterprize", ["standard", "enterprise"], ' Did you mean "enterprise"?'],
    ["APPSECRET", ["appSecret"], ' Did you mean "appSecret"?'],
    ["nothing-like-it", ["standard", "enterprise"], ""],
    ["x", [], ""],
    ["timeout", ["interactionTimeout", "user"], ' Did you mean "interactionTimeout"?'],
    ["timeout", ["timeoutMs", "interactionTimeout"], ' Did you mean "timeoutMs"?'],
    ["name", ["fileName", "user"], ""],
    [
      "guard.token.audienc",
      ["guard.token.huge", "guard.token.audience-other", "guard.token.audience-loose"],
      ' Did you mean "guard.token.audience-other"?',
    ],
  ])("finds the name near %j among %j", (wrong, names, text) => expect(didYouMean(wrong, names)).toBe(text));
});
