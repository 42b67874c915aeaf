import { describe, expect, it } from "vitest";
import { ignoredMembers } from "../../../src/post-import/checks/strings/member-names.ts";
import type { StringRecord } from "../../../src/protocol/import-job.ts";
import { record } from "../../rig/simulation.ts";

const sent = record("1", "Save", {
  labels: ["menu"],
  attributes: { platformType: "html" },
  translations: { uk: { text: "Зберегти", status: "approved" } },
});
const uk = { text: "Зберегти" };
const notPart = "is not part of the interface, so it is ignored.";

function mistakes(changes: object, before: StringRecord | null = sent) {
  const after = { ...sent, ...changes } as StringRecord;
  return ignoredMembers(after, () => before).map(({ path, mistake }) => `${path}: ${mistake}`);
}

describe("a member that the interface does not have", () => {
  it.each<[what: string, changes: object, found: string[]]>([
    ["is misspelled", { is_hidden: true }, [`is_hidden: ${notPart} Did you mean "isHidden"?`]],
    [
      "is misspelled in attributes",
      { attributes: { platform_type: "html" } },
      [`attributes.platform_type: ${notPart} Did you mean "platformType"?`],
    ],
    [
      "has what was sent under another name",
      { translations: { uk: { ...uk, state: "approved" } } },
      [`translations.uk.state: ${notPart} Did you mean "status"?`],
    ],
    ["belongs in a translation", { status: "approved" }, ["status: is ignored here: it belongs in a translation"]],
    ["belongs in attributes", { platformType: "html" }, ["platformType: is ignored here: it belongs in attributes"]],
    [
      "belongs in the string",
      { translations: { uk: { ...uk, isHidden: true } } },
      ["translations.uk.isHidden: is ignored here: it belongs in the string itself"],
    ],
    ["is the app's own", { tags: ["x"], foo: 1 }, ["tags: null", "foo: null"]],
    ["is the app's own, of a translation", { translations: { uk: { ...uk, by: "me" } } }, ["translations.uk.by: null"]],
    ["is the app's own, whatever its name", { status: "in review" }, ["status: null"]],
    ["is that of an object", { toString: "x" }, ["toString: null"]],
  ])("%s", (_, changes, found) => {
    expect(mistakes(changes)).toEqual(found);
  });

  it("may come back if it was sent", () => {
    const before = { ...sent, is_hidden: true, translations: { uk: { ...uk, state: "new" } } };
    expect(mistakes({ is_hidden: false, translations: { uk: { ...uk, state: "old" } } }, before)).toEqual([]);
  });

  it("may be in a string of the app's own", () => {
    expect(mistakes({ foo: 1 }, null)).toEqual(["foo: null"]);
  });
});
