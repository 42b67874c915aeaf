import { expect, test } from "vitest";
import { refuseFurther } from "../../src/protocol/arguments.ts";

class TestContext {}

test.each([
  ["none", []],
  ["what a promise of nothing passes on", [undefined]],
  ["the context of a hook that is a function, and more", [() => {}, {}]],
  ["the context of a hook that is of a class", [new TestContext()]],
])("a method that takes no argument is called with %s", (_, args) => {
  expect(() => refuseFurther("reset()", args, 0)).not.toThrow();
});

test.each([
  ["an object", { all: true }, '{"all":true}'],
  ["an object without a prototype", Object.create(null), "{}"],
  ["a list", ["a"], '["a"]'],
  ["a text", "all", '"all"'],
])("it refuses %s", (_, given, shown) => {
  expect(() => refuseFurther("reset()", [given], 0)).toThrow(`reset(): ${shown} is one argument too many`);
  expect(() => refuseFurther("guard()", [{}, given], 1)).toThrow(`guard(): ${shown} is one argument too many`);
});
