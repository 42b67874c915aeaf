import type { Organization, Project } from "../../config/schema.ts";
import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { Language } from "../../protocol/language.ts";
import type { ShortFixture, ShortString } from "../files/fixture-shape.ts";

/** Ids of files are not configured; any whole number will do. */
const DEFAULT_FILE_ID = 9001;

export interface JobParts {
  readonly fixture: ShortFixture;
  readonly fileName: string;
  readonly organization: Organization;
  readonly project: Project;
  readonly sourceLanguage: Language;
  readonly targetLanguages: readonly Language[];
  /** Address of the platform. */
  readonly baseUrl: string;
  readonly jobType: string;
}

/** The wire job (interface 2.3) that a short fixture stands for, but for the strings and the content of the file. */
export function jobOf(parts: JobParts): ImportJob {
  const { organization, project, fixture } = parts;
  return {
    jobType: parts.jobType,
    organization: {
      id: organization.id,
      domain: organization.domain,
      baseUrl: parts.baseUrl,
      apiBaseUrl: parts.baseUrl,
    },
    project: { id: project.id, identifier: project.identifier, name: project.name },
    file: { id: fixture.file.id ?? DEFAULT_FILE_ID, name: parts.fileName, content: "" },
    sourceLanguage: parts.sourceLanguage,
    targetLanguages: [...parts.targetLanguages],
    strings: [],
  };
}

/** The string record (interface 2.5) that a string of a short fixture stands for; positions count from 0. */
export function recordOf(string: ShortString, position: number, fileHash: string): StringRecord {
  return { ...string, uniqId: string.uniqId ?? `${fileHash}::${position + 1}` };
}

/** How the strings of a job travel, and how its source file does (interface 2.3). */
export interface Payload {
  readonly strings: { readonly strings: readonly StringRecord[] } | { readonly stringsUrl: string };
  readonly content: { readonly content: string } | { readonly contentUrl: string };
}

/** The job with its strings and its source file, each in the place where the job has them or their address. */
export function withPayload(job: ImportJob, { strings, content }: Payload): ImportJob {
  return replaced(
    { ...job, file: replaced(job.file, ["content", "contentUrl"], content) },
    ["strings", "stringsUrl"],
    strings,
  );
}

/** The object with those members replaced by others, at the place of the first of them, or else at the end. */
function replaced<T extends object>(object: T, names: readonly string[], members: object): T {
  const entries = Object.entries(object);
  const first = entries.find(([name]) => names.includes(name))?.[0];
  const kept = entries.flatMap(([name, value]) => {
    if (name === first) return Object.entries(members);
    return names.includes(name) ? [] : [[name, value] as const];
  });
  return Object.fromEntries(first === undefined ? [...kept, ...Object.entries(members)] : kept) as T;
}
