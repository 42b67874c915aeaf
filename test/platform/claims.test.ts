import { describe, expect, test } from "vitest";
import type { App, Organization, User } from "../../src/config/schema.ts";
import { moduleClaims } from "../../src/platform/module-token.ts";

const app: App = {
  url: "http://127.0.0.1:3000",
  clientId: "client-1",
  clientSecret: "client-secret",
  appSecret: "app-secret",
  appId: "app-1",
  redirectUris: [],
  scopes: [],
  postImportUsers: [],
  fileOrigins: [],
};
const organization: Organization = { id: 200_000_001, domain: "acme", edition: "enterprise" };
const user: User = {
  id: 104,
  role: "member",
  login: "milan.member",
  password: "password",
  totpSecret: "JBSWY3DPEHPK3PXP",
};
const subject = { app, organization, user, module: "office-hours" };
const now = 1_800_000_000;
const facts = { now, lifetime: 900, jti: "the-only-one", code: null };

const standard = {
  aud: "client-1",
  sub: "104",
  domain: "acme",
  module: "office-hours",
  context: {
    organization_id: 200_000_001,
    organization_domain: "acme",
    user_id: 104,
    user_login: "milan.member",
  },
  iat: 1_800_000_000,
  exp: 1_800_000_900,
  jti: "the-only-one",
};

describe("the standard claims", () => {
  test("are aud, sub, domain, module, context, iat, exp and jti", () => {
    expect(moduleClaims(subject, facts, {})).toEqual(standard);
  });

  test("have a code only if the app exchanges one", () => {
    expect(moduleClaims(subject, { ...facts, code: "c0de" }, {})).toEqual({ ...standard, code: "c0de" });
  });

  test("have the project in their context only if the call concerns one", () => {
    const { context, ...others } = moduleClaims({ ...subject, project: { id: 501, identifier: "mobile" } }, facts, {});
    expect(context).toEqual({ ...standard.context, project_id: 501, project_identifier: "mobile" });
    const { context: _, ...standardOthers } = standard;
    expect(others).toEqual(standardOthers);
  });

  test.each([1, 60, 86_400])("expire %d s after they were issued", (lifetime) => {
    expect(moduleClaims(subject, { ...facts, lifetime }, {})).toMatchObject({ iat: now, exp: now + lifetime });
  });

  test("never contain a secret", () => {
    const text = JSON.stringify(moduleClaims(subject, facts, {}));
    expect(text).not.toContain(app.clientSecret);
    expect(text).not.toContain(app.appSecret);
  });
});

describe("the choice guard.jwt.claims", () => {
  const claims = (template: Parameters<typeof moduleClaims>[2]) => moduleClaims(subject, facts, template);

  test("adds claims", () => {
    expect(claims({ add: { iss: "platform", scopes: ["a", "b"] } })).toEqual({
      ...standard,
      iss: "platform",
      scopes: ["a", "b"],
    });
  });

  test("adds win over standard claims of the same name", () => {
    expect(claims({ add: { sub: "someone" } })).toEqual({ ...standard, sub: "someone" });
  });

  test("renames claims and keeps their values", () => {
    const { domain, context, ...others } = standard;
    expect(claims({ rename: { domain: "org", context: "ctx" } })).toEqual({ ...others, org: domain, ctx: context });
  });

  test("drops claims", () => {
    const { exp, module, ...others } = standard;
    expect(claims({ drop: ["exp", "module"] })).toEqual(others);
  });

  test("drops claims by their standard names, even renamed ones", () => {
    const { domain, ...others } = standard;
    expect(claims({ drop: ["domain"], rename: { domain: "org" } })).toEqual(others);
  });

  test("does all three at once", () => {
    const { aud, sub, ...others } = standard;
    expect(claims({ drop: ["aud"], rename: { sub: "uid" }, add: { jti: "1" } })).toEqual({
      ...others,
      uid: sub,
      jti: "1",
    });
  });

  test("lets two claims swap names", () => {
    const { domain, module, ...others } = standard;
    expect(claims({ rename: { domain: "module", module: "domain" } })).toEqual({
      ...others,
      module: domain,
      domain: module,
    });
  });
});
