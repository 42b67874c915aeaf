import { describe, expect, it } from "vitest";
import { z } from "zod";
import { choiceIds, defaultChoices } from "../../src/config/choices.ts";
import { configFileSchema, configJsonSchema } from "../../src/config/config-file-schema.ts";
import { defaultConfig } from "../../src/config/default-world.ts";
import { languageIds } from "../../src/config/language-ids.ts";
import { roles } from "../../src/config/roles.ts";
import { configSchema } from "../../src/config/schema.ts";

interface JsonSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: unknown;
}

const jsonSchema = configJsonSchema() as JsonSchema;
const { profile: _, ...defaults } = defaultConfig;

/** Every property by its path, `apps.url` for that of the elements. */
function properties(schema: JsonSchema, path: readonly string[] = []): [string, JsonSchema][] {
  const inner = schema.items ?? schema;
  return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => [
    [[...path, name].join("."), property],
    ...properties(property, [...path, name]),
  ]);
}

describe("configSchema", () => {
  it("accepts the default configuration, which has a user for each role", () => {
    expect(configSchema.parse(defaultConfig)).toEqual(defaultConfig);
    expect(defaultConfig.users.map(({ role }) => role)).toEqual(roles);
  });

  it("accepts the default configuration as a config file, with every choice written out", () => {
    const file = { ...defaultConfig, choices: defaultChoices };
    expect(configFileSchema().parse(file)).toEqual(file);
  });

  it.each(["http://app.example", "https://app.example:8443/base/", "http://[::1]:3000"])(
    "accepts the app address %s",
    (url) => {
      expect(configFileSchema().safeParse({ app: { url } }).success).toBe(true);
    },
  );

  it.each([
    "app.example",
    "http://",
    "ftp://app.example",
    "http://u:p@app.example",
    "http://app.example/?a",
    "http://app.example/#a",
  ])("refuses the app address %s", (url) => expect(configFileSchema().safeParse({ app: { url } }).success).toBe(false));

  it.each(["acme", "a", "acme-2", "9"])("accepts the domain %s", (domain) => {
    expect(configFileSchema().safeParse({ organization: { domain } }).success).toBe(true);
  });

  it.each(["", "Acme", "-acme", "acme-", "acme.example", "a b"])("refuses the domain %j", (domain) => {
    expect(configFileSchema().safeParse({ organization: { domain } }).success).toBe(false);
  });
});

describe("where files that an answer names may be", () => {
  it.each(["http://127.0.0.1:8080", "https://files.example", "http://[::1]:3000"])("%s", (origin) => {
    expect(configFileSchema().safeParse({ app: { fileOrigins: [origin] } }).success).toBe(true);
  });

  it.each([
    ["https://files.example/", ' Did you mean "https://files.example"?'],
    ["https://files.example/a?b#c", ' Did you mean "https://files.example"?'],
    ["HTTP://Files.example:80", ' Did you mean "http://files.example"?'],
    ["files.example", ""],
    ["ftp://files.example", ""],
    ["http://u:p@files.example", ""],
    ["null", ""],
    ["", ""],
  ])("not at %j", (origin, near) => {
    const expected = "expected just scheme, host and port, such as https://files.example:8443.";
    expect(configFileSchema().safeParse({ app: { fileOrigins: [origin] } }).error?.issues).toMatchObject([
      { path: ["app", "fileOrigins", 0], message: expected + near },
    ]);
  });
});

describe("a user", () => {
  const parse = (user: object) =>
    configFileSchema().safeParse({ users: [{ id: 1, role: "owner", login: "o", ...user }] });

  it("gives a user without them the password and the authenticator's secret of the default users", () => {
    const [standard] = defaultConfig.users;
    expect(parse({}).data?.users).toEqual([
      { id: 1, role: "owner", login: "o", password: standard?.password, totpSecret: standard?.totpSecret },
    ]);
  });

  it.each(["JBSWY3DPEHPK3PXP", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "GEZDGNBVGY3TQOJQGEZDGNBV===="])(
    "can have the secret %s",
    (totpSecret) => {
      expect(parse({ totpSecret }).data?.users?.[0]).toMatchObject({ totpSecret });
    },
  );

  it.each(["", "JBSWY3DPEHPK3PX", "jbswy3dpehpk3pxp", "JBSW Y3DP EHPK 3PXP", "JBSWY3DPEHPK3PX1", "JBSWY3DP=EHPK3PXP"])(
    "cannot have the secret %j: %#",
    (totpSecret) => {
      expect(parse({ totpSecret }).error?.issues).toMatchObject([
        { path: ["users", 0, "totpSecret"], message: expect.stringContaining("base32") },
      ]);
    },
  );

  it("cannot have an empty password", () => {
    expect(parse({ password: "" }).success).toBe(false);
  });
});

