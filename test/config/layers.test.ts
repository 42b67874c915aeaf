import { describe, expect, it } from "vitest";
import { mergeLayers } from "../../src/config/layers.ts";

const bottom = {
  origin: "default",
  value: {
    apps: [{ url: "http://a", secret: "s" }],
    users: [{ id: 1 }, { id: 2 }],
    projects: [{ id: 1, targets: ["uk", "de"] }],
    world: { city: "Kyiv", river: "Dnipro" },
    port: 1,
  },
};

function merge(...values: Record<string, unknown>[]) {
  const { value, origins } = mergeLayers([
    bottom,
    ...values.map((each, at) => ({ origin: `layer ${at}`, value: each })),
  ]);
  return { value, origins: Object.fromEntries(origins) };
}

describe("mergeLayers", () => {
  it("gives a single layer back, with the origin of each leaf in order", () => {
    const { value, origins } = merge();
    expect(value).toEqual(bottom.value);
    expect(Object.keys(origins)).toEqual([
      "apps[0].url",
      "apps[0].secret",
      "users[0].id",
      "users[1].id",
      "projects[0].id",
      "projects[0].targets",
      "world.city",
      "world.river",
      "port",
    ]);
    expect(new Set(Object.values(origins))).toEqual(new Set(["default"]));
  });

  it("lets the last layer win, leaf by leaf", () => {
    const { value, origins } = merge({ port: 2, world: { city: "Lviv" } }, { port: 3 });
    expect(value).toMatchObject({ port: 3, world: { city: "Lviv", river: "Dnipro" } });
    expect(origins).toMatchObject({ port: "layer 1", "world.city": "layer 0", "world.river": "default" });
  });

  it("replaces a list as a whole, shorter or longer", () => {
    const { value, origins } = merge({ users: [{ id: 9 }], projects: [{ targets: ["pl"] }] });
    expect(value.users).toEqual([{ id: 9 }]);
    expect(value.projects).toEqual([{ id: 1, targets: ["pl"] }]);
    expect(origins).not.toHaveProperty("users[1].id");
    expect(origins).toMatchObject({ "users[0].id": "layer 0", "projects[0].id": "default" });
  });

  it("completes each app from the app below it, and one more from the first", () => {
    const { value, origins } = merge(
      { apps: [{ url: "http://b" }, { secret: "t" }] },
      { apps: [{ secret: "u" }, {}, { url: "http://c" }] },
    );
    expect(value.apps).toEqual([
      { url: "http://b", secret: "u" },
      { url: "http://a", secret: "t" },
      { url: "http://c", secret: "s" },
    ]);
    expect(origins).toMatchObject({
      "apps[0].url": "layer 0",
      "apps[0].secret": "layer 1",
      "apps[1].url": "default",
      "apps[1].secret": "layer 0",
      "apps[2].url": "layer 1",
      "apps[2].secret": "default",
    });
  });

  it("treats the value of a choice as one leaf, whatever its structure", () => {
    const id = "guard.jwt.claims";
    const { value, origins } = merge(
      { choices: { [id]: { add: { iss: "a" }, drop: ["aud"] } } },
      { choices: { [id]: { add: { jti: "b" } } } },
    );
    expect(value.choices).toEqual({ [id]: { add: { jti: "b" } } });
    expect(origins).toMatchObject({ [`choices.${id}`]: "layer 1" });
  });

  it("keeps null and false, which are values", () => {
    expect(merge({ port: null, world: { city: false } }).value).toMatchObject({ port: null, world: { city: false } });
  });

  it("changes none of its layers", () => {
    const before = structuredClone(bottom.value);
    merge({ apps: [{ url: "http://b" }], world: { city: "Lviv" } });
    expect(bottom.value).toEqual(before);
  });
});
