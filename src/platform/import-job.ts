import { createHash } from "node:crypto";
import type { Organization, Project } from "../config/schema.ts";
import type { ShortFixture, ShortString } from "../protocol/fixture.ts";
import type { ImportJob } from "../protocol/import-job.ts";
import type { Language } from "../protocol/language.ts";

/** Ids of files are not configured; any whole number will do. */
const DEFAULT_FILE_ID = 9001;

export interface JobParts {
  readonly fixture: ShortFixture;
  readonly fileName: string;
  /** The source file's bytes, base64. */
  readonly content: string;
  readonly strings: readonly ShortString[];
  readonly organization: Organization;
  readonly project: Project;
  readonly sourceLanguage: Language;
  readonly targetLanguages: readonly Language[];
  /** Address of the platform. */
  readonly baseUrl: string;
  readonly jobType: string;
}

/** The wire job (interface 2.3) that a short fixture stands for. */
export function jobOf(parts: JobParts): ImportJob {
  const { organization, project, fixture, content } = parts;
  const fileHash = createHash("md5").update(content, "base64").digest("hex");
  return {
    jobType: parts.jobType,
    organization: {
      id: organization.id,
      domain: organization.domain,
      baseUrl: parts.baseUrl,
      apiBaseUrl: parts.baseUrl,
    },
    project: { id: project.id, identifier: project.identifier, name: project.name },
    file: { id: fixture.file.id ?? DEFAULT_FILE_ID, name: parts.fileName, content },
    sourceLanguage: parts.sourceLanguage,
    targetLanguages: [...parts.targetLanguages],
    strings: parts.strings.map((string, index) => ({
      ...string,
      uniqId: string.uniqId ?? `${fileHash}::${index + 1}`,
    })),
  };
}
