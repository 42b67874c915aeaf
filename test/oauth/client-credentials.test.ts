import { describe, expect, it } from "vitest";
import { authenticate, readCredentials } from "../../src/oauth/rules/client-credentials.ts";
import { parametersOf } from "../../src/oauth/rules/oauth-parameters.ts";
import { isSameSecret } from "../../src/protocol/same-secret.ts";
import { asDescription } from "../../src/protocol/wire-answer.ts";
import { garden, orchard } from "../rig/oauth.ts";

const apps = [garden, orchard].map((app) => ({ url: "http://a", ...app }));
const none = parametersOf([]);
const basicOf = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

describe("A22: the client's identity, by Basic", () => {
  it.each([
    ["id:secret", "id", "secret"],
    ["id:", "id", ""],
    [":secret", "", "secret"],
    ["id:se:cr:et", "id", "se:cr:et"],
    ["i%3Ad+x:s%20%2B%25", "i:d x", "s +%"],
    ["%C3%A9:%F0%9F%91%8B", "é", "👋"],
    ["é:👋", "é", "👋"],
    ["a.b-c_d~e:f.g-h_i~j", "a.b-c_d~e", "f.g-h_i~j"],
  ])("%s", (text, id, secret) => {
    expect(readCredentials(none, basicOf(text))).toMatchObject({ ok: true, value: { id, secret, by: "basic" } });
  });

  it.each([
    "Basic",
    "Basic ",
    "Basic a",
    "Basic ab=c",
    "Basic YQ=",
    "Basic YQ",
    "Basic Zh==",
    basicOf("nocolon"),
    basicOf("a:%"),
    "Digest x",
    "",
  ])("%j is none", (header) => {
    expect(readCredentials(none, header)).toMatchObject({
      ok: false,
      refusal: { error: "invalid_client", challenge: true },
    });
  });
});

describe("A22: Basic without form encoding, as many clients send it", () => {
  const raw = { ...garden, url: "http://a", clientId: "garden+app", clientSecret: "100%25+more/secret+" };
  const refusalOf = (text: string) => {
    const read = readCredentials(none, basicOf(text));
    const judged = read.ok ? authenticate(read.value, [raw], false) : read;
    return judged.ok ? null : judged.refusal.description;
  };
  const ENCODE = "form-encode id and secret before base64 (RFC 6749, 2.3.1)";

  it.each([
    ["encoded", `${encodeURIComponent(raw.clientId)}:${encodeURIComponent(raw.clientSecret)}`, null],
    [
      "a raw secret",
      `${encodeURIComponent(raw.clientId)}:${raw.clientSecret}`,
      `client_secret in Basic is correct, but not form-encoded: ${ENCODE}`,
    ],
    ["a raw id", `${raw.clientId}:${raw.clientSecret}`, `client_id in Basic is not form-encoded: ${ENCODE}`],
    ["a wrong secret", `${encodeURIComponent(raw.clientId)}:wrong+secret`, "client_secret is wrong"],
    [
      "a stray %",
      `${encodeURIComponent(raw.clientId)}:100%`,
      `Basic has a % that is not part of an encoding: ${ENCODE}`,
    ],
  ])("%s", (_, text, description) => {
    expect(refusalOf(text)).toBe(description);
  });
});

it("A21: a secret that is a word for a missing value is named in the error, and no other secret is", () => {
  const refusalOf = (secret: string) => {
    const judged = authenticate({ id: garden.clientId, secret, by: "body" }, [{ ...garden, url: "http://a" }], false);
    return judged.ok ? null : judged.refusal.description;
  };
  expect(refusalOf("undefined")).toBe("client_secret is the word undefined: the app's variable for it is not set");
  expect(refusalOf("$ecret")).toBe("client_secret is wrong");
  expect(refusalOf(garden.appSecret)).toMatch(/^client_secret is the app secret, which signs webhooks: /);
  for (const quoted of [`"${garden.clientSecret}"`, `'${garden.clientSecret}'\n`]) {
    expect(refusalOf(quoted)).toMatch(/^client_secret is the right one in quotes: /);
  }
  expect(refusalOf(`${garden.clientSecret}\r\n`)).toMatch(
    /^client_secret is the right one with white space around it: /,
  );
  expect(refusalOf(`"${garden.appSecret}"`)).toBe("client_secret is wrong");
});

describe("A21: the client's authentication", () => {
  const by = "body" as const;
  it.each([
    [{ id: garden.clientId, secret: garden.clientSecret, by }, false, true],
    [{ id: garden.clientId, secret: orchard.clientSecret, by }, false, false],
    [{ id: garden.clientId, secret: null, by }, false, false],
    [{ id: garden.clientId, secret: null, by }, true, true],
    [{ id: garden.clientId, secret: "wrong", by }, true, false],
    [{ id: "nobody", secret: null, by }, true, false],
    [{ id: null, secret: null, by }, true, false],
  ])("%j, authenticated otherwise: %j", (credentials, isProvedElsewhere, isGood) => {
    expect(authenticate(credentials, apps, isProvedElsewhere).ok).toBe(isGood);
  });
});

describe("isSameSecret", () => {
  it.each([
    ["a", "a", true],
    ["é", "é", true],
    ["é", "e\u0301", false],
    ["a", "b", false],
    ["a", "ab", false],
    ["", "a", false],
    ["", "", true],
  ])("%j and %j: %j", (given, right, isSame) => {
    expect(isSameSecret(given, right)).toBe(isSame);
  });
});

it("a description has the characters that RFC 6749 allows", () => {
  expect(asDescription('say "no"\\ é\n\u007f~ ')).toBe("say 'no'' ???~ ");
});
