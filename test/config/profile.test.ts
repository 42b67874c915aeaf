import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { defaultChoices } from "../../src/config/choices.ts";
import { loadConfig } from "../../src/config/load.ts";
import { readProfile } from "../../src/config/profile.ts";
import { linesOf, refusal, scratch } from "./scratch.ts";

const { directory } = scratch();
const folder = new URL("../../fixtures/profiles/", import.meta.url);
const shipped = readdirSync(folder).map((file) => path.basename(file, ".json"));

describe("a shipped profile", () => {
  it.each(shipped)("%s is found by its name, says what it is, and changes a default", async (name) => {
    const { description, name: inFile } = JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
    expect(inFile).toBe(name);
    expect(description).toMatch(/^\S.{20,}$/);
    const { choices } = await readProfile(name, "/nowhere", "flag --profile");
    expect(choices).not.toEqual({});
    expect({ ...defaultChoices, ...choices }).not.toEqual(defaultChoices);
  });

  it("that does not exist is refused with the nearest and all names", async () => {
    const error = await refusal(readProfile("keypair", "/nowhere", "env APP_SIM_PROFILE"));
    expect(error.message).toBe('env APP_SIM_PROFILE: there is no profile "keypair". Did you mean "key-pair"?');
    for (const name of shipped) expect(error.hint).toContain(name);
    expect(error.hint).toContain("./keypair.json");
  });
});

describe("a profile file", () => {
  const right = { name: "mine", choices: { "webhook.retries": 3, "wire.headerPrefix": "X-Mine-" } };

  it("is read from a path relative to the directory given, or an absolute one", async () => {
    const made = await directory({ "profiles/mine.json": right, "key-pair": { name: "local", choices: {} } });
    expect((await readProfile("profiles/mine.json", made, "x")).choices).toEqual(right.choices);
    expect((await readProfile(path.join(made, "profiles/mine.json"), "/nowhere", "x")).choices).toEqual(right.choices);
    expect((await readProfile("./key-pair", made, "x")).choices).toEqual({});
    expect((await readProfile("key-pair", made, "x")).choices).toEqual({ "guard.jwt.algorithm": "ES256" });
  });

  it("needs no name", async () => {
    const { choices } = right;
    expect((await readProfile("./p.json", await directory({ "p.json": { choices } }), "x")).choices).toEqual(choices);
  });

  it.each<[content: unknown, ...lines: string[]]>([
    [[], " is []: expected an object"],
    [{}, "choices is missing: expected an object"],
    [{ ...right, name: "" }, 'name is "": expected at least 1 character'],
    [{ ...right, choices: ["webhook.retries"] }, 'choices is ["webhook.retries"]: expected an object'],
    [
      { ...right, choice: {} },
      'choice is not a known name. Did you mean "choices"? Allowed here: name, description, choices, configuration',
    ],
  ])("with %j is refused, with everything that is wrong", async (content, ...lines) => {
    const error = await refusal(readProfile("./p.json", await directory({ "p.json": content }), "flag --profile"));
    expect(error).toMatchObject({ code: "profile-invalid", summary: "flag --profile: profile ./p.json is not valid" });
    expect(error.hint).toContain('"choices"');
    expect(linesOf(error)).toEqual(lines);
  });

  it.each<[content: unknown, code: string, message: RegExp]>([
    ["", "not-json", /^flag --profile: profile .*p\.json: the file is empty$/],
    ["{\n", "not-json", /p\.json: the file is not valid JSON: (?!.*(?:position|column))/],
    ['{"name":"p","choices":{"__proto__":{}}}', "not-json", /forbidden prototype/],
    [
      { name: "p", choices: { "webhook.retry": 1 } },
      "unknown-choice",
      /^profile \.\/p\.json: .* Did you mean "webhook\.retries"\?$/,
    ],
    [
      { name: "p", choices: { "webhook.retries": "3" } },
      "choice-invalid",
      /^profile \.\/p\.json: webhook\.retries cannot be "3"\.$/,
    ],
  ])("with %j is refused as %s", async (content, code, message) => {
    const error = await refusal(readProfile("./p.json", await directory({ "p.json": content }), "flag --profile"));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
    expect(error.hint).not.toBe("");
  });

  it.each(["./no.json", "../0.json", "."])("%s that cannot be read is refused with the reason", async (name) => {
    const error = await refusal(readProfile(name, await directory(), "flag --profile"));
    expect(error.code).toBe("file-unreadable");
    expect(error.message).toMatch(
      /^flag --profile: profile .* cannot be read: (there is no such file|it is a directory)$/,
    );
  });
});

describe("what a profile says about the configuration", () => {
  const profile = { choices: {}, configuration: { organization: { domain: null, edition: "standard" } } };
  const load = async (file: object, flags: object) => {
    const made = await directory({ "p.json": profile, "app-sim.config.json": file });
    return loadConfig(flags, {}, made);
  };

  it("are defaults: a config file and flags have the last word, wherever the profile is named", async () => {
    for (const [file, flags] of [
      [{ profile: "./p.json", organization: { id: 7 } }, {}],
      [{ organization: { id: 7 } }, { profile: "./p.json" }],
    ]) {
      const { config, origins } = await load(file ?? {}, flags ?? {});
      expect(config.organization).toEqual({ id: 7, domain: null, edition: "standard" });
      expect(origins.get("organization.edition")).toBe("profile ./p.json");
    }
    const flags = { profile: "./p.json", edition: "enterprise" };
    expect((await load({ organization: { domain: "mine" } }, flags)).config.organization).toMatchObject({
      domain: "mine",
      edition: "enterprise",
    });
  });

  it("counts as given on a running platform if a flag names the profile, unless a file overrides it", async () => {
    const { given } = await load({ organization: { domain: "mine" } }, { profile: "./p.json" });
    expect(given.value).toMatchObject({ organization: { edition: "standard" } });
    expect(given.value.organization).not.toHaveProperty("domain");
    expect((await load({ profile: "./p.json" }, {})).given.value).not.toHaveProperty("organization");
  });

  it("has nothing about the app or this machine, and its mistakes are reported", async () => {
    const wrong = { choices: {}, configuration: { apps: [{ url: "http://x" }], organization: { domian: "x" } } };
    const error = await refusal(readProfile("./p.json", await directory({ "p.json": wrong }), "flag --profile"));
    expect(linesOf(error).join()).toMatch(/configuration\.apps is not a known name.*organization, users/);
    expect(linesOf(error).join()).toMatch(/configuration\.organization\.domian.*Did you mean "domain"/);
  });
});
