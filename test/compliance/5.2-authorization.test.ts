import { load } from "cheerio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningSimulator } from "../../src/index.ts";
import {
  type Answer,
  authorize,
  authorizeUrl,
  type Changes,
  callApi,
  codeFor,
  consent,
  exchange,
  garden,
  noPkce,
  orchard,
  pkcePair,
  proof,
  REDIRECT_URI,
  redirectedTo,
  send,
  startPlatform,
  tokens,
  tokensOf,
  verdictOf,
} from "../rig/oauth.ts";

// Interface 5.2 and 4.1: the authorization request. Rows A1 to A11, A27 and A28 of the hardening table.

let sim: RunningSimulator;
let asking: RunningSimulator;
beforeAll(async () => {
  sim = await startPlatform();
  asking = await startPlatform({ oauth: { consent: "ask", scopes: { glossary: "Read the glossary" } } });
});
afterAll(async () => {
  await sim.close();
  await asking.close();
});

/** What the app gets to know, in the order in which it is there. */
function answerOf(answer: Answer): Record<string, string> {
  return Object.fromEntries(redirectedTo(answer).searchParams);
}

/** The code of the error that the app gets to know, and its state. */
async function errorOf(changes: Changes, on = sim): Promise<(string | undefined)[]> {
  const answer = await authorize(on, changes);
  expect(answer.status).toBe(302);
  const { error, state, code, error_description = "" } = answerOf(answer);
  expect(code).toBeUndefined();
  expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  return [error, state];
}

/** Shown to the user, with what is wrong, and not sent on. */
async function expectRefusal(answer: Answer, words: RegExp) {
  expect([answer.status, answer.headers.location]).toEqual([400, undefined]);
  expect(load(answer.body)("main").text()).toMatch(words);
}

describe("5.2 A1: an unknown client or redirect address is shown to the user and never redirected to", () => {
  it.each<[string, Changes, RegExp]>([
    ["no client_id", { client_id: null }, /client_id is missing/],
    ["an empty client_id", { client_id: "" }, /client_id is missing/],
    ["an unknown client", { client_id: "nobody" }, /No app is registered with the client id "nobody"/],
    ["no redirect_uri", { redirect_uri: null }, /redirect_uri is missing/],
    ["an empty redirect_uri", { redirect_uri: "" }, /redirect_uri is missing/],
    ["an unregistered redirect_uri", { redirect_uri: "https://evil.example/" }, /"https:\/\/evil\.example\/" is not/],
    ["another app's redirect_uri", { redirect_uri: orchard.redirectUris }, /is not registered/],
    ["another app's client_id", { client_id: orchard.clientId }, /is not registered/],
    ["client_id twice", { client_id: [garden.clientId, garden.clientId] }, /client_id was sent more than once/],
    ["redirect_uri twice", { redirect_uri: [REDIRECT_URI, "https://evil.example/"] }, /more than once/],
    ["a redirect_uri that runs", { redirect_uri: "javascript:alert(1)" }, /is not registered/],
    ["many wrong things at once", { client_id: "nobody", response_type: "token", scope: "!" }, /No app/],
  ])("%s", async (_, changes, words) => {
    await expectRefusal(await authorize(sim, changes), words);
  });

  it("tells a program what to add to the configuration", async () => {
    const url = authorizeUrl(sim, { redirect_uri: "http://127.0.0.1:9/cb" });
    const { status, body } = await send(url, { headers: { accept: "application/json" } });
    const { error } = JSON.parse(body);
    expect([status, error.code]).toEqual([400, 400]);
    expect(error.hint).toContain('"redirectUris" of the app');
  });

  it("names the flag for a single app, quoted for a shell", async () => {
    await using one = await startPlatform({ apps: [garden] });
    const hintFor = async (uri: string) => {
      const url = authorizeUrl(one, { redirect_uri: uri });
      return JSON.parse((await send(url, { headers: { accept: "application/json" } })).body).error.hint as string;
    };
    expect(await hintFor("http://127.0.0.1:9/cb")).toContain("--redirect-uri http://127.0.0.1:9/cb,");
    expect(await hintFor("http://127.0.0.1:9/cb?a=1&b=$(x)")).toContain("'http://127.0.0.1:9/cb?a=1&b=$(x)'");
    for (const hostile of ["http://127.0.0.1:9/cb';touch x;'", "cb; touch x", "http://127.0.0.1:9/#x"]) {
      expect(await hintFor(hostile)).not.toContain("--redirect-uri");
    }
  });

  it("treats what an app sends as text", async () => {
    const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
    for (const changes of [{ client_id: hostile }, { redirect_uri: hostile }]) {
      const answer = await authorize(sim, changes);
      await expectRefusal(answer, /<script>alert/);
      expect(answer.body).not.toMatch(/<script>|<img/);
    }
  });

  it("a query that cannot be read is refused as a whole", async () => {
    for (const bad of ["&state=%", "&state=%ff", "&state=%zz", "&%c3=x"]) {
      await expectRefusal(
        await send(authorizeUrl(sim) + bad, { headers: { accept: "text/html" } }),
        /not percent-encoded UTF-8/,
      );
    }
  });
});

