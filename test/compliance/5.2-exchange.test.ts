import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import {
  type Answer,
  type Changes,
  callApi,
  codeFor,
  exchange,
  garden,
  noPkce,
  orchard,
  pkcePair,
  postForm,
  postJson,
  proof,
  REDIRECT_URI,
  type Sending,
  send,
  startPlatform,
  tokensOf,
  verdictOf,
} from "../rig/oauth.ts";

// Interface 5.2: the exchange of a code. Rows A10, A12 to A15, A17 and A20 to A26 of the hardening table.

let sim: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform();
});
afterAll(() => sim.close());

const ofOrchard: Changes = { client_id: orchard.clientId, client_secret: orchard.clientSecret };
const right = { id: garden.clientId, secret: garden.clientSecret };
const ways: [string, Sending][] = [
  ["JSON", { as: "json" }],
  ["a form", { as: "form" }],
  ["JSON and Basic", { as: "json", basic: right }],
  ["a form and Basic", { as: "form", basic: right }],
];

/** That the code is still good: a refusal before it did not consume it. */
async function expectUnspent(code: string, changes: Changes = {}) {
  expect(verdictOf(await exchange(sim, { code, ...changes }))).toBe("200");
}

function descriptionOf({ body }: Answer): string {
  return JSON.parse(body).error_description;
}

describe.each(ways)("5.2 A24: the exchange in %s", (_, sending) => {
  it("gives tokens", async () => {
    const tokens = tokensOf(await exchange(sim, { code: await codeFor(sim) }, sending));
    expect((await callApi(sim, tokens.access_token)).status).toBe(200);
  });

  it("A26: is not cached, whether it succeeds or not", async () => {
    const code = await codeFor(sim);
    for (const sent of [await exchange(sim, { code: "x" }, sending), await exchange(sim, { code }, sending)]) {
      expect(sent.headers).toMatchObject({
        "content-type": expect.stringMatching(/^application\/json\b/),
        "cache-control": "no-store",
        pragma: "no-cache",
      });
    }
  });

  it("gives no token without the code's verifier", async () => {
    const code = await codeFor(sim);
    expect(verdictOf(await exchange(sim, { code, code_verifier: null }, sending))).toBe("400 invalid_grant");
    await expectUnspent(code);
  });
});

describe("5.2 missing and repeated parameters", () => {
  it.each<[string, Changes, string]>([
    ["A23: no grant_type", { grant_type: null }, "400 invalid_request"],
    ["A23: an empty grant_type", { grant_type: "" }, "400 invalid_request"],
    ["A23: an unknown grant_type", { grant_type: "password" }, "400 unsupported_grant_type"],
    ["A23: client_credentials", { grant_type: "client_credentials" }, "400 unsupported_grant_type"],
    ["A23: the grant_type in another case", { grant_type: "Authorization_Code" }, "400 unsupported_grant_type"],
    ["no code", { code: null }, "400 invalid_request"],
    ["an empty code", { code: "" }, "400 invalid_request"],
    ["no redirect_uri", { redirect_uri: null }, "400 invalid_request"],
    ["A21: no client_id", { client_id: null }, "401 invalid_client"],
    ["A21: an unknown client_id", { client_id: "nobody" }, "401 invalid_client"],
  ])("%s: %s", async (_, changes, verdict) => {
    for (const as of ["json", "form"] as const) {
      const code = await codeFor(sim);
      expect(verdictOf(await exchange(sim, { code, ...changes }, { as }))).toBe(verdict);
      await expectUnspent(code);
    }
  });

  it("an unknown client_id is shown with the registered ones", async () => {
    const description = descriptionOf(await exchange(sim, { code: await codeFor(sim), client_id: "nobody" }));
    const registered = `${garden.clientId}, ${orchard.clientId}`;
    expect(description).toBe(`no app is registered with the client_id nobody; registered: ${registered}`);
  });

  it.each(["grant_type", "client_id", "client_secret", "redirect_uri", "code", "code_verifier", "scope"])(
    "A6: %s twice",
    async (name) => {
      const code = await codeFor(sim);
      const values: Record<string, string> = {
        grant_type: "authorization_code",
        client_id: garden.clientId,
        client_secret: garden.clientSecret,
        redirect_uri: REDIRECT_URI,
        code,
        code_verifier: proof.verifier,
        scope: "project",
      };
      const value = values[name] ?? "";
      for (const twice of [
        [value, value],
        [value, ""],
        ["x", value],
      ]) {
        const sent = await exchange(sim, { code, [name]: twice }, { as: "form" });
        expect([verdictOf(sent), descriptionOf(sent)]).toEqual([
          "400 invalid_request",
          `${name} was sent more than once`,
        ]);
      }
      await expectUnspent(code);
    },
  );

  it("A6: a name twice in JSON, also when escaped", async () => {
    const code = await codeFor(sim);
    for (const twice of ['"code":"x"', '"c\\u006fde":"x"', '"grant_type":"refresh_token"']) {
      const body = `{"grant_type":"authorization_code","code":"${code}",${twice}}`;
      const sent = await postRaw("application/json", body);
      expect([verdictOf(sent), descriptionOf(sent)]).toEqual(["400 invalid_request", expect.stringMatching(/twice/)]);
    }
    await expectUnspent(code);
  });

  it("A5: unknown parameters are ignored, even twice", async () => {
    const changes = { resource: ["a", "b"], audience: "x", state: "y" };
    expect(verdictOf(await exchange(sim, { code: await codeFor(sim), ...changes }, { as: "form" }))).toBe("200");
  });
});

