import { expect, it } from "vitest";
import { defaultConfig } from "../../src/config/default-world.ts";
import { defaultUser } from "../../src/config/users.ts";
import { mistypedWay } from "../../src/guard-checks/pages/walk/mistyped-way.ts";
import type { PageWay } from "../../src/guard-checks/pages/walk/walk.ts";

const person = { user: defaultUser(defaultConfig) };
const way = (fill: Readonly<Record<string, string>>): PageWay => ({ by: "browser", answers: { fill, press: "Go on" } });

it("has another password, by the name of its field or by what its page says", () => {
  const fill = { pin: "2468", colour: "red" };
  expect(mistypedWay(way(fill), person)?.answers).toEqual({ fill: { pin: "3579", colour: "red" }, press: "Go on" });
  const ofPage = mistypedWay(way(fill), person, (name) => name === "colour");
  expect(ofPage?.answers.fill).toMatchObject({ pin: "2468" });
  expect(ofPage?.answers.fill).not.toMatchObject({ colour: "red" });
});

it("is none where nothing is typed that a user knows", () => {
  expect(mistypedWay(way({ colour: "red" }), person)).toBeNull();
});
