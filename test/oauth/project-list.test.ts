import { describe, expect, it } from "vitest";
import type { Role } from "../../src/config/roles.ts";
import type { Project } from "../../src/config/schema.ts";
import { visibleProjects } from "../../src/config/users.ts";
import { parametersOf } from "../../src/oauth/rules/oauth-parameters.ts";
import { projectList, readListPage } from "../../src/oauth/rules/project-list.ts";

const project = (id: number, members?: string[]): Project => ({
  id,
  identifier: `p${id}`,
  name: `P ${id}`,
  sourceLanguage: "en",
  targetLanguages: ["uk"],
  ...(members === undefined ? {} : { members }),
});
const projects = [project(1), project(2, ["ada"]), project(3, []), project(4, ["ada", "bo"])];

describe("which projects a user sees", () => {
  it.each<[Role, string, number[]]>([
    ["owner", "x", [1, 2, 3, 4]],
    ["admin", "x", [1, 2, 3, 4]],
    ["manager", "ada", [1, 2, 4]],
    ["member", "bo", [1, 4]],
    ["member", "x", [1]],
    ["outsider", "x", []],
    ["outsider", "bo", [4]],
  ])("%s %s", (role, login, ids) => {
    expect(visibleProjects(projects, { role, login }).map(({ id }) => id)).toEqual(ids);
  });
});

describe("which page is asked for", () => {
  const read = (query: string) => readListPage(parametersOf(new URLSearchParams(query)));
  it.each([
    ["", { offset: 0, limit: 25 }],
    ["limit=1", { offset: 0, limit: 1 }],
    ["limit=500&offset=999999999", { offset: 999_999_999, limit: 500 }],
    ["limit=007", { offset: 0, limit: 7 }],
    ["limit=&offset=", { offset: 0, limit: 25 }],
    ["page=2", { offset: 0, limit: 25 }],
  ])("%j", (query, page) => {
    expect(read(query)).toEqual(page);
  });

  it.each([
    ["limit=0", "limit must be a whole number from 1 to 500"],
    ["limit=501", "limit must be a whole number from 1 to 500"],
    ["limit=-1", "limit must be a whole number from 1 to 500"],
    ["limit=1.0", "limit must be a whole number from 1 to 500"],
    ["limit=1&limit=1", "limit was sent more than once"],
    ["offset=1&offset=", "offset was sent more than once"],
    ["offset=1000000000000000", "offset must be a whole number from 0"],
    ["offset=x", "offset must be a whole number from 0"],
  ])("%j is refused", (query, problem) => {
    expect(read(query)).toBe(problem);
  });
});

it("a page beyond the end is empty, and has its offset", () => {
  const organization = { id: 7, domain: "acme", edition: "enterprise" } as const;
  expect(projectList(projects, { offset: 4, limit: 2 }, organization)).toEqual({
    data: [],
    pagination: { offset: 4, limit: 2 },
  });
  const { data } = projectList(projects, { offset: 3, limit: 2 }, organization);
  expect(data).toEqual([{ data: expect.objectContaining({ id: 4, organization: "acme", sourceLanguageId: "en" }) }]);
});
