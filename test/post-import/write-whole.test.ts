import { readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWhole } from "../../src/post-import/files/write-whole.ts";
import { usageErrorOf } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

async function* pieces(...some: readonly (string | Error)[]): AsyncGenerator<string> {
  for (const piece of some) {
    if (typeof piece !== "string") throw piece;
    yield piece;
  }
}

function halves(text: string): string[] {
  const middle = text.length / 2;
  return [text.slice(0, middle), text.slice(middle)];
}

describe("a file that is written whole", () => {
  it.each([
    ["its user's alone", 0o600],
    ["everybody's to read", 0o644],
  ])("replaces an earlier one, and is %s", async (_, mode) => {
    using directory = makeTempDir();
    const file = directory.write("answer", "earlier");
    const whole = await openWhole(file, "--save", mode);
    expect(readFileSync(file, "utf8")).toBe("earlier");
    await whole.write(pieces("a", "Ö", ""));
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["aÖ", mode & ~process.umask()]);
    expect(readdirSync(directory.path)).toEqual(["answer"]);
  });

  it("leaves the old file and no other if it ends too early", async () => {
    using directory = makeTempDir();
    const file = directory.write("answer", "earlier");
    const whole = await openWhole(file, "--save", 0o600);
    const writing = whole.write(pieces("a".repeat(100_000), new Error("no space left")));
    await expect(writing).rejects.toThrow("no space left");
    expect(readFileSync(file, "utf8")).toBe("earlier");
    expect(readdirSync(directory.path)).toEqual(["answer"]);
  });

  it("leaves the old file and no other if it is abandoned; once written it stays", async () => {
    using directory = makeTempDir();
    const file = directory.write("answer", "earlier");
    const givenUp = await openWhole(file, "--save", 0o600);
    const kept = await openWhole(file, "--save", 0o600);
    await givenUp.discard();
    expect(readFileSync(file, "utf8")).toBe("earlier");
    await kept.write(pieces("later"));
    await kept.discard();
    expect(readFileSync(file, "utf8")).toBe("later");
    expect(readdirSync(directory.path)).toEqual(["answer"]);
  });

  it("that several write at once is complete, and is that of the last to finish", async () => {
    using directory = makeTempDir();
    const file = join(directory.path, "answer");
    const texts = ["a", "b", "c"].map((letter) => letter.repeat(300_000));
    const wholes = await Promise.all(texts.map(() => openWhole(file, "--save", 0o600)));
    await Promise.all(wholes.map((whole, index) => whole.write(pieces(...halves(texts[index] ?? "")))));
    expect(texts).toContain(readFileSync(file, "utf8"));
    expect(readdirSync(directory.path)).toEqual(["answer"]);
  });

  it("is the target of a link, which stays a link", async () => {
    using directory = makeTempDir();
    const target = directory.write("sub/target", "earlier");
    const link = join(directory.path, "link");
    symlinkSync("sub/target", link);
    await (await openWhole(link, "--save", 0o600)).write(pieces("later"));
    expect([readlinkSync(link), readFileSync(target, "utf8")]).toEqual(["sub/target", "later"]);
    expect([readdirSync(directory.path).sort(), readdirSync(join(directory.path, "sub"))]).toEqual([
      ["link", "sub"],
      ["target"],
    ]);
  });

  it.each([
    ["a directory that is not there", ["none", "answer"]],
    ["a file for a directory", ["file", "answer"]],
    ["a name that is too long", ["a".repeat(300)]],
  ])("is the user's mistake in %s, reported at the start", async (_, path) => {
    using directory = makeTempDir();
    directory.write("file", "");
    const file = join(directory.path, ...path);
    const error = await usageErrorOf(openWhole(file, "--save", 0o600));
    expect(error.code).toBe("file-unwritable");
    expect(error.summary).toMatch(/ cannot be written: E[A-Z]+: [a-z ]+$/);
    expect(error.summary).toContain(`--save ${file} cannot`);
    expect(readdirSync(directory.path)).toEqual(["file"]);
  });

  it.each(["/dev/null", "."])("never replaces anything but a file: %s", async (name) => {
    const error = await usageErrorOf(openWhole(name, "--save", 0o600));
    expect(error).toMatchObject({ code: "file-unwritable", summary: `--save ${name} is not a regular file` });
  });
});
