import path from "node:path";
import { shellWord } from "../../output/shell-word.ts";
import { isJsonObject } from "../../protocol/json-object.ts";
import { UsageError } from "../../protocol/usage-error.ts";

const localizationEndings: readonly string[] = [
  ...[".yaml", ".yml", ".xml", ".strings", ".stringsdict", ".po", ".pot", ".xlf", ".xliff", ".xlf2"],
  ...[".arb", ".properties"],
];

/** The error for a file that is not JSON, and is not named as if it were; null: it is. */
export function otherFormat(file: string): UsageError | null {
  const ending = path.extname(file).toLowerCase();
  if (ending === ".json" || ending === "") return null;
  const word = shellWord(file);
  if (!localizationEndings.includes(ending))
    return new UsageError(
      "fixture-invalid",
      `${file} is not a fixture, which is a JSON file with the strings to import`,
      `if it is a localization file, \`app-sim fixture ${word}\` makes a fixture from it`,
    );
  const run = /^\.ya?ml$/.test(ending) ? `; \`app-sim run ${word}\` plays it, if it is a scenario` : "";
  return new UsageError(
    "fixture-invalid",
    `${file} is not a fixture, which is a JSON file`,
    `\`app-sim fixture ${word}\` makes a fixture from a localization file${run}`,
  );
}

interface OtherKind {
  readonly what: string;
  /** Recognizes such a file: texts to translate may have any of these names, too. */
  readonly is: (input: Readonly<Record<string, unknown>>) => boolean;
  /** The command for such a file. */
  readonly command: (file: string) => string;
}

const otherKinds: readonly OtherKind[] = [
  {
    what: "a scenario",
    is: ({ steps }) => isListOf(steps, isJsonObject),
    command: (file) => `\`app-sim run ${file}\` plays it`,
  },
  {
    what: "a manifest",
    is: ({ modules }) => isJsonObject(modules) && Object.values(modules).every(Array.isArray),
    command: (file) => `\`app-sim manifest --manifest ${file}\` says what is in it`,
  },
  {
    what: "a webhook payload",
    is: ({ event, events }) =>
      isEventName(event) || isListOf(events, (each) => isJsonObject(each) && isEventName(each.event)),
    command: (file) => `\`app-sim webhook --data ${file}\` delivers it`,
  },
  {
    what: "a configuration",
    is: ({ app, apps }) => isAppSettings(app) || isListOf(apps, isAppSettings),
    command: (file) => `\`app-sim post-import FIXTURE --config ${file}\` uses it`,
  },
];

function isListOf(value: unknown, is: (element: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isEventName(value: unknown): boolean {
  return typeof value === "string" && /^[\w-]+(\.[\w-]+)+$/.test(value);
}

/** Whether this is an app in a configuration, with any of its settings or none yet. */
function isAppSettings(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const isAddress = typeof value.url === "string" && /^https?:/.test(value.url);
  return isAddress || Object.keys(value).length === 0 || appSettings.some((name) => Object.hasOwn(value, name));
}

const appSettings: readonly string[] = ["clientId", "clientSecret", "appSecret", "redirectUris"];

/**
 * The error for JSON without any member of a fixture: usually it is a translation file.
 * @param file null for an object
 */
export function otherJson(name: string, file: string | null, input: object): UsageError {
  const kind = otherKinds.find(({ is }) => is(input as Readonly<Record<string, unknown>>));
  const word = shellWord(file ?? name);
  return new UsageError(
    "fixture-invalid",
    `${name} is not a fixture: it has neither file nor strings`,
    kind === undefined
      ? `if it is a localization file, \`app-sim fixture ${word}\` makes a fixture from it`
      : `it looks like ${kind.what}: ${kind.command(word)}`,
  );
}
