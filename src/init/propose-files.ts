import path from "node:path";
import { variablesInDotenv } from "../config/dotenv.ts";
import { wayTo } from "../config/file-places.ts";
import type { LoadedConfig } from "../config/load.ts";
import { repositoryTop } from "../config/repository.ts";
import { findFixture } from "../fixture/find-localization.ts";
import { jsonText } from "../output/json.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { dotenvLine, knownPort } from "../settings/env-command.ts";
import { variablesFor } from "../settings/variables.ts";
import type { ConfigFormat } from "./config-text.ts";
import type { FoundProject } from "./project.ts";
import {
  addedLines,
  ciFile,
  configFile,
  contractTest,
  type FileParts,
  notIgnored,
  type ProposedFile,
} from "./project-files.ts";
import { pythonContract } from "./python-contract.ts";
import { textAt } from "./write-file.ts";

/** Files to write, existing ones that stay as they are, and warnings for the user. */
interface Proposal {
  readonly files: readonly ProposedFile[];
  readonly there: readonly ProposedFile[];
  readonly warnings: readonly string[];
}

interface ProposalParts {
  readonly folder: string;
  readonly project: FoundProject;
  readonly url: string;
  readonly loaded: LoadedConfig;
  /** The format of a new config file. */
  readonly configFormat: ConfigFormat;
  /** The members of the blocks `app` and `verify` that the running app was found to need; null if it is not running. */
  readonly asked: FileParts["asked"];
}

/** Decides which files a project needs; writes nothing. */
export async function proposeFiles({
  folder,
  project,
  url,
  loaded,
  asked,
  configFormat,
}: ProposalParts): Promise<Proposal> {
  const top = repositoryTop(folder);
  const below = top === null ? "" : wayTo(folder, top);
  const fixture = await fixtureFile(folder);
  const platform = platformSettings(loaded);
  const parts: FileParts = { project, url, asked, platform, fixture: fixture?.file ?? null, below };
  const environment = await environmentFile(folder, loaded);
  const dotenv = await textAt(path.join(folder, ".env"));
  const isNewEnvironment = environment.file !== null && dotenv === null;
  const ignored = await ignoreFile(folder, top, isNewEnvironment);
  const own = await configFile(parts, configFormat);
  const config = loaded.file === null ? own : { ...own, file: wayTo(loaded.file.path, folder) };
  const contract = project.language === "python" ? await pythonContract(project) : contractTest(parts, config.file);
  const all = [fixture, config, environment.file, contract, ciFile(parts), ignored];
  const files: ProposedFile[] = [];
  const there: ProposedFile[] = [];
  for (const file of all) {
    if (file === null) continue;
    const isThere = (await textAt(path.resolve(folder, file.file))) !== null;
    if (isThere && !file.isAdded) there.push(file);
    else files.push(file);
  }
  if (environment.file === null && dotenv !== null) there.push({ ...dotenvFile, content: "", isAdded: true });
  const gitlab = ".gitlab-ci.yml has to include it: include: { local: .gitlab/app-sim.yml }";
  const isElsewhere = /^(?:file|link|portal):(?:\/|(?:\.\/)*\.\.)/.test(project.appSim ?? "");
  const elsewhere = `package.json installs app-sim from ${project.appSim}, which CI may not have: node_modules/app-sim/docs/ci.md shows other ways`;
  const isApart = loaded.file !== null && environment.file !== null && Object.keys(platform).length > 0;
  const apart = `the addresses in .env are right only if ${config.file} has these settings: ${JSON.stringify(platform)}`;
  const warnings = [
    ...environment.warnings,
    ...(isApart ? [apart] : []),
    ...(project.ci === "gitlab" ? [gitlab] : []),
    ...(isElsewhere ? [elsewhere] : []),
  ];
  return { files, there, warnings };
}

/** What variables and flags say about the platform's address, which is in `.env`. */
function platformSettings({ given }: LoadedConfig): object {
  const { port, tls, publicUrl } = given.value;
  const said = Object.entries({ port, tls: tls === true ? tls : undefined, publicUrl });
  return Object.fromEntries(said.filter(([, value]) => value !== undefined));
}

const dotenvFile = {
  file: ".env",
  purpose:
    "the platform's addresses and your app's secrets; app-sim dev sets them, and if you start your app in another way, let it read this file, as node --env-file=.env does",
};

/** The variables of `app-sim env` that `.env` lacks. */
async function environmentFile(
  folder: string,
  { config }: LoadedConfig,
): Promise<{ readonly file: ProposedFile | null; readonly warnings: readonly string[] }> {
  const there = (await textAt(path.join(folder, ".env"))) ?? "";
  const known = variablesInDotenv(there);
  knownPort(config);
  const variables = Object.entries(variablesFor(config, "PLATFORM_"));
  const missing = variables.filter(([name]) => !known.has(name));
  const other = variables.filter(([name, value]) => known.has(name) && known.get(name) !== value);
  const names = other.map(([name]) => name).join(", ");
  return {
    file: addedLines(dotenvFile.file, dotenvFile.purpose, {
      there,
      wanted: missing.map(([name, value]) => dotenvLine(name, value)),
    }),
    warnings:
      other.length === 0
        ? []
        : [`.env has different values than app-sim for ${names}: app-sim env prints those that app-sim uses`],
  };
}

/** Files that git should ignore: the journal contains secrets, and so does what `app-sim env` prints. */
async function ignoreFile(folder: string, top: string | null, isNewEnvironment: boolean): Promise<ProposedFile | null> {
  const there = await textAt(path.join(folder, ".gitignore"));
  if (there === null && top === null) return null;
  const wanted = [".app-sim/", ...(isNewEnvironment ? [".env"] : []), ".env.app-sim"];
  return addedLines(".gitignore", "the journal of app-sim contains every exchange, including secrets", {
    there: there ?? "",
    wanted: notIgnored(there ?? "", wanted),
  });
}

async function fixtureFile(folder: string): Promise<ProposedFile | null> {
  const found = await findFixture(folder, path.join(folder, "fixtures", "jobs")).catch((error: unknown) => {
    // A project without texts gets everything else.
    if (error instanceof UsageError) return null;
    throw error;
  });
  if (found === null) return null;
  return {
    file: wayTo(found.target, folder),
    purpose: `a job for post-import, made from ${found.file}`,
    content: jsonText(found.content),
    isAdded: false,
  };
}
