import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { didYouMean } from "../protocol/nearest.ts";
import { problemsOf } from "../protocol/problems.ts";
import { UsageError } from "../protocol/usage-error.ts";
import type { Choices } from "./choices.ts";
import { CONFIG_LIMIT_BYTES, readJsonFile } from "./json-file.ts";
import { parseChoice } from "./parse-choice.ts";

/** The profiles that come with app-sim. */
const shippedProfiles = fileURLToPath(new URL("../../fixtures/profiles/", import.meta.url));

const profileSchema = z.strictObject({
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  choices: z.record(z.string(), z.unknown()),
});

/**
 * The choices of a profile: a shipped one by its name, or a file, relative to `directory`.
 * @param namedBy the file, variable or flag that names the profile, for messages
 * @throws UsageError for an unknown name, an unreadable file or a choice that is not allowed
 */
export async function readProfile(nameOrFile: string, directory: string, namedBy: string): Promise<Partial<Choices>> {
  const isName = /^[\w-]+$/.test(nameOrFile);
  const file = isName ? path.join(shippedProfiles, `${nameOrFile}.json`) : path.resolve(directory, nameOrFile);
  if (isName) await expectShipped(nameOrFile, namedBy);
  const input = await readJsonFile(file, `${namedBy}: profile`, CONFIG_LIMIT_BYTES);
  const parsed = profileSchema.safeParse(input);
  if (!parsed.success) {
    throw new UsageError(
      "profile-invalid",
      `${namedBy}: profile ${nameOrFile} is not valid`,
      'expected {"name": …, "choices": {id: value}}',
      problemsOf(parsed.error, input, () => Object.keys(profileSchema.shape)),
    );
  }
  const from = `profile ${nameOrFile}`;
  return Object.assign({}, ...Object.entries(parsed.data.choices).map(([id, value]) => parseChoice(id, value, from)));
}

async function expectShipped(name: string, namedBy: string): Promise<void> {
  const names = (await readdir(shippedProfiles)).map((file) => path.basename(file, ".json")).sort();
  if (names.includes(name)) return;
  throw new UsageError(
    "unknown-profile",
    `${namedBy}: there is no profile "${name}".${didYouMean(name, names)}`,
    `shipped profiles: ${names.join(", ")}; a file is named with its path, such as ./${name}.json`,
  );
}