function postRaw(type: string | null, body: string | Uint8Array): Promise<Answer> {
  const headers: Record<string, string> = type === null ? {} : { "content-type": type };
  return send(`${sim.url}/oauth/token`, { method: "POST", headers, body });
}

describe("5.2 A24: the content type", () => {
  it.each([
    ["application/json; charset=utf-8", 400],
    ["Application/JSON", 400],
    ["application/x-www-form-urlencoded; charset=UTF-8", 400],
    ["text/plain", 415],
    ["text/json", 415],
    ["application/jsonx", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/xml", 415],
    ["nonsense", 415],
    ["", 415],
    [null, 415],
  ])("%j: %d", async (type, status) => {
    const answer = await postRaw(type, "{}");
    expect([answer.status, verdictOf(answer)]).toEqual([status, `${status} invalid_request`]);
    expect(answer.headers["content-type"]).toMatch(/^application\/json\b/);
  });

  it("a form is 415 if the choice says JSON only, and the answer says what is accepted", async () => {
    await using strict = await startPlatform({ choices: { "oauth.token.contentTypes": "json" } });
    const code = await codeFor(strict);
    const sent = await exchange(strict, { code }, { as: "form" });
    expect([verdictOf(sent), descriptionOf(sent)]).toEqual([
      "415 invalid_request",
      "the content type must be application/json",
    ]);
    expect(verdictOf(await exchange(strict, { code }))).toBe("200");
  });

  it.each([
    ["nothing", ""],
    ["half an object", '{"grant_type":'],
    ["a list", "[]"],
    ["null", "null"],
    ["a text", '"x"'],
    ["a byte order mark", "\ufeff{}"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["__proto__", '{"__proto__":{"grant_type":"authorization_code"}}'],
    ["constructor.prototype", '{"constructor":{"prototype":{"x":1}}}'],
    ["a fraction for a parameter", '{"grant_type":"authorization_code","code":7.5}'],
    ["a number beyond what is exact", '{"grant_type":"authorization_code","code":9007199254740993}'],
    ["true for a parameter", '{"grant_type":"authorization_code","code":true}'],
    ["an object for a parameter", '{"grant_type":{"$ne":""}}'],
    ["a list for a parameter", '{"grant_type":["authorization_code"]}'],
    ["a hundred thousand levels", "[".repeat(60_000)],
  ])("JSON that is not a request, %s: 400 invalid_request", async (_, body) => {
    expect(verdictOf(await postRaw("application/json", body))).toBe("400 invalid_request");
  });

  it("a whole number in JSON counts as its digits", async () => {
    await using numbered = await startPlatform({ app: { ...garden, clientSecret: "12345678" } });
    const code = await codeFor(numbered);
    const body = {
      ...{ grant_type: "authorization_code", client_id: garden.clientId, client_secret: 12_345_678 },
      ...{ redirect_uri: REDIRECT_URI, code, code_verifier: proof.verifier },
    };
    expect(verdictOf(await postJson(`${numbered.url}/oauth/token`, body))).toBe("200");
  });

  it("JSON that is declared as a form gets this error, not that everything is missing", async () => {
    const code = await codeFor(sim);
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = await exchange(sim, { code }, { headers });
    expect([verdictOf(sent), descriptionOf(sent)]).toEqual([
      "400 invalid_request",
      expect.stringContaining("looks like JSON"),
    ]);
    await expectUnspent(code);
  });

  it("a form that is declared as JSON gets this error", async () => {
    const body = new URLSearchParams({ grant_type: "authorization_code", client_id: garden.clientId, code: "a b" });
    const sent = await postRaw("application/json", body.toString());
    expect([verdictOf(sent), descriptionOf(sent)]).toEqual([
      "400 invalid_request",
      "the body looks like a form, but its content type is application/json",
    ]);
  });

  it("null in JSON counts as missing", async () => {
    const code = await codeFor(sim, noPkce);
    const body = {
      ...{ grant_type: "authorization_code", client_id: garden.clientId, client_secret: garden.clientSecret },
      ...{ redirect_uri: REDIRECT_URI, code, code_verifier: null, scope: null },
    };
    expect(verdictOf(await postRaw("application/json", JSON.stringify(body)))).toBe("200");
  });
});

describe("5.2 PKCE at the exchange", () => {
  it.each<[string, string | null]>([
    ["A12: no verifier", null],
    ["A12: an empty verifier", ""],
    ["A12: another verifier", pkcePair().verifier],
    ["A12: the challenge itself", proof.challenge],
    ["A12: the verifier in another case", proof.verifier.toLowerCase()],
    ["A10: a verifier of 42 characters", "a".repeat(42)],
    ["A10: a verifier of 129 characters", "a".repeat(129)],
    ["A10: a verifier with another character", `${"a".repeat(42)}+`],
    ["A10: a verifier and a new line", `${proof.verifier}\n`],
  ])("%s: invalid_grant, and the code stays valid (A17)", async (_, code_verifier) => {
    const code = await codeFor(sim);
    expect(verdictOf(await exchange(sim, { code, code_verifier }))).toBe("400 invalid_grant");
    await expectUnspent(code);
  });

  it("A13: a verifier without a challenge is refused, and the code stays valid", async () => {
    const code = await codeFor(sim, noPkce);
    const sent = await exchange(sim, { code });
    expect(verdictOf(sent)).toBe("400 invalid_grant");
    expect(descriptionOf(sent)).toContain("had no code_challenge");
    await expectUnspent(code, noPkce);
  });

  it("the secret is neither needed with the verifier nor replaces it", async () => {
    for (const as of ["json", "form"] as const) {
      const code = await codeFor(sim);
      expect(verdictOf(await exchange(sim, { code, code_verifier: null }, { as }))).toBe("400 invalid_grant");
      expect(verdictOf(await exchange(sim, { code, client_secret: null }, { as }))).toBe("200");
    }
  });

  it("a verifier does not replace the secret for a code without a challenge", async () => {
    const code = await codeFor(sim, noPkce);
    for (const code_verifier of [proof.verifier, "x", null]) {
      expect(verdictOf(await exchange(sim, { code, client_secret: null, code_verifier }))).toBe("401 invalid_client");
    }
    await expectUnspent(code, noPkce);
  });

  it("a wrong secret is refused although the verifier is right", async () => {
    const code = await codeFor(sim);
    expect(verdictOf(await exchange(sim, { code, client_secret: "wrong" }))).toBe("401 invalid_client");
    await expectUnspent(code);
  });
});

describe("5.2 A14: a code that is not valid for this exchange", () => {
  it("is unknown", async () => {
    for (const code of ["x", "a".repeat(43), "__proto__", "constructor"]) {
      for (const client_secret of [garden.clientSecret, null]) {
        const sent = await exchange(sim, { code, client_secret });
        expect([code, client_secret, verdictOf(sent)]).toEqual([code, client_secret, "400 invalid_grant"]);
      }
    }
  });

  it("has expired, exactly at its last second", async () => {
    await using frozen = await startPlatform();
    frozen.clock.freeze("2030-01-01T00:00:00.500Z");
    const [early, late] = [await codeFor(frozen), await codeFor(frozen)];
    frozen.clock.advance(599_999);
    expect(verdictOf(await exchange(frozen, { code: early }))).toBe("200");
    frozen.clock.advance(1);
    const sent = await exchange(frozen, { code: late });
    expect([verdictOf(sent), descriptionOf(sent)]).toEqual(["400 invalid_grant", "the code has expired"]);
  });

  it("is valid as long as the choice says", async () => {
    await using short = await startPlatform({ choices: { "oauth.code.lifetime": 5 } });
    const code = await codeFor(short);
    short.clock.advance("5s");
    expect(verdictOf(await exchange(short, { code }))).toBe("400 invalid_grant");
  });

  it("is another client's, and stays valid for that one", async () => {
    const code = await codeFor(sim);
    expect(verdictOf(await exchange(sim, { code, ...ofOrchard }))).toBe("400 invalid_grant");
    await expectUnspent(code);
    const { access_token } = tokensOf(await exchange(sim, { code: await codeFor(sim) }));
    await exchange(sim, { code, ...ofOrchard });
    expect((await callApi(sim, access_token)).status).toBe(200);
  });

  it("has another redirect_uri, registered or not, and stays valid for its own", async () => {
    const code = await codeFor(sim);
    for (const redirect_uri of [garden.redirectUris[1] ?? "", "https://evil.example/", `${REDIRECT_URI}/`]) {
      expect(verdictOf(await exchange(sim, { code, redirect_uri }))).toBe("400 invalid_grant");
    }
    await expectUnspent(code);
  });

  it("redirect_uri may be missing if the choice says so, but not wrong", async () => {
    await using lax = await startPlatform({ choices: { "oauth.exchange.redirectUri": "optional" } });
    const code = await codeFor(lax);
    expect(verdictOf(await exchange(lax, { code, redirect_uri: "https://evil.example/" }))).toBe("400 invalid_grant");
    expect(verdictOf(await exchange(lax, { code, redirect_uri: null }))).toBe("200");
  });
});

describe("5.2 A15: a code that was used", () => {
  it("is refused, and all its tokens are revoked, even refreshed ones", async () => {
    const code = await codeFor(sim);
    const first = tokensOf(await exchange(sim, { code }));
    const refreshed = tokensOf(await exchangeRefresh(first.refresh_token));
    const again = await exchange(sim, { code });
    expect([verdictOf(again), descriptionOf(again)]).toEqual([
      "400 invalid_grant",
      expect.stringContaining("already been used"),
    ]);
    for (const token of [first.access_token, refreshed.access_token]) {
      expect((await callApi(sim, token)).status).toBe(401);
    }
    expect(verdictOf(await exchangeRefresh(refreshed.refresh_token))).toBe("400 invalid_grant");
  });

  it("even long after; other grants of the user stay valid", async () => {
    await using turned = await startPlatform();
    const [code, other] = [await codeFor(turned), await codeFor(turned)];
    const [first, second] = [
      tokensOf(await exchange(turned, { code })),
      tokensOf(await exchange(turned, { code: other })),
    ];
    turned.clock.advance("1h");
    expect(verdictOf(await exchange(turned, { code }))).toBe("400 invalid_grant");
    expect((await callApi(turned, first.access_token)).status).toBe(401);
    expect((await callApi(turned, second.access_token)).status).toBe(200);
  });

  it("is not revoked by anybody who cannot authenticate as its client", async () => {
    const code = await codeFor(sim);
    const { access_token } = tokensOf(await exchange(sim, { code }));
    for (const wrong of [
      ofOrchard,
      { client_secret: "wrong" },
      { client_secret: null, code_verifier: pkcePair().verifier },
    ]) {
      await exchange(sim, { code, ...wrong });
    }
    expect((await callApi(sim, access_token)).status).toBe(200);
  });
});

function exchangeRefresh(refresh_token: string): Promise<Answer> {
  return exchange(sim, { grant_type: "refresh_token", refresh_token, code_verifier: null, redirect_uri: null });
}

describe("5.2 who the client is", () => {
  it("A21: a wrong secret is 401 invalid_client, without a challenge if Basic was not used", async () => {
    const code = await codeFor(sim);
    const nearly = [garden.clientSecret.slice(0, -1), `${garden.clientSecret} `, garden.clientSecret.toUpperCase()];
    for (const client_secret of [...nearly, "é", orchard.clientSecret]) {
      const sent = await exchange(sim, { code, client_secret });
      expect([verdictOf(sent), sent.headers["www-authenticate"]]).toEqual(["401 invalid_client", undefined]);
    }
    await expectUnspent(code);
  });

  it("A21: with Basic, the answer has a Basic challenge", async () => {
    const code = await codeFor(sim);
    for (const basic of [
      { id: garden.clientId, secret: "wrong" },
      { id: "nobody", secret: garden.clientSecret },
      { id: garden.clientId, secret: "" },
      { id: "", secret: garden.clientSecret },
    ]) {
      const sent = await exchange(sim, { code }, { basic });
      expect([verdictOf(sent), sent.headers["www-authenticate"]]).toEqual([
        "401 invalid_client",
        expect.stringMatching(/^Basic realm="/),
      ]);
    }
    await expectUnspent(code);
  });

  it.each([
    ["no base64", "Basic %%%"],
    ["base64 with a space", "Basic Z2FyZGVu OnNlY3JldA=="],
    ["base64 without a colon", `Basic ${Buffer.from("garden-client").toString("base64")}`],
    ["nothing", "Basic"],
    ["nothing after the space", "Basic "],
    ["a broken percent sign", `Basic ${Buffer.from("garden-client:%zz").toString("base64")}`],
    ["another scheme", `Bearer ${Buffer.from("garden-client:garden-secret").toString("base64")}`],
    ["no scheme", Buffer.from("garden-client:garden-secret").toString("base64")],
    ["base64url", `Basic ${Buffer.from("???>>>:~~~").toString("base64url")}`],
  ])("A22: Basic with %s: 401 invalid_client", async (_, authorization) => {
    const sent = await exchange(sim, { code: await codeFor(sim) }, { headers: { authorization } });
    expect([verdictOf(sent), sent.headers["www-authenticate"]]).toEqual([
      "401 invalid_client",
      expect.stringMatching(/^Basic /),
    ]);
  });

  it("A22: Basic is form-decoded", async () => {
    await using odd = await startPlatform({
      app: { ...garden, clientId: "a b:c", clientSecret: "p%+ä:/ secret" },
    });
    const code = await codeFor(odd, { client_id: "a b:c" });
    const encoded = (text: string) => new URLSearchParams([["", text]]).toString().slice(1);
    const basic = { id: encoded("a b:c"), secret: encoded("p%+ä:/ secret") };
    expect(verdictOf(await exchange(odd, { code }, { basic }))).toBe("200");
  });

  it("A22: the scheme may be in any case, and base64 without its padding", async () => {
    const encoded = Buffer.from(`${garden.clientId}:${garden.clientSecret}`).toString("base64");
    for (const authorization of [`basic ${encoded}`, `BASIC  ${encoded}`, `Basic ${encoded.replace(/=+$/, "")}`]) {
      const code = await codeFor(sim);
      const changes = { code, client_id: null, client_secret: null };
      expect(verdictOf(await exchange(sim, changes, { headers: { authorization } }))).toBe("200");
    }
  });

  it("A22: Basic together with a secret in the body is refused, but with the same client_id it is accepted", async () => {
    const code = await codeFor(sim);
    const twice = await exchange(sim, { code, client_secret: garden.clientSecret }, { basic: right });
    expect(verdictOf(twice)).toBe("400 invalid_request");
    const another = await exchange(sim, { code, client_id: orchard.clientId }, { basic: right });
    expect(verdictOf(another)).toBe("400 invalid_request");
    expect(verdictOf(await exchange(sim, { code, client_id: garden.clientId }, { basic: right }))).toBe("200");
  });
});

describe("5.2 A25: other methods at the token endpoint", () => {
  it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])("%s: 405 and Allow", async (method) => {
    const code = await codeFor(sim);
    const query = new URLSearchParams({ grant_type: "authorization_code", code });
    const answer = await send(`${sim.url}/oauth/token?${query}`, { method });
    expect([answer.status, answer.headers.allow]).toEqual([405, "POST"]);
    await expectUnspent(code);
  });

  it("parameters in the URL are ignored", async () => {
    const code = await codeFor(sim);
    const query = new URLSearchParams({ grant_type: "authorization_code", code, client_secret: garden.clientSecret });
    const sent = await postForm(`${sim.url}/oauth/token?${query}`, [["client_id", garden.clientId]]);
    expect(verdictOf(sent)).toBe("400 invalid_request");
  });
});
