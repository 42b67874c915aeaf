import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import {
  type Answer,
  authorize,
  authorizeUrl,
  callApi,
  codeFor,
  consent,
  exchange,
  garden,
  manage,
  pkcePair,
  postForm,
  proof,
  REDIRECT_URI,
  redirectedTo,
  refresh,
  send,
  startPlatform,
  tokens,
  verdictOf,
} from "../rig/oauth.ts";

// What holds for every request to the authorization server (rows A1, A6, A7, A8, A12, A13, A22 to A24).

let sim: RunningSimulator;
let asking: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform();
  asking = await startPlatform({ oauth: { consent: "ask" } });
});
afterAll(async () => {
  await sim.close();
  await asking.close();
});

const anyText = fc.string({ unit: "binary", maxLength: 60 });
const runs = (numRuns: number) => ({ numRuns });

describe("A7: state", () => {
  it("comes back unchanged, whatever it is", async () => {
    const property = fc.asyncProperty(anyText, async (state) => {
      expect(redirectedTo(await authorize(sim, { state })).searchParams.getAll("state")).toEqual([state]);
    });
    await fc.assert(property, runs(100));
  });

  it("also through the consent page, and with an error", async () => {
    const decisions = fc.constantFrom("approve", "deny");
    const property = fc.asyncProperty(anyText, decisions, async (state, decision) => {
      const decided = await consent(asking, await authorize(asking, { state }), { decision });
      expect(redirectedTo(decided).searchParams.getAll("state")).toEqual([state]);
      const refused = await authorize(asking, { state, scope: "nothing" });
      expect(redirectedTo(refused).searchParams.getAll("state")).toEqual([state]);
    });
    await fc.assert(property, runs(30));
  });
});

describe("A8: redirect_uri", () => {
  it("keeps its own query byte for byte, whatever it is", async () => {
    const part = fc.string({ unit: fc.constantFrom(..."abc019-._~%20?/:@!$'()*+,;=&[]|"), maxLength: 40 });
    const queries = fc.array(
      part.filter((text) => /^(?:[^%]|%20)*$/.test(text)),
      { minLength: 20, maxLength: 20 },
    );
    const property = fc.asyncProperty(queries, anyText, async (all, state) => {
      const redirectUris = [...new Set(all)].map((query) => `http://127.0.0.1:3000/cb?${query}`);
      await using registered = await startPlatform({ app: { ...garden, redirectUris } });
      for (const redirect_uri of redirectUris) {
        const { location } = (await authorize(registered, { redirect_uri, state })).headers;
        expect(String(location).startsWith(`${redirect_uri}&`)).toBe(true);
        const [, sent] = /^&code=[\w-]{43}&state=(.*)$/.exec(String(location).slice(redirect_uri.length)) ?? [];
        expect(sent).toBe(encodeURIComponent(state));
      }
    });
    await fc.assert(property, runs(5));
  });
});

const REGISTERED = new Set(garden.redirectUris);

/** That an answer is none of a bug, and leads to no address that is not the app's. */
function expectHarmless({ status, headers, body }: Answer) {
  expect(status).toBeLessThan(500);
  const { location } = headers;
  if (location === undefined) {
    expect(body).not.toBe("");
    return;
  }
  const to = String(location);
  expect([...REGISTERED].some((uri) => to.startsWith(`${uri}?`) || to.startsWith(`${uri}&`))).toBe(true);
  expect(status).toBe(302);
}

