import fc from "fast-check";
import { expect, test } from "vitest";
import { type AnyFunction, fromWire, toWire } from "../../src/serve/wire-values.ts";

const noFunction = () => {
  throw new Error("there is no function");
};
const travelled = (value: unknown) => fromWire(JSON.parse(JSON.stringify(toWire(value, noFunction))), noFunction);

test("all values of options and results arrive unchanged", () => {
  const key = fc.oneof(fc.string(), fc.constantFrom("$bytes", "$function", "$number", "$object"));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: "binary" }),
      fc.double().filter((value) => !Object.is(value, -0)),
      fc.boolean(),
      fc.constant(null),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.array(tie("tree")),
      fc.dictionary(key, tie("tree")),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(travelled(value)).toEqual(value);
    }),
  );
});

test("a function stays in its process, and is called by its number", () => {
  const called: unknown[] = [];
  const functions: AnyFunction[] = [];
  const wire = toWire({ onLogin: (name: string) => called.push(name) }, (each) => functions.push(each) - 1);
  expect(JSON.parse(JSON.stringify(wire))).toEqual({ onLogin: { $function: 0 } });
  const there = fromWire(wire, (number) => functions[number] as AnyFunction) as { onLogin: (name: string) => void };
  there.onLogin("begun");
  expect(called).toEqual(["begun"]);
});

test("undefined values are not sent; a date is sent as ISO 8601", () => {
  expect(travelled({ seed: undefined, at: new Date(0) })).toEqual({ at: "1970-01-01T00:00:00.000Z" });
});
