import type { Organization, Project } from "../../config/schema.ts";
import type { ImportJob, StringRecord } from "../../protocol/import-job.ts";
import type { Language } from "../../protocol/language.ts";
import type { ShortFixture, ShortString } from "../files/fixture-shape.ts";

/** File ids are not configured: any integer will do. */
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

/** The job (interface 2.3) of a short fixture, without the strings and the content of the file. */
export function jobOf(parts: JobParts): ImportJob {
  const { organization, project, fixture, baseUrl } = parts;
  return {
    jobType: parts.jobType,
    organization: { id: organization.id, domain: organization.domain, baseUrl, apiBaseUrl: baseUrl },
    project: { id: project.id, identifier: project.identifier, name: project.name },
    file: { id: fixture.file.id ?? DEFAULT_FILE_ID, name: parts.fileName, content: "" },
    sourceLanguage: parts.sourceLanguage,
    targetLanguages: [...parts.targetLanguages],
    strings: [],
  };
}

/** The string record (interface 2.5) of a string of a short fixture; positions count from 0. */
export function recordOf(string: ShortString, position: number, fileHash: string): StringRecord {
  return { ...string, uniqId: string.uniqId ?? `${fileHash}::${position + 1}` };
}

/** Strings and source file of a job, or their addresses (interface 2.3). */
export interface Payload {
  readonly strings: { readonly strings: readonly StringRecord[] } | { readonly stringsUrl: string };
  readonly content: { readonly content: string } | { readonly contentUrl: string };
}

/** The job with its strings and source file, or their addresses, in their original places. */
export function jobWithPayload(job: ImportJob, { strings, content }: Payload): ImportJob {
  const file = replaced(job.file, ["content", "contentUrl"], content);
  return replaced({ ...job, file }, ["strings", "stringsUrl"], strings);
}

/** The object with the named members replaced, at the place of the first of them, or else at the end. */
function replaced<T extends object>(object: T, names: readonly string[], members: object): T {
  const isReplaced = ([name]: [string, unknown]) => names.includes(name);
  const entries = Object.entries(object);
  const first = entries.findIndex(isReplaced);
  const at = first < 0 ? entries.length : first;
  const after = entries.slice(at).filter((entry) => !isReplaced(entry));
  return Object.fromEntries([...entries.slice(0, at), ...Object.entries(members), ...after]) as T;
}