describe("5.2 A2: redirect_uri is compared character by character", () => {
  const [, withQuery = ""] = garden.redirectUris;
  it.each([
    ["another port", REDIRECT_URI.replace("3000", "3001")],
    ["no port", REDIRECT_URI.replace(":3000", "")],
    ["upper case in the scheme", REDIRECT_URI.replace("http", "HTTP")],
    ["upper case in the path", REDIRECT_URI.replace("callback", "Callback")],
    ["an added query", `${REDIRECT_URI}?x=1`],
    ["an empty query", `${REDIRECT_URI}?`],
    ["a query left out", withQuery.split("?")[0] ?? ""],
    ["a query in another order", withQuery.replace("from=platform&next=%2Fhome", "next=%2Fhome&from=platform")],
    ["a query decoded", withQuery.replace("%2F", "/")],
    ["a trailing slash", `${REDIRECT_URI}/`],
    ["a fragment", `${REDIRECT_URI}#x`],
    ["an empty fragment", `${REDIRECT_URI}#`],
    ["https", REDIRECT_URI.replace("http:", "https:")],
    ["localhost for 127.0.0.1", REDIRECT_URI.replace("127.0.0.1", "localhost")],
    ["a user name", REDIRECT_URI.replace("127", "user@127")],
    ["a deeper path", `${REDIRECT_URI}/x`],
    ["a path that leads back", REDIRECT_URI.replace("/oauth", "/x/../oauth")],
    ["a space at its end", `${REDIRECT_URI} `],
    ["a null character", `${REDIRECT_URI}\0`],
  ])("%s is refused", async (_, redirect_uri) => {
    await expectRefusal(await authorize(sim, { redirect_uri }), /is not registered for redirects of this app/);
  });

  it("says how it differs from a similar registered one", async () => {
    const { body } = await authorize(sim, { redirect_uri: `${REDIRECT_URI}/` });
    expect(body).toContain(`differs from the registered ${REDIRECT_URI} only by the trailing slash of its path`);
    expect(body).toContain(`let the app send ${REDIRECT_URI}`);
  });

  it("every registered one is accepted", async () => {
    for (const redirect_uri of garden.redirectUris) {
      const location = (await authorize(sim, { redirect_uri })).headers.location;
      expect(location).toEqual(expect.stringContaining(redirect_uri));
    }
  });
});

