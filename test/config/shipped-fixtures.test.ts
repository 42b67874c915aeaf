import path from "node:path";
import { expect, test } from "vitest";
import { shippedInstead } from "../../src/config/shipped-fixtures.ts";
import { unreadable } from "../../src/config/user-file.ts";

const missing = (file: string) => unreadable(Object.assign(new Error("gone"), { code: "ENOENT" }), file, "fixture");

test("of a missing file next to one with a similar name, the hint names that one", () => {
  expect(missing(import.meta.filename.replace("fixtures.test", "fixture.test")).hint).toBe(
    `did you mean ${path.basename(import.meta.filename)}, in the same folder?`,
  );
});

test("of a missing file that app-sim ships, the hint says where it is", () => {
  expect(missing("fixtures/jobs/greetings.json")).toMatchObject({
    code: "file-unreadable",
    message: "fixture fixtures/jobs/greetings.json cannot be read: there is no such file",
    hint: expect.stringMatching(/^app-sim ships one: .*fixtures\/jobs\/greetings\.json$/),
  });
  expect(missing("fixtures/jobs/nowhere.json").hint).toBe("give the path of a file that exists");
  expect(shippedInstead("jobs/greetings.json")).toBeNull();
});

test("of a misspelled file, the hint names the existing one", () => {
  const hintFor = (name: string) => missing(`fixtures/manifests/${name}`).hint;
  expect(hintFor("acess-control.json")).toBe("did you mean access-control.json, in the same folder?");
  for (const other of ["access-control.yaml", "a.json", "webhooks-of-mine.json"])
    expect(hintFor(other)).toBe("give the path of a file that exists");
  expect(missing("/nowhere/at/all.json").hint).toBe("give the path of a file that exists");
});

test("of a misspelled ending or folder, the hint names the existing one", () => {
  const hintFor = (name: string) => missing(`fixtures/${name}`).hint;
  expect(hintFor("manifests/access-control.jsn")).toBe("did you mean access-control.json, in the same folder?");
  expect(hintFor("manifest")).toBe("did you mean manifests, in the same folder?");
  expect(hintFor("manifest/access-control.json")).toBe("did you mean manifests, in place of manifest?");
});
