import { expect, test } from "vitest";
import { configLookAlikes } from "../../src/config/look-alikes.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const meant: readonly (readonly [name: string, right: string])[] = [
  [".app-sim.config.yaml", "app-sim.config.yaml"],
  [".app-sim.json", "app-sim.config.json"],
  [".appsimrc", "app-sim.config.json"],
  ["app-sim.conf.json", "app-sim.config.json"],
  ["app_sim.config.mjs", "app-sim.config.mjs"],
  ["appsim.config.json", "app-sim.config.json"],
];

test("files that were probably meant as config files, with the right name", async () => {
  using directory = makeTempDir();
  for (const [name] of meant) directory.write(name, "");
  const others = [
    "app-sim.config.json",
    "app-sim.config.schema.json",
    "app-sim.test.js",
    "app-simulator.json",
    "app.ts",
  ];
  for (const name of others) directory.write(name, "");
  expect(await configLookAlikes(directory.path)).toEqual(meant.map(([name, right]) => ({ name, right })));
});

test("none in a directory that cannot be read", async () => {
  expect(await configLookAlikes("/nowhere/at/all")).toEqual([]);
});
