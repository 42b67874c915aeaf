import { expect, test } from "vitest";
import { appSecrets } from "../../src/config/secrets.ts";

test.each([
  ["projects", []],
  ["Exchange", []],
  ["project5", ["client secret"]],
  ["kXqWvBnMzLpT", ["client secret"]],
  ["app-sim-client-secret-long-enough-for-HS256", ["client secret"]],
])("S27: %s as a client secret is searched for in answers only if no page has it by chance", (clientSecret, names) => {
  const found = appSecrets({ clientSecret, appSecret: "appsecret" }).map(({ name }) => name);
  expect(found).toEqual(names);
});
