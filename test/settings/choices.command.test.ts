import { describe, expect, test } from "vitest";
import { choiceDefinitions, choiceIds } from "../../src/config/choices.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

interface ListedChoice {
  readonly id: string;
  readonly value: unknown;
  readonly origin: string;
}

async function listed(args: readonly string[], options: Parameters<typeof runLine>[1] = {}) {
  const result = await runLine(["choices", "--format", "json", ...args], options);
  expect(result).toMatchObject({ code: 0, stderr: "" });
  const { command, choices } = onlyObject(result.stdout) as { command: string; choices: ListedChoice[] };
  expect(command).toBe("choices");
  return choices;
}

const changed = (choices: readonly ListedChoice[]) =>
  Object.fromEntries(
    choices.filter(({ origin }) => origin !== "default").map(({ id, value, origin }) => [id, [value, origin]]),
  );

test("as text: each choice with its value, its alternatives, the reason, and the section that leaves it open", async () => {
  const { code, stdout, stderr } = await runLine(["choices"]);
  expect([code, stderr]).toEqual([0, ""]);
  for (const id of choiceIds) {
    const { reason, section, alternatives, default: value } = choiceDefinitions[id];
    const entry = `${id} = ${JSON.stringify(value)}\n  ${reason} (interface ${section})\n  other values: ${alternatives}\n`;
    expect(stdout).toContain(entry);
  }
});

test("as JSON: the same, in the same order", async () => {
  const choices = await listed([]);
  expect(choices.map(({ id }) => id)).toEqual(choiceIds);
  expect(choices[0]).toEqual({
    id: "guard.jwt.algorithm",
    section: "5.1",
    value: "HS256",
    default: "HS256",
    alternatives: expect.stringContaining("EdDSA"),
    reason: expect.any(String),
    usedBy: ["guard", "post-import"],
    origin: "default",
  });
});

describe.concurrent("the origin of a value", () => {
  test("a profile is overridden by the flag --choose, which accepts texts, numbers and objects", async () => {
    const flags = ["webhook.signature.prefix=v1=", "guard.jwt.lifetime=60", 'guard.jwt.claims={"drop":["domain"]}'];
    const args = ["--profile", "base64-signature", ...flags.flatMap((pair) => ["--choose", pair])];
    expect(changed(await listed(args))).toEqual({
      "webhook.signature.encoding": ["base64", "profile base64-signature"],
      "webhook.signature.prefix": ["v1=", "flag --choose"],
      "guard.jwt.lifetime": [60, "flag --choose"],
      "guard.jwt.claims": [{ drop: ["domain"] }, "flag --choose"],
    });
  });

  test("the environment, a profile file and the config file", async () => {
    using directory = makeTempDir();
    directory.write("ours.json", { name: "ours", choices: { "webhook.retries": 2, "webhook.ids": "numbers" } });
    directory.write("app-sim.config.json", { profile: "./ours.json", choices: { "webhook.retries": 3 } });
    const env = { APP_SIM_CHOOSE: "guard.jwt.lifetime=60; guard.owner.exempt=false" };
    expect(changed(await listed([], { cwd: directory.path, env }))).toEqual({
      "webhook.ids": ["numbers", "profile ./ours.json"],
      "webhook.retries": [3, "file app-sim.config.json"],
      "guard.jwt.lifetime": [60, "env APP_SIM_CHOOSE"],
      "guard.owner.exempt": [false, "env APP_SIM_CHOOSE"],
    });
  });

  test("as text it is next to the value", async () => {
    const { stdout } = await runLine(["choices", "--choose", "guard.jwt.lifetime=60"]);
    expect(stdout).toContain("guard.jwt.lifetime = 60 (flag --choose)\n");
  });
});

describe.concurrent("wrong usage", () => {
  test.each([
    [["--choose", "guard.jwt.algoritm=HS512"], "unknown-choice", 'Did you mean "guard.jwt.algorithm"?'],
    [["--choose", "guard.jwt.algorithm=none"], "choice-invalid", "HS384"],
    [["--choose", "guard.jwt.lifetime=never"], "choice-invalid", "never"],
    [["--choose", "guard.jwt.algorithm"], "choose-syntax", "id=value"],
    [["--profile", "base64-signatur"], "unknown-profile", 'Did you mean "base64-signature"?'],
    [["--profile", "./nowhere.json"], "file-unreadable", "no such file"],
  ])("%j: exit 2", async (args, code, says) => {
    const { stdout, stderr, ...result } = await runLine(["choices", "--format", "json", ...args]);
    expect([result.code, stdout]).toEqual([2, ""]);
    const { error } = onlyObject(stderr);
    expect(error.code).toBe(code);
    expect(`${error.message} ${error.hint}`).toContain(says);
  });
});

test("can be limited to choices, or to those whose ids start with a prefix; an unknown one is reported", async () => {
  using directory = makeTempDir();
  const idsOf = async (...ids: string[]) => {
    const { stdout } = await runLine(["choices", ...ids, "--format", "json"], { cwd: directory.path });
    return onlyObject(stdout).choices.map(({ id }: { id: string }) => id);
  };
  expect(await idsOf("guard.jwt.claims")).toEqual(["guard.jwt.claims"]);
  expect(await idsOf("guard.jwt")).toEqual(expect.arrayContaining(["guard.jwt.algorithm", "guard.jwt.claims"]));
  const { code, stderr } = await runLine(["choices", "guard.jwt.clams"], { cwd: directory.path });
  expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "guard.jwt.claims"?')]);
});
