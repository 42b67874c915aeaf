import { describe, expect, test } from "vitest";
import { type Role, roles, type User } from "../../src/config/schema.ts";
import {
  environmentOf,
  guardExemption,
  type ImportFile,
  importMismatch,
  webhookMismatch,
} from "../../src/platform/modules.ts";
import { type Choices, defaultChoices, readChoices } from "../../src/protocol/choices.ts";
import type { GuardModule, ImportModule, WebhookModule } from "../../src/protocol/manifest.ts";

const choosing = (chosen: Partial<Choices> = {}) => readChoices({ ...defaultChoices, ...chosen });

describe("guardExemption", () => {
  const owner = "the organization owner is exempt";
  const admins = "organization admins are exempt unless the guard says applyToAdmins";

  function exemption(role: Role, applyToAdmins: boolean, exempt: boolean) {
    const guard: GuardModule = {
      key: "g",
      name: "G",
      description: null,
      url: "/g",
      type: "direct",
      isDefaultType: false,
      applyToAdmins,
      optionsUrl: null,
    };
    const user: User = { id: 1, role, login: role, password: "password", totpSecret: "JBSWY3DPEHPK3PXP" };
    const choices = choosing({ "guard.owner.exempt": exempt });
    return { reason: guardExemption(guard, user, choices), used: choices.used() };
  }

  /** role, applyToAdmins, why exempt */
  const table: [Role, boolean, string | null][] = [
    ["owner", false, owner],
    ["owner", true, owner],
    ["admin", false, admins],
    ["admin", true, null],
    ["manager", false, null],
    ["manager", true, null],
    ["member", false, null],
    ["member", true, null],
    ["outsider", false, null],
    ["outsider", true, null],
  ];

  test("the table has every role", () => {
    expect(new Set(table.map(([role]) => role))).toEqual(new Set(roles));
  });

  test.each(table)("%s, applyToAdmins %s: %s", (role, applyToAdmins, reason) => {
    expect(exemption(role, applyToAdmins, true).reason).toBe(reason);
  });

  test.each(table)("%s, applyToAdmins %s: not exempt where guard.owner.exempt is false", (role, applyToAdmins) => {
    expect(exemption(role, applyToAdmins, false).reason).toBeNull();
  });

  test.each(table)("%s, applyToAdmins %s: the choice is named only where it decides", (role, applyToAdmins, reason) => {
    for (const exempt of [true, false]) {
      const used = reason === null ? [] : ["guard.owner.exempt"];
      expect(exemption(role, applyToAdmins, exempt).used).toEqual(used);
    }
  });
});

describe("environments", () => {
  test.each([
    ["enterprise", "platform-enterprise"],
    ["standard", "platform"],
  ] as const)("the %s edition is %s", (edition, environment) => {
    expect(environmentOf({ id: 1, domain: "acme", edition })).toBe(environment);
  });
});

describe("webhookMismatch", () => {
  const webhook = (events: string[], environments: WebhookModule["environments"] = null): WebhookModule => ({
    key: "w",
    url: "/w",
    events,
    environments,
  });
  const translated = ["project.translated"];

  test.each([
    ["the same name", webhook(translated), translated],
    ["one of the module's names", webhook(["project.approved", "project.translated"]), translated],
    ["one of the sent names", webhook(translated), ["project.approved", "project.translated"]],
    ["its environment", webhook(translated, ["platform"]), translated],
    ["both environments", webhook(translated, ["platform-enterprise", "platform"]), translated],
  ])("fits: %s", (_, module, events) => {
    expect(webhookMismatch(module, events, "platform")).toBeNull();
  });

  test.each([
    ["other names", webhook(["a", "b"]), translated, "names a, b"],
    ["another case", webhook(["Project.Translated"]), translated, "names Project.Translated"],
    ["no event at all", webhook(translated), [], "names project.translated"],
    [
      "another environment",
      webhook(translated, ["platform-enterprise"]),
      translated,
      "is only for platform-enterprise, and this organization is platform",
    ],
    [
      "no environment",
      webhook(translated, []),
      translated,
      "is only for no environment, and this organization is platform",
    ],
  ])("does not fit: %s", (_, module, events, reason) => {
    expect(webhookMismatch(module, events, "platform")).toBe(reason);
  });
});

