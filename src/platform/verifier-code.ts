import { readFile } from "node:fs/promises";
import path from "node:path";
import { shippedFixtures } from "../config/shipped-fixtures.ts";

/** Each file works unchanged; lines for other circumstances are comments in it. */
const conditionalLine = /^(\s*)(?:(?:\/\/|#) )?(.*\S)\s+(?:\/\/|#) if ([\w ]+)$/;

/** The code in a file of `fixtures/verifiers`, with the conditional lines whose condition is given. */
export async function readVerifier(file: string, conditions: readonly string[]): Promise<string> {
  const template = await readFile(path.join(shippedFixtures, "verifiers", file), "utf8");
  const lines = template.split("\n").flatMap((line) => {
    const [, indent, code, wanted] = conditionalLine.exec(line) ?? [];
    if (wanted === undefined) return [line];
    return wanted.split(" ").some((condition) => conditions.includes(condition)) ? [`${indent}${code}`] : [];
  });
  return lines.join("\n").trim();
}