describe("5.2 other mistakes in a request are reported to the app, with its state", () => {
  it.each<[string, Changes, string]>([
    ["A3: no response_type", { response_type: null }, "invalid_request"],
    ["A3: an empty response_type", { response_type: "" }, "invalid_request"],
    ["A3: response_type token", { response_type: "token" }, "unsupported_response_type"],
    ["A3: response_type code token", { response_type: "code token" }, "unsupported_response_type"],
    ["A3: response_type CODE", { response_type: "CODE" }, "unsupported_response_type"],
    ["A4: no scope", { scope: null }, "invalid_scope"],
    ["A4: two spaces", { scope: "project  glossary" }, "invalid_scope"],
    ["A4: a space at the end", { scope: "project " }, "invalid_scope"],
    ["A4: a tab", { scope: "project\tglossary" }, "invalid_scope"],
    ["A4: a quotation mark", { scope: 'pro"ject' }, "invalid_scope"],
    ["A4: a backslash", { scope: "pro\\ject" }, "invalid_scope"],
    ["A4: a letter beyond ASCII", { scope: "projéct" }, "invalid_scope"],
    ["A4: a scope that is not registered", { scope: "project admin" }, "invalid_scope"],
    ["A4: a scope in another case", { scope: "Project" }, "invalid_scope"],
    ["A9: a challenge without its method", { code_challenge_method: null }, "invalid_request"],
    ["A9: a method without a challenge", { code_challenge: null }, "invalid_request"],
    ["A9: an empty challenge", { code_challenge: "" }, "invalid_request"],
    ["A9: another method", { code_challenge_method: "S512" }, "invalid_request"],
    ["A9: the method in another case", { code_challenge_method: "s256" }, "invalid_request"],
    ["A10: a challenge of 42 characters", { code_challenge: "a".repeat(42) }, "invalid_request"],
    ["A10: a challenge of 129 characters", { code_challenge: "a".repeat(129) }, "invalid_request"],
    ["A10: a padded challenge", { code_challenge: `${proof.challenge}=` }, "invalid_request"],
    ["A10: a challenge in base64", { code_challenge: `${"a".repeat(42)}+` }, "invalid_request"],
    ["A10: a challenge that ends in a new line", { code_challenge: `${proof.challenge}\n` }, "invalid_request"],
  ])("%s", async (_, changes, error) => {
    expect(await errorOf(changes)).toEqual([error, "state-1"]);
  });

  it.each(["response_type", "scope", "code_challenge", "code_challenge_method"])("A6: %s twice", async (name) => {
    const value = new URL(authorizeUrl(sim)).searchParams.get(name) ?? "";
    for (const other of [value, "x", ""]) {
      expect(await errorOf({ [name]: [value, other] })).toEqual(["invalid_request", "state-1"]);
    }
  });

  it("A6: state twice, and neither is returned", async () => {
    expect(await errorOf({ state: ["one", "two"] })).toEqual(["invalid_request", undefined]);
    expect(await errorOf({ state: ["one", "one"] })).toEqual(["invalid_request", undefined]);
  });

  it("A10: a challenge of 43 to 128 unreserved characters is accepted", async () => {
    for (const code_challenge of ["a".repeat(43), "-._~".repeat(32)]) {
      expect(answerOf(await authorize(sim, { code_challenge }))).toHaveProperty("code");
    }
  });

  it("A4: an app without registered scopes may ask for any, once each", async () => {
    const changes = { client_id: orchard.clientId, redirect_uri: orchard.redirectUris[0] ?? "" };
    const code = await codeFor(sim, { ...changes, scope: "x:y !#[] x:y" });
    const secrets = { client_id: orchard.clientId, client_secret: orchard.clientSecret };
    const { scope } = tokensOf(await exchange(sim, { ...changes, ...secrets, code }));
    expect(scope).toBe("x:y !#[]");
  });

  it("A5: an unknown parameter is ignored, even twice", async () => {
    const answer = answerOf(await authorize(sim, { nonsense: ["1", "2"], nonce: "n", prompt: "none" }));
    expect(Object.keys(answer)).toEqual(["code", "state"]);
  });
});