describe("A1, A6: an authorization request", () => {
  const right = [...new URL(authorizeUrl({ url: "http://x" })).searchParams] as [string, string][];
  const names = [...right.map(([name]) => name), "response_mode", "prompt", "nonsense", "__proto__", ""];
  const values = [
    ...right.map(([, value]) => value),
    ...["", "https://evil.example/", "//evil.example", `${REDIRECT_URI}/`, `${REDIRECT_URI}@evil.example`],
    ...["javascript:alert(1)", "token", "plain", "S256", "form_post", "fragment", "project glossary"],
  ];
  const pair = fc.tuple(fc.constantFrom(...names), fc.oneof(fc.constantFrom(...values), anyText));
  const shuffled = fc.shuffledSubarray(right, { minLength: 3 });
  const pairs = fc
    .tuple(shuffled, fc.array(pair, { maxLength: 3 }))
    .chain(([some, more]) => fc.shuffledSubarray([...some, ...more], { minLength: some.length + more.length }));

  it("in any order, with anything missing, repeated or added, is never a 5xx, and redirects to no other address", async () => {
    let redirected = 0;
    const property = fc.asyncProperty(pairs, async (sent) => {
      const query = new URLSearchParams(sent.map(([name, value]): [string, string] => [name, value]));
      const answer = await send(`${sim.url}/oauth/authorize?${query}`, { headers: { accept: "text/html" } });
      expectHarmless(answer);
      if (answer.status !== 302) return;
      redirected += 1;
      expect(sent.filter(([name]) => name === "redirect_uri")).toHaveLength(1);
      const params = redirectedTo(answer).searchParams;
      for (const name of ["code", "error", "state"]) expect(params.getAll(name).length).toBeLessThanOrEqual(1);
      expect(params.has("code")).not.toBe(params.has("error"));
    });
    await fc.assert(property, runs(150));
    expect(redirected).toBeGreaterThan(15);
  });

  it("is accepted with all its parameters in any order", async () => {
    const orders = fc.shuffledSubarray(right, { minLength: right.length });
    const property = fc.asyncProperty(orders, async (sent) => {
      const answer = await send(`${sim.url}/oauth/authorize?${new URLSearchParams(sent)}`);
      expect(redirectedTo(answer).searchParams.has("code")).toBe(true);
    });
    await fc.assert(property, runs(20));
  });

  it("with any bytes that a query can have is never a 5xx", async () => {
    const letters = fc.string({ unit: fc.constantFrom(..."abc=&%?+;/#%%20%ff%00%C3%A9client_id"), maxLength: 80 });
    const property = fc.asyncProperty(letters, async (query) => {
      expectHarmless(await send(`${sim.url}/oauth/authorize?${query.replaceAll("#", "%23")}`));
    });
    await fc.assert(property, runs(60));
  });
});

const known = [
  ...["invalid_request", "invalid_client", "invalid_grant"],
  ...["unauthorized_client", "unsupported_grant_type", "invalid_scope"],
];

