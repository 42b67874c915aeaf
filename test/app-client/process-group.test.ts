import { expect, it } from "vitest";
import { treeKill } from "../../src/app-client/process-group.ts";

it.each<[NodeJS.Platform, ReturnType<typeof treeKill>]>([
  ["win32", ["taskkill", ["/pid", "4711", "/T", "/F"]]],
  ["linux", null],
  ["darwin", null],
])("on %s, a process is ended with everything it started by %j", (system, command) => {
  expect(treeKill(system, 4711)).toEqual(command);
});
