import type { Config, Project } from "../../config/schema.ts";
import { type Parameters, parameterOf, repeatedOf } from "./oauth-parameters.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 500;

export interface ListPage {
  readonly offset: number;
  readonly limit: number;
}

/** Reads `limit` and `offset` (choice `api.projects`), or returns what is wrong with them. */
export function readListPage(parameters: Parameters): ListPage | string {
  const repeated = repeatedOf(parameters, ["limit", "offset"]);
  if (repeated !== null) return `${repeated} was sent more than once`;
  const limit = readNumber(parameterOf(parameters, "limit"), DEFAULT_LIMIT);
  const offset = readNumber(parameterOf(parameters, "offset"), 0);
  if (limit === null || limit < 1 || limit > MAX_LIMIT) return `limit must be a whole number from 1 to ${MAX_LIMIT}`;
  if (offset === null) return "offset must be a whole number from 0";
  return { offset, limit };
}

function readNumber(text: string | null, otherwise: number): number | null {
  if (text === null) return otherwise;
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** One page of a list of projects, as the REST API shows it (choice `api.projects`). */
export function projectList(
  projects: readonly Project[],
  { offset, limit }: ListPage,
  { domain }: Config["organization"],
) {
  return {
    data: projects.slice(offset, offset + limit).map((project) => ({
      data: {
        id: project.id,
        identifier: project.identifier,
        name: project.name,
        organization: domain,
        sourceLanguageId: project.sourceLanguage,
        targetLanguageIds: project.targetLanguages,
      },
    })),
    pagination: { offset, limit },
  };
}