describe("5.2 PKCE", () => {
  const plain = { code_challenge: proof.verifier, code_challenge_method: "plain" };

  it("A11: plain is accepted, with a warning in the journal", async () => {
    expect(await tokens(sim, plain)).toHaveProperty("access_token");
    const warned = sim.journal.list().flatMap((record) => (record.type === "oauth" ? record.warnings : []));
    expect(warned).toContainEqual(expect.stringContaining("plain protects less than S256"));
    expect(await exchange(sim, { code: await codeFor(sim, plain), code_verifier: proof.challenge })).toMatchObject({
      status: 400,
    });
  });

  it("A11: the page warns about plain", async () => {
    expect((await authorize(asking, plain)).body).toContain("plain protects less than S256");
  });

  it("A11: plain is refused if the choice says so, but S256 is not", async () => {
    await using strict = await startPlatform({ choices: { "oauth.pkce.plain": "refused" } });
    expect(await errorOf(plain, strict)).toEqual(["invalid_request", "state-1"]);
    expect(await tokens(strict)).toHaveProperty("access_token");
    const metadata = JSON.parse((await send(`${strict.url}/.well-known/oauth-authorization-server`)).body);
    expect(metadata.code_challenge_methods_supported).toEqual(["S256"]);
  });

  it("without it a code is valid with only the secret, and the journal warns", async () => {
    const code = await codeFor(sim, noPkce);
    expect(verdictOf(await exchange(sim, { ...noPkce, code }))).toBe("200");
    const warned = sim.journal.list().flatMap((record) => (record.type === "oauth" ? record.warnings : []));
    expect(warned).toContainEqual(expect.stringContaining("no code_challenge was sent"));
  });
});

