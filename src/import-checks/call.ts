import { moduleTokenParts } from "../checking/module-request.ts";
import type { RequestParts } from "../checking/request-parts.ts";
import type { ChoiceReader } from "../config/choices.ts";
import { findLanguage } from "../config/languages.ts";
import type { User } from "../config/schema.ts";
import type { SimulatorContext } from "../platform/context.ts";
import type { ImportModule } from "../platform/manifest.ts";
import type { InstalledApp } from "../platform/manifests.ts";
import { closeStrings, planJobs } from "../post-import/files/plan-jobs.ts";
import type { ImportContext } from "../post-import/import-context.ts";
import { importAccess, importingUser } from "../post-import/rules/import-access.ts";
import { jobOf, jobWithPayload } from "../post-import/rules/import-job.ts";
import { importMismatch } from "../post-import/rules/import-modules.ts";
import type { ImportJob, StringRecord } from "../protocol/import-job.ts";
import type { Language } from "../protocol/language.ts";
import { joinUrl } from "../protocol/url.ts";
import { type OwnFile, ownFiles } from "./file.ts";
import { plainStrings } from "./strings.ts";

/** The post-import module of an installed app. */
export interface InstalledImport {
  readonly installed: InstalledApp;
  readonly module: ImportModule;
  /** Whose import it is. */
  readonly user: User;
}

/** A job that fits a module, and how to write its file for other strings. */
export interface FittingJob {
  readonly job: ImportJob;
  /** null: the file stays as it is. */
  readonly file: OwnFile | null;
}

/** Who imports: the configured user, or else one who may (interface 1). */
export function importUser({ config }: SimulatorContext, { app }: InstalledApp): User {
  const [project = null] = config.projects;
  const isAllowed = (user: User) => importAccess(app, config, project, user) === null;
  const asked = importingUser(config.users, config.postImport.user);
  return isAllowed(asked) ? asked : (config.users.find(isAllowed) ?? asked);
}

/** The platform's language of this id. */
export function knownLanguage(id: string): Language {
  const found = findLanguage(id);
  if (found === undefined) throw new RangeError(`"${id}" is not a language of the platform`);
  return found;
}

/** Jobs with their strings and file inline, likeliest to be accepted first; at most `limit`. */
export async function fittingJobs(
  context: ImportContext,
  choices: ChoiceReader,
  { module }: InstalledImport,
  limit: number,
): Promise<FittingJob[]> {
  const configured = await configuredJobs(context, choices);
  const fitting: FittingJob[] = [];
  const fits = ({ file: { name, content = "" } }: ImportJob) =>
    importMismatch(module, { name, content: Buffer.from(content, "base64") }, choices, context.patterns.test);
  for (const job of configured) if ((await fits(job)) === null) fitting.push({ job, file: null });
  const baseUrl = await context.listen();
  for (const file of ownFiles(module)) {
    if (fitting.length >= limit) break;
    const job = ownJob(context, choices, file, baseUrl);
    if ((await fits(job)) === null) fitting.push({ job, file });
  }
  return fitting;
}

/** The jobs of `verify.fixtures`. */
async function configuredJobs(context: ImportContext, choices: ChoiceReader): Promise<ImportJob[]> {
  const planned = await planJobs(context, choices, context.config.verify.fixtures, {});
  try {
    return await Promise.all(
      planned.map(async ({ job, strings, fixture: { sourceFile } }) => {
        const records = Array.from({ length: strings.count }, (_, position) => strings.record(position));
        const content =
          sourceFile.size === null ? { contentUrl: sourceFile.url ?? "" } : { content: await sourceFile.base64() };
        return jobWithPayload(job, { strings: { strings: records }, content });
      }),
    );
  } finally {
    closeStrings(planned);
  }
}

function ownJob({ config }: SimulatorContext, choices: ChoiceReader, file: OwnFile, baseUrl: string): ImportJob {
  const [project] = config.projects;
  const strings = plainStrings();
  const job = jobOf({
    fixture: { file: {} },
    fileName: file.name,
    organization: config.organization,
    project: project as NonNullable<typeof project>,
    sourceLanguage: knownLanguage("en"),
    targetLanguages: [],
    baseUrl,
    jobType: choices.get("wire.jobType"),
  });
  return withOwnFile({ ...job, strings: [...strings] }, file, strings);
}

/** The job with a file that contains these strings. */
export function withOwnFile(
  job: ImportJob,
  file: OwnFile | null,
  written: readonly StringRecord[] | undefined,
): ImportJob {
  if (file === null || written === undefined) return job;
  return { ...job, file: { ...job.file, content: Buffer.from(file.contentOf(written)).toString("base64") } };
}

/** A post-import call (interface 2.3, 4.2), with the credentials of the choice `postImport.auth`. */
export async function importRequest(
  context: SimulatorContext,
  choices: ChoiceReader,
  { installed: { app }, module, user }: InstalledImport,
  job: ImportJob,
): Promise<RequestParts> {
  const auth = choices.get("postImport.auth");
  const subject = { app, user, module: module.key, project: job.project };
  return {
    method: "POST",
    url: joinUrl(app.url, module.url),
    headers: [
      ["Content-Type", "application/json"],
      ["Accept-Encoding", "identity"],
    ],
    body: { json: job },
    token: auth === "none" ? null : await moduleTokenParts(context, choices, subject),
    tokenIn: auth === "query" ? { query: "jwtToken" } : { scheme: "Bearer" },
  };
}