describe("importMismatch", () => {
  const importer = (signaturePatterns: ImportModule["signaturePatterns"]): ImportModule => ({
    key: "i",
    url: "/i",
    signaturePatterns,
  });
  const file = (name: string, content: string | null = ""): ImportFile => ({
    name,
    content: content === null ? null : Buffer.from(content),
  });
  const xml = file("strings.xml", '<?xml version="1.0"?><resources/>');
  const noXmlName = 'its fileName \\.json$ does not match "strings.xml"';
  const noXmlContent = "its fileContent ^\\{ does not match the file's content";

  test.each<[string, ImportModule["signaturePatterns"], string | null, string | null]>([
    ["no pattern", {}, null, null],
    ["only fileName, matching", { fileName: "^strings\\.xml$" }, null, null],
    ["only fileName, not matching", { fileName: "\\.json$" }, noXmlName, noXmlName],
    ["only fileContent, matching", { fileContent: "<resources" }, null, null],
    ["only fileContent, not matching", { fileContent: "^\\{" }, noXmlContent, noXmlContent],
    ["both matching", { fileName: "xml", fileContent: "xml" }, null, null],
    ["fileName alone matching", { fileName: "xml", fileContent: "^\\{" }, noXmlContent, null],
    ["fileContent alone matching", { fileName: "\\.json$", fileContent: "xml" }, noXmlName, null],
    [
      "none matching",
      { fileName: "\\.json$", fileContent: "^\\{" },
      `${noXmlName}; ${noXmlContent}`,
      `${noXmlName}; ${noXmlContent}`,
    ],
  ])("%s", (_, patterns, whenAll, whenAny) => {
    expect(importMismatch(importer(patterns), xml, choosing())).toBe(whenAll);
    expect(importMismatch(importer(patterns), xml, choosing({ "postImport.patterns": "any" }))).toBe(whenAny);
  });

  test.each<[string, ImportModule["signaturePatterns"], string[]]>([
    ["no pattern", {}, []],
    ["only fileName", { fileName: "xml" }, []],
    ["only fileContent", { fileContent: "xml" }, ["postImport.patterns"]],
    ["fileContent without a match", { fileContent: "^\\{" }, ["postImport.patterns"]],
    ["both patterns", { fileName: "xml", fileContent: "xml" }, ["postImport.patterns"]],
  ])("%s: relies on the choice wherever the content is looked at", (_, patterns, used) => {
    const choices = choosing();
    importMismatch(importer(patterns), xml, choices);
    expect(choices.used()).toEqual(used);
  });

  test("fileContent looks at the first 64 KiB", () => {
    const marked = (at: number) => file("f", `${"-".repeat(at)}END`);
    const end = importer({ fileContent: "END" });
    expect(importMismatch(end, marked(65_536 - 3), choosing())).toBeNull();
    expect(importMismatch(end, marked(65_536 - 2), choosing())).toBe(
      "its fileContent END does not match the file's content",
    );
  });

  test("fileContent is read as UTF-8", () => {
    expect(importMismatch(importer({ fileContent: "^Привіт$" }), file("f", "Привіт"), choosing())).toBeNull();
  });

  test("fileContent cannot be tried where the content is passed by URL, whatever the pattern", () => {
    for (const pattern of ["xml", ".*", "^$"]) {
      expect(importMismatch(importer({ fileContent: pattern }), file("f", null), choosing())).toBe(
        `its fileContent ${pattern} cannot be tried: the file's content is not at hand`,
      );
    }
    expect(importMismatch(importer({ fileName: "f" }), file("f", null), choosing())).toBeNull();
  });

  test.each(["(", "[a", "(?i)xml", "(?>a)", "a**"])("S23: %s is no regular expression of JavaScript", (pattern) => {
    const reason = `its fileName ${pattern} is not a regular expression that JavaScript can read`;
    expect(importMismatch(importer({ fileName: pattern }), xml, choosing())).toBe(reason);
  });

  test.each([
    ["fileName", file(`${"a".repeat(40)}!`), `"${"a".repeat(40)}!"`],
    ["fileContent", file("f", `${"a".repeat(40)}!`), "the file's content"],
  ])("S23: a catastrophic %s is given up, and the next pattern is tried as ever", (name, evil, what) => {
    const reason = `its ${name} ^(a+)+$ takes more than 1000 ms on ${what}`;
    expect(importMismatch(importer({ [name]: "^(a+)+$" }), evil, choosing())).toBe(reason);
    expect(importMismatch(importer({ [name]: "a" }), evil, choosing())).toBeNull();
  });

  test("a pattern is a pattern, not code, and cannot reach this process", () => {
    const injection = '"); this.constructor.constructor("return process")().exitCode = 9; ("';
    expect(importMismatch(importer({ fileName: injection }), xml, choosing())).toMatch(/^its fileName /);
    expect(process.exitCode).toBeUndefined();
  });
});