describe("5.2 the redirect after approval", () => {
  it("is a 302 with code and state in its query", async () => {
    const answer = await authorize(sim);
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toMatch(
      /^http:\/\/127\.0\.0\.1:3000\/oauth\/callback\?code=[A-Za-z0-9_-]{43}&state=state-1$/,
    );
  });

  it("A7: has the sent state, whatever is in it, or none", async () => {
    const states = [
      "a&b=c#d?e/f",
      "100% %41 %zz %",
      "+ +",
      "line\nbreak\r\nand\ttab",
      "žluťoučký 👩‍👩‍👧 \u202e\u0000\uFEFF",
      "../..//evil",
      `"'<script>`,
      "x".repeat(1500),
      "é".repeat(1200),
      "",
    ];
    for (const state of states) expect(answerOf(await authorize(sim, { state })).state).toBe(state);
    expect(Object.keys(answerOf(await authorize(sim, { state: null })))).toEqual(["code"]);
  });

  it("A7: also through the consent page, approved or denied", async () => {
    const states = ["a&b=c%20\r\n\n\r+ <b>", "ž👋\u0000".repeat(300)];
    for (const state of states) {
      for (const decision of ["approve", "deny"] as const) {
        const decided = await consent(asking, await authorize(asking, { state }), { decision });
        expect(answerOf(decided).state).toBe(state);
      }
    }
  });

  it("A7: a browser that uses another name of the platform is redirected to its address, with the whole request", async () => {
    const { host, port } = new URL(sim.url);
    const url = authorizeUrl(sim, { state: "a&b=c%20\r\n é" });
    const led = await send(url, { headers: { host: `localhost:${port}` } });
    expect([led.status, led.headers.location]).toEqual([302, url]);
    expect(new URL(String(led.headers.location)).host).toBe(host);
  });

  it("A7: a state that is not percent-encoded is refused, not changed", async () => {
    const raw = Buffer.from("é", "utf8").toString("latin1");
    const answer = await rawGet(sim.url, `${new URL(authorizeUrl(sim, { state: null })).search}&state=${raw}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("A8: keeps the query of the redirect_uri as it is", async () => {
    const [, redirect_uri = ""] = garden.redirectUris;
    for (const changes of [{}, { scope: "unknown" }]) {
      const { location } = (await authorize(sim, { redirect_uri, ...changes })).headers;
      expect(location).toEqual(expect.stringContaining(`${redirect_uri}&`));
      expect(String(location).match(/\?/g)).toHaveLength(1);
    }
  });

  it("A8: is valid only for an exchange with that redirect_uri", async () => {
    const [, redirect_uri = ""] = garden.redirectUris;
    const code = await codeFor(sim, { redirect_uri });
    expect(verdictOf(await exchange(sim, { code }))).toBe("400 invalid_grant");
    expect(verdictOf(await exchange(sim, { code, redirect_uri }))).toBe("200");
  });

  it.each([
    ["undefined", "code is the word undefined: the app has no value for it"],
    ['"x"', "the code is in quotes: send it without them"],
    ["x", "this platform did not issue this code"],
  ])("%s in its place is refused, and says why", async (code, why) => {
    const refused = await exchange(sim, { code });
    expect([verdictOf(refused), JSON.parse(refused.body).error_description]).toEqual(["400 invalid_grant", why]);
  });
});

/** The answer to a request whose bytes no client would send. */
async function rawGet(url: string, search: string): Promise<string> {
  const { connect } = await import("node:net");
  const { host, port } = new URL(url);
  const socket = connect({ host: "127.0.0.1", port: Number(port) });
  socket.write(`GET /oauth/authorize${search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, "latin1");
  let answer = "";
  for await (const chunk of socket.setEncoding("latin1")) answer += chunk;
  return answer;
}

describe("5.2 the user is asked", () => {
  it("A27: a refusal is error=access_denied and the state, by 303", async () => {
    const denied = await consent(asking, await authorize(asking, { state: "s&%" }), { decision: "deny" });
    expect(denied.status).toBe(303);
    expect(answerOf(denied)).toMatchObject({ error: "access_denied", state: "s&%" });
    expect(answerOf(denied)).not.toHaveProperty("code");
  });

  it("A27: unless the configuration decides", async () => {
    await using denying = await startPlatform({ oauth: { consent: "deny" } });
    expect(await errorOf({}, denying)).toEqual(["access_denied", "state-1"]);
  });

  it("an approval redirects by 303, with a code for the user who approved", async () => {
    const approved = await consent(asking, await authorize(asking), { user: "olena.owner" });
    expect(approved.status).toBe(303);
    const code = redirectedTo(approved).searchParams.get("code") ?? "";
    const { access_token } = tokensOf(await exchange(asking, { code }));
    const [, payload = ""] = access_token.split(".");
    expect(JSON.parse(Buffer.from(payload, "base64url").toString()).sub).toBe("101");
    expect((await callApi(asking, access_token)).status).toBe(200);
  });

  it("each request is decided once, and a later decision changes nothing", async () => {
    const page = await authorize(asking);
    const code = redirectedTo(await consent(asking, page)).searchParams.get("code") ?? "";
    for (const decision of ["approve", "deny"] as const) {
      const again = await consent(asking, page, { decision });
      expect([again.status, again.headers.location]).toEqual([410, undefined]);
    }
    expect(verdictOf(await exchange(asking, { code }))).toBe("200");
  });

  it("by a page that names the app and every scope in words", async () => {
    const $ = load((await authorize(asking, { scope: "project glossary" })).body);
    expect($("h1").text()).toContain("Garden");
    expect($("main").text()).toContain("Read the glossary");
    expect($("main").text()).toContain("See the projects");
    const decisions = $("[name=decision]").map((_, button) => $(button).attr("value"));
    expect(decisions.get().sort()).toEqual(["approve", "deny"]);
  });

  it("a request that waited too long cannot be decided", async () => {
    await using old = await startPlatform({ oauth: { consent: "ask" } });
    const page = await authorize(old);
    old.clock.advance("10m");
    expect((await consent(old, page)).status).toBe(410);
  });

  it("A28: on a page that loads nothing from elsewhere and sends no referrer, and neither does the redirect", async () => {
    const page = await authorize(asking);
    const urls = [...page.body.matchAll(/\b(?:src|href|action|srcset)="([^"]*)"/g)].map(([, url]) => url);
    expect(urls.filter((url) => !url?.startsWith("/") || url.startsWith("//"))).toEqual([]);
    for (const answer of [page, await authorize(sim), await authorize(sim, { client_id: "x" })]) {
      expect(answer.headers).toMatchObject({ "referrer-policy": "no-referrer", "cache-control": "no-store" });
    }
  });

  it("a verifier is never accepted as a challenge", async () => {
    const { verifier, challenge } = pkcePair();
    const code = await codeFor(sim, { code_challenge: challenge });
    expect(verdictOf(await exchange(sim, { code, code_verifier: challenge }))).toBe("400 invalid_grant");
    expect(verdictOf(await exchange(sim, { code, code_verifier: verifier }))).toBe("200");
  });
});
