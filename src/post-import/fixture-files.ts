import { filesNamed } from "../output/files-named.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { isExpectedAnswer } from "./files/expected-answer.ts";

/**
 * The fixtures that arguments name: files, directories (all `.json` files in them, at any depth) and glob patterns,
 * for shells that leave them as they are. In the order of the arguments.
 * @throws UsageError for an argument that names none
 */
export async function fixtureFiles(cwd: string, names: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const name of names) {
    const found = await filesNamed(cwd, name, ["**/*.json"]);
    if (found.length === 0) {
      throw new UsageError(
        "no-fixture",
        `there is no fixture in ${name}`,
        "give a fixture, a directory of fixtures (.json), or a pattern such as 'fixtures/**/*.json'",
      );
    }
    files.push(...found);
  }
  const fixtures = files.filter((file) => !isExpectedAnswer(file));
  if (fixtures.length > 0) return fixtures;
  throw new UsageError(
    "no-fixture",
    `${names.join(" ")}: that is an expected answer, not a fixture`,
    "give the fixture beside it",
  );
}
