import { readdir } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { didYouMean } from "../protocol/nearest.ts";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { Choices } from "./choices.ts";
import { configFileSchema } from "./config-file-schema.ts";
import { CONFIG_LIMIT_BYTES, readJsonFile } from "./json-file.ts";
import { parseChoice } from "./parse-choice.ts";
import { configKeysAt } from "./setting-names.ts";
import { shippedFixtures } from "./shipped-fixtures.ts";

/** The profiles that come with app-sim. */
const shippedProfiles = path.join(shippedFixtures, "profiles");

function profileSchema() {
  return z.strictObject({
    name: z.string().min(1).optional(),
    description: z.string().optional(),
    choices: z.record(z.string(), z.unknown()),
    configuration: configFileSchema()
      .pick({ organization: true, users: true, projects: true, login: true, oauth: true, postImport: true })
      .default({}),
  });
}

/** How a deployment differs: its choices, and its configuration defaults. */
export interface Profile {
  readonly choices: Partial<Choices>;
  /** Defaults of the configuration. A profile never says where an app is, or what its secrets are. */
  readonly configuration: z.infer<ReturnType<typeof profileSchema>>["configuration"];
}

/**
 * Reads a profile: a shipped one by its name, or a file, relative to `directory`.
 * @param namedBy the file, variable or flag that names the profile, for messages
 * @throws UsageError for an unknown name, an unreadable file or a choice that is not allowed
 */
export async function readProfile(nameOrFile: string, directory: string, namedBy: string): Promise<Profile> {
  const isName = /^[\w-]+$/.test(nameOrFile);
  const file = isName ? path.join(shippedProfiles, `${nameOrFile}.json`) : path.resolve(directory, nameOrFile);
  if (isName) await expectShipped(nameOrFile, namedBy);
  const input = await readJsonFile(file, `${namedBy}: profile`, CONFIG_LIMIT_BYTES);
  const parsed = profileSchema().safeParse(input);
  if (!parsed.success) {
    throw new UsageError(
      "profile-invalid",
      `${namedBy}: profile ${nameOrFile} is not valid`,
      'expected {"name": …, "choices": {id: value}, "configuration": {"organization": {…}, …}}',
      problemsOf(parsed.error, input, keysAt),
    );
  }
  const from = `profile ${nameOrFile}`;
  const { choices, configuration } = parsed.data;
  return {
    choices: Object.assign({}, ...Object.entries(choices).map(([id, value]) => parseChoice(id, value, from))),
    configuration,
  };
}

/** The names that are allowed in the object at `path` of a profile, for messages. */
function keysAt(path: string): readonly string[] {
  if (path === "") return Object.keys(profileSchema().shape);
  const inConfiguration = path.replace(/^configuration\.?/, "");
  return inConfiguration === ""
    ? Object.keys(profileSchema().shape.configuration.unwrap().shape)
    : configKeysAt(inConfiguration);
}

async function expectShipped(name: string, namedBy: string): Promise<void> {
  const names = (await readdir(shippedProfiles)).map((file) => path.basename(file, ".json")).sort();
  if (names.includes(name)) return;
  throw new UsageError(
    "unknown-profile",
    `${namedBy}: there is no profile "${name}".${didYouMean(name, names)}`,
    `shipped profiles: ${names.join(", ")}; give a file with its path, such as ./${name}.json`,
  );
}
