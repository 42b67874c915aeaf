import { describe, expect, test } from "vitest";
import { type Choices, defaultChoices, readChoices } from "../../src/config/choices.ts";
import { type Role, roles } from "../../src/config/roles.ts";
import type { User } from "../../src/config/schema.ts";
import type { GuardModule, WebhookModule } from "../../src/platform/manifest.ts";
import { environmentOf, guardExemption, webhookMismatch } from "../../src/platform/modules.ts";

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
      hasOtherWords: false,
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

  test.each(table)("%s, applyToAdmins %s: not exempt if guard.owner.exempt is false", (role, applyToAdmins) => {
    expect(exemption(role, applyToAdmins, false).reason).toBeNull();
  });

  test.each(table)("%s, applyToAdmins %s: the choice is named only if it decides", (role, applyToAdmins, reason) => {
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