/** That an answer of the token endpoint has the shape of RFC 6749 section 5.2. */
function expectRefusal({ status, headers, body }: Answer) {
  const answer = JSON.parse(body);
  expect(known).toContain(answer.error);
  expect(answer.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(Object.keys(answer)).toEqual(["error", "error_description"]);
  expect([400, 401, 413, 415]).toContain(status);
  expect(status === 401).toBe(answer.error === "invalid_client");
  expect(headers).toMatchObject({
    "content-type": expect.stringMatching(/^application\/json/),
    "cache-control": "no-store",
    pragma: "no-cache",
  });
}

describe("A22 to A24: the endpoints for tokens", () => {
  const endpoints = fc.constantFrom("/oauth/token", "/oauth/revoke", "/oauth/introspect");
  const names = fc.oneof(
    fc.constantFrom(
      "grant_type",
      "client_id",
      "client_secret",
      "code",
      "redirect_uri",
      "code_verifier",
      "refresh_token",
      "scope",
      "token",
      "__proto__",
    ),
    anyText,
  );
  const values = fc.oneof(
    fc.constantFrom(
      "authorization_code",
      "refresh_token",
      garden.clientId,
      REDIRECT_URI,
      proof.verifier,
      "project",
      "",
    ),
    anyText,
  );
  const basic = fc.oneof(
    fc.constant({}),
    fc.tuple(values, values).map(([id, secret]) => ({
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
    })),
    fc.string({ unit: fc.constantFrom(..."Bb asic=+/09Zz%:"), maxLength: 30 }).map((text) => ({ authorization: text })),
  );

  it("refuse every form without the secret, in words that RFC 6749 has", async () => {
    const forms = fc.array(fc.tuple(names, values), { maxLength: 10 });
    const property = fc.asyncProperty(endpoints, forms, basic, async (path, pairs, headers) => {
      expectRefusal(await postForm(sim.url + path, pairs, headers));
    });
    await fc.assert(property, runs(100));
  });

  it("refuse every JSON without the secret, in words that RFC 6749 has", async () => {
    const members = fc.dictionary(names, fc.oneof(values, fc.jsonValue({ maxDepth: 2 })), { maxKeys: 10 });
    const property = fc.asyncProperty(
      endpoints,
      fc.oneof(members, fc.jsonValue()),
      basic,
      async (path, body, headers) => {
        const type = { "content-type": "application/json" };
        expectRefusal(
          await send(sim.url + path, { method: "POST", headers: { ...type, ...headers }, body: JSON.stringify(body) }),
        );
      },
    );
    await fc.assert(property, runs(100));
  });

  it("refuse any bytes of any type, in words that RFC 6749 has", async () => {
    const types = fc.oneof(
      fc.constantFrom(
        "application/json",
        "application/x-www-form-urlencoded",
        "text/plain",
        "application/json;charset=x",
        "",
      ),
      fc.string({ unit: fc.constantFrom(...'ajson/;=+ *"x-'), maxLength: 20 }),
    );
    const property = fc.asyncProperty(endpoints, types, fc.uint8Array({ maxLength: 60 }), async (path, type, body) => {
      expectRefusal(await send(sim.url + path, { method: "POST", headers: { "content-type": type }, body }));
    });
    await fc.assert(property, runs(100));
  });
});

describe("A12, A13, A17: a code", () => {
  const verifiers = fc.string({ unit: fc.constantFrom(..."AZaz09-._~"), minLength: 43, maxLength: 128 });

  it("is valid for its verifier and for no other, by either method", async () => {
    const methods = fc.constantFrom("S256", "plain");
    const property = fc.asyncProperty(verifiers, verifiers, methods, async (verifier, other, code_challenge_method) => {
      const code_challenge = code_challenge_method === "plain" ? verifier : pkcePair(verifier).challenge;
      const code = await codeFor(sim, { code_challenge, code_challenge_method });
      const wrong = [
        ...(other === verifier ? [] : [other]),
        `${verifier}x`,
        verifier.slice(1),
        pkcePair(verifier).challenge,
      ];
      for (const code_verifier of wrong) {
        expect(verdictOf(await exchange(sim, { code, code_verifier }))).toBe("400 invalid_grant");
      }
      expect(verdictOf(await exchange(sim, { code, code_verifier: verifier }))).toBe("200");
      expect(verdictOf(await exchange(sim, { code, code_verifier: verifier }))).toBe("400 invalid_grant");
    });
    await fc.assert(property, runs(20));
  });

  it("is not used up by a wrong exchange", async () => {
    const changes = fc.dictionary(
      fc.constantFrom("client_id", "client_secret", "redirect_uri", "code_verifier", "grant_type"),
      fc.oneof(fc.constant(null), anyText),
      { minKeys: 1 },
    );
    const property = fc.asyncProperty(fc.array(changes, { maxLength: 4 }), async (attempts) => {
      const code = await codeFor(sim);
      for (const attempt of attempts) {
        const answer = await exchange(sim, { code, ...attempt });
        // The secret may be left out, and nothing else.
        if (answer.status === 200) {
          expect(Object.keys(attempt)).toEqual(["client_secret"]);
          expect(attempt.client_secret || null).toBeNull();
          return;
        }
        expectRefusal(answer);
      }
      expect(verdictOf(await exchange(sim, { code }))).toBe("200");
    });
    await fc.assert(property, runs(40));
  });
});

describe("A18, A29, A31: any sequence of refreshes, reuses and revocations", () => {
  type Step = "refresh" | "reuse" | "revoke-access" | "revoke-refresh";
  const steps = fc.array(
    fc.constantFrom<Step>("refresh", "refresh", "refresh", "reuse", "revoke-access", "revoke-refresh"),
    { maxLength: 8 },
  );

  it("leaves valid exactly what a model says", async () => {
    const property = fc.asyncProperty(steps, async (sequence) => {
      const first = await tokens(sim);
      const access = [{ token: first.access_token, isGood: true }];
      const line = [first.refresh_token];
      let isRevoked = false;
      for (const step of sequence) {
        const current = line.at(-1) ?? "";
        if (step === "refresh") {
          const answer = await refresh(sim, current);
          expect(verdictOf(answer)).toBe(isRevoked ? "400 invalid_grant" : "200");
          if (isRevoked) continue;
          const next = JSON.parse(answer.body);
          access.push({ token: next.access_token, isGood: true });
          line.push(next.refresh_token);
        } else if (step === "reuse" && line.length > 1) {
          expect(verdictOf(await refresh(sim, line[0] ?? ""))).toBe("400 invalid_grant");
          isRevoked = true;
        } else if (step === "revoke-access") {
          const last = access.at(-1);
          if (last === undefined) throw new Error("there is always one");
          await manage(sim, "revoke", last.token);
          last.isGood = false;
        } else if (step === "revoke-refresh") {
          await manage(sim, "revoke", current);
          isRevoked = true;
        }
      }
      for (const { token, isGood } of access) {
        expect((await callApi(sim, token)).status).toBe(isGood && !isRevoked ? 200 : 401);
        expect(JSON.parse((await manage(sim, "introspect", token)).body).active).toBe(isGood && !isRevoked);
      }
      for (const token of line.slice(0, -1)) {
        expect(JSON.parse((await manage(sim, "introspect", token)).body).active).toBe(false);
      }
    });
    await fc.assert(property, runs(20));
  });
});
