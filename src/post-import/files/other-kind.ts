import path from "node:path";
import { shellWord } from "../../output/shell-word.ts";
import { UsageError } from "../../protocol/usage-error.ts";

const localizationEndings: readonly string[] = [
  ...[".yaml", ".yml", ".xml", ".strings", ".stringsdict", ".po", ".pot", ".xlf", ".xliff", ".xlf2"],
  ...[".arb", ".properties"],
];

/** What is said of a file that is not JSON, as a fixture is, where its name tells what it is; null: it does not. */
export function otherFormat(file: string): UsageError | null {
  const ending = path.extname(file).toLowerCase();
  if (!localizationEndings.includes(ending)) return null;
  const word = shellWord(file);
  const run = /^\.ya?ml$/.test(ending) ? `; \`app-sim run ${word}\` plays it, if it is a scenario` : "";
  return new UsageError(
    "fixture-invalid",
    `${file} is not a fixture, which is a JSON file`,
    `\`app-sim fixture ${word}\` makes a fixture of a localization file${run}`,
  );
}

/** Members that only another kind of file has, and the command that takes it. */
const otherKinds: readonly (readonly [members: readonly string[], what: string, command: (file: string) => string])[] =
  [
    [["steps"], "a scenario", (file) => `\`app-sim run ${file}\` plays it`],
    [["modules"], "a manifest", (file) => `\`app-sim manifest --manifest ${file}\` says what is in it`],
    [["event", "events"], "a webhook payload", (file) => `\`app-sim webhook --data ${file}\` delivers it`],
    [["app", "apps"], "a configuration", (file) => `\`app-sim post-import FIXTURE --config ${file}\` uses it`],
  ];

/**
 * What is said of JSON without any member of a fixture: most often it is a file of translations.
 * @param file null: it was given as an object
 */
export function otherJson(name: string, file: string | null, input: object): UsageError {
  const [, what, command] =
    otherKinds.find(([members]) => members.some((member) => Object.hasOwn(input, member))) ?? [];
  const word = shellWord(file ?? name);
  return new UsageError(
    "fixture-invalid",
    `${name} is not a fixture: it has neither file nor strings`,
    command === undefined
      ? `if it is a localization file, \`app-sim fixture ${word}\` makes a fixture of it`
      : `it looks like ${what}: ${command(word)}`,
  );
}
