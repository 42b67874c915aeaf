import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { createPatternMatcher } from "../../src/post-import/run/match-pattern.ts";
import { buildModule } from "../rig/build-module.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const matcher = createPatternMatcher();
afterEach(() => matcher.close());

const evil = "^(a+)+$";
const bait = `${"a".repeat(40)}!`;

describe("createPatternMatcher", () => {
  it("says whether a pattern matches, anywhere in the text", async () => {
    expect(await matcher.test("\\.json$", "a.json")).toEqual({ kind: "match" });
    expect(await matcher.test("\\.json$", "a.json5")).toEqual({ kind: "no-match" });
  });

  it("says what is wrong with an invalid regular expression", async () => {
    expect(await matcher.test("(", "(")).toEqual({
      kind: "invalid",
      reason: "unterminated group: close it with ), or write \\( to match a parenthesis",
    });
  });

  it("gives each of many simultaneous requests its own answer, even if one never ends", async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `file-${index}.json`);
    const asked = texts.flatMap((text, index) => [
      ...(index === 20 ? [matcher.test(evil, bait)] : []),
      matcher.test(`^file-${index}\\.`, text),
      matcher.test(`^file-${index + 1}\\.`, text),
    ]);
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    expect(kinds.splice(40, 1)).toEqual(["too-slow"]);
    expect(kinds).toEqual(texts.flatMap(() => ["match", "no-match"]));
  });

  it("closes after earlier requests, and can be used again", async () => {
    const asked = matcher.test("a", "a");
    await matcher.close();
    await matcher.close();
    expect(await asked).toEqual({ kind: "match" });
    expect(await matcher.test("b", "a")).toEqual({ kind: "no-match" });
  });

  it("takes a pattern as a pattern, not as code", async () => {
    const injection = '"+require("node:process").exit(9)+"';
    expect(await matcher.test(injection, injection)).toEqual({ kind: "no-match" });
    expect(await matcher.test("^[\0\u2028'\"`]+$", "`'\"\0\u2028")).toEqual({ kind: "match" });
  });

  it("S23: a catastrophic pattern is abandoned while everything else continues", async () => {
    await matcher.test("warm", "up");
    let isGivenUp = false;
    const slow = matcher.test(evil, bait).finally(() => {
      isGivenUp = true;
    });
    let turns = 0;
    while (!isGivenUp) {
      await new Promise(setImmediate);
      turns += 1;
    }
    expect(await slow).toEqual({ kind: "too-slow", ms: 1000 });
    expect(turns).toBeGreaterThan(100);
  });
});

describe("in the bundle", () => {
  it("it works, and keeps no process alive", async () => {
    using folder = makeTempDir();
    const built = await buildModule("post-import/run/match-pattern.ts", folder.path);
    const script = `
      const { createPatternMatcher } = await import(${JSON.stringify(built)});
      console.log(JSON.stringify(await createPatternMatcher().test("^a", "ab")));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
    expect(JSON.parse(stdout)).toEqual({ kind: "match" });
  });
});