describe("the stages of a login", () => {
  it.each([1, 86_400, null])("an interaction can take %s seconds", (interactionTimeout) => {
    expect(configFileSchema().safeParse({ login: { interactionTimeout } }).success).toBe(true);
  });

  it.each([0, 86_401, 1.5, -1, "60"])("an interaction cannot take %j seconds", (interactionTimeout) => {
    expect(configFileSchema().safeParse({ login: { interactionTimeout } }).success).toBe(false);
  });

  it.each(["mfa", "deviceTrust", "rememberMe"])("%s is on or off", (stage) => {
    expect(configFileSchema().safeParse({ login: { [stage]: true } }).success).toBe(true);
    expect(configFileSchema().safeParse({ login: { [stage]: "true" } }).success).toBe(false);
  });
});

describe("configJsonSchema", () => {
  it("lists every language, as the hint for an unknown one says", () => {
    const { sourceLanguage } = jsonSchema.properties?.projects?.items?.properties ?? {};
    expect(sourceLanguage).toMatchObject({ enum: languageIds });
  });

  it("is plain JSON, and names its dialect", () => {
    expect(JSON.parse(JSON.stringify(jsonSchema))).toEqual(jsonSchema);
    expect(jsonSchema).toMatchObject({ $schema: expect.stringContaining("json-schema.org"), type: "object" });
  });

  it("accepts the default configuration and refuses others, read as a JSON Schema", () => {
    const schema = z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0]);
    const accepts = (value: unknown) => schema.safeParse(value).success;
    expect(accepts({ ...defaults, choices: defaultChoices })).toBe(true);
    expect(accepts({ $schema: "./schema.json", app: { url: "http://a" }, profile: null })).toBe(true);
    expect(accepts({})).toBe(true);
    expect(accepts({ port: "7410" })).toBe(false);
    expect(accepts({ prot: 7410 })).toBe(false);
    expect(accepts({ organization: { edition: "free" } })).toBe(false);
  });

  it("mentions every key of a configuration, and every choice", () => {
    const keys = (value: unknown, path: readonly string[]): string[] => {
      if (Array.isArray(value)) return keys(value[0], path);
      if (typeof value !== "object" || value === null) return [];
      // The names of scopes are the configuration's own.
      if (path.join(".") === "oauth.scopes") return [];
      return Object.entries(value).flatMap(([name, each]) => [
        [...path, name].join("."),
        ...keys(each, [...path, name]),
      ]);
    };
    const paths = properties(jsonSchema).map(([path]) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ...keys(defaultConfig, []),
        ...["app.url", "app.manifest", "app.name", "app.postImportAccess"],
        ...["apps.manifest", "apps.name", "apps.postImportAccess", "projects.members"],
      ]),
    );
    const text = JSON.stringify(jsonSchema.properties?.choices);
    for (const id of choiceIds) expect(text).toContain(JSON.stringify(id));
  });

  it("allows no other keys in any object", () => {
    const objects = [jsonSchema, ...properties(jsonSchema).map(([, property]) => property.items ?? property)];
    const open = objects.filter((each) => each.properties !== undefined && each.additionalProperties !== false);
    expect(open).toEqual([]);
  });

  it("describes every top-level key, and every key with an unclear name", () => {
    const described = properties(jsonSchema).filter(([, { description }]) => description !== undefined);
    const inner = ["app.url", "app.manifest", "apps.appSecret", "organization.domain", "login.user"];
    const expected = [...Object.keys(jsonSchema.properties ?? {}), ...inner, "projects.targetLanguages"];
    expect(described.map(([path]) => path)).toEqual(expect.arrayContaining(expected));
  });
});
