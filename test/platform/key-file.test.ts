import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import jwt from "jsonwebtoken";
import { beforeEach, describe, expect, it } from "vitest";
import { type SimulatorOptions, startSimulator } from "../../src/index.ts";
import { keyFiles } from "../../src/platform/key-file.ts";
import { createTokenSigner } from "../../src/platform/tokens.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { always, bearerOf, onlyCall, startSimulation } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const serves = manifestOf({ guards: [guardEntry("office")] });
const algorithms = ["RS256", "ES256", "EdDSA"] as const;
type Algorithm = (typeof algorithms)[number];

/** The id of the key that a login of a run of its own is signed with. */
async function kidOfRun(algorithm: Algorithm | "HS256", options: SimulatorOptions): Promise<unknown> {
  const choices = { "guard.jwt.algorithm": algorithm };
  await using run = await startSimulation({ serves, answer: always({ success: true }), choices, ...options });
  expect((await run.sim.guard()).outcome).toBe("granted");
  return jwt.decode(bearerOf(onlyCall(run.app)), { complete: true })?.header.kid;
}

describe.each(algorithms)("the private key of %s", (algorithm) => {
  const name = `key-${algorithm}.json`;

  it("is stored next to the journal, only for its owner, and the next run has the same", async () => {
    using directory = makeTempDir();
    const journal = join(directory.path, "journal");
    const first = await kidOfRun(algorithm, { journal });
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(statSync(join(journal, name)).mode & 0o777).toBe(0o600);
    expect(await kidOfRun(algorithm, { journal })).toBe(first);
    expect(readdirSync(journal).filter((file) => file.startsWith("key"))).toEqual([name]);
  });

  it("is only for one run without a journal", async () => {
    expect(await kidOfRun(algorithm, {})).not.toBe(await kidOfRun(algorithm, {}));
  });

  it("is never served, nor written into the journal", async () => {
    using directory = makeTempDir();
    await using sim = await startSimulator({
      journal: directory.path,
      choices: { "guard.jwt.algorithm": algorithm },
    });
    const served = await (await fetch(`${sim.url}/.well-known/jwks.json`)).text();
    for (const file of [name, "key-access-ES256.json"]) {
      const { d } = JSON.parse(readFileSync(join(directory.path, file), "utf8"));
      expect(d).toMatch(/^[\w-]{40,}$/);
      expect(served).not.toContain(d);
    }
    expect(JSON.parse(served)).toMatchObject({ keys: [{ alg: algorithm }, { alg: "ES256" }] });
  });
});

describe("a directory of keys", () => {
  let troubles: string[] = [];
  beforeEach(() => {
    troubles = [];
  });
  const kidWith = async (directory: string) =>
    (await createTokenSigner(keyFiles(directory, (trouble) => troubles.push(trouble))).jwks("ES256")).keys[0]?.kid;

  it("has no key for HMAC", async () => {
    using directory = makeTempDir();
    expect(await kidOfRun("HS256", { journal: directory.path })).toBeUndefined();
    expect(readdirSync(directory.path).filter((file) => file.startsWith("key"))).toEqual([]);
  });

  it("that cannot be created or written: the key is only for this run", async () => {
    using directory = makeTempDir();
    const file = directory.write("a-file", "");
    const first = await kidWith(join(file, "keys"));
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(await kidWith(join(file, "keys"))).not.toBe(first);
    expect(await kidOfRun("ES256", { journal: join(file, "journal") })).toMatch(/^[\w-]{43}$/);
  });

  it.each(["", "{", "null", "{}"])(
    "with a file that has no key but %j is not changed, and reported once; the key is only for this run",
    async (content) => {
      using directory = makeTempDir();
      const file = directory.write("key-ES256.json", content);
      expect(await kidWith(directory.path)).toMatch(/^[\w-]{43}$/);
      expect(readFileSync(file, "utf8")).toBe(content);
      const why = content === "" || content === "{" ? "is damaged" : "contains no private key";
      expect(troubles).toEqual([
        `the key file ${file} ${why}: this run signs with a temporary key; delete the file to have a new one saved`,
      ]);
    },
  );

  it("is used by several runs at once: later runs have the stored key", async () => {
    using directory = makeTempDir();
    await Promise.all(Array.from({ length: 4 }, () => kidWith(directory.path)));
    const { kid } = (await createTokenSigner(keyFiles(directory.path, () => {})).jwks("ES256")).keys[0] ?? {};
    expect(await kidWith(directory.path)).toBe(kid);
    expect(readdirSync(directory.path)).toEqual(["key-ES256.json"]);
  });
});
