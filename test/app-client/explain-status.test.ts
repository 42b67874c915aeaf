import { describe, expect, it } from "vitest";
import { explainStatus } from "../../src/app-client/explain-status.ts";
import type { CallFacts } from "../../src/app-client/refusal-hints.ts";
import { configure } from "../../src/config/load.ts";
import type { Choices } from "../../src/index.ts";
import { tokenFacts } from "../../src/platform/call-facts.ts";
// What these frameworks answered to a POST with JSON, to the letter but for styles, scripts and what follows 1,800 characters.
import answers from "./framework-answers.json" with { type: "json" };

const signature: CallFacts = { by: "signature", header: "X-Platform-Signature", url: "http://127.0.0.1:3000/w" };

async function token(choose: Partial<Choices> = {}): Promise<CallFacts> {
  const { config, choices } = await configure({ choices: choose }, ".");
  const [app] = config.apps;
  if (app === undefined) throw new Error("no app is configured");
  return { ...tokenFacts({ config, choices }, app, "network"), url: "http://127.0.0.1:3000/w", method: "POST" };
}

type Framework = keyof typeof answers;

function explain(framework: Framework, facts: CallFacts) {
  const { status, headers, body } = answers[framework];
  return explainStatus({ status, headers: headers as [string, string][], body: Buffer.from(body) }, facts);
}

function explainText(status: number, text: string, facts: CallFacts, headers: [string, string][] = []) {
  return explainStatus({ status, headers, body: Buffer.from(text) }, facts);
}

const CSRF = "a CSRF check refused it, which the platform cannot pass: exempt the module's route";

describe("what a framework answers before the app's own code runs", () => {
  it.each<[Framework, string]>([
    ["Django 5.2", `${CSRF} (@csrf_exempt at its view, in Django)`],
    ["Django 5.2, DEBUG", `${CSRF} (@csrf_exempt at its view, in Django)`],
    ["Flask-WTF 1.3", `${CSRF} (csrf.exempt(view), in Flask-WTF)`],
    ["Express 5, csurf", `${CSRF} (its route before the CSRF middleware, in Express)`],
    ["Express 5, lusca", `${CSRF} (its route before the CSRF middleware, in Express)`],
    [
      "Express 5, csurf, in production",
      "it sets a CSRF cookie: is the route behind a CSRF check, which the platform cannot pass?",
    ],
    ["Fastify 5, @fastify/csrf-protection", `${CSRF} (no csrfProtection hook for it, in Fastify)`],
    [
      "Express 5, express.raw()",
      "raise the app's body size limit, up to 5 MB (interface 8): the option limit of express.json() or express.raw(), or jsonLimit of Koa's body parser",
    ],
    [
      "Koa, koa-bodyparser",
      "raise the app's body size limit, up to 5 MB (interface 8): the option limit of express.json() or express.raw(), or jsonLimit of Koa's body parser",
    ],
    ["Fastify 5, a large body", "raise the app's body size limit, up to 5 MB (interface 8): bodyLimit, in Fastify"],
    [
      "Flask 3.1, a large body",
      "raise the app's body size limit, up to 5 MB (interface 8): MAX_CONTENT_LENGTH, in Flask",
    ],
    [
      "Express 5, express.json(), in production",
      "raise the app's body size limit, up to 5 MB (interface 8): it is a setting of its body parser, its server or a proxy in front of it",
    ],
    [
      "Django 5.2, a large body",
      "if it is Django: is the body over DATA_UPLOAD_MAX_MEMORY_SIZE, or is the host of --app missing in ALLOWED_HOSTS?",
    ],
    [
      "Next 16, a large body",
      "raise the app's body size limit, up to 5 MB (interface 8): export const config = { api: { bodyParser: { sizeLimit } } }, in Next",
    ],
    [
      "Fastify 5, another type",
      "`app-sim log last` shows both: does the route accept application/json, and is its body parser enabled for it?",
    ],
    [
      "Flask 3.1, another type",
      "`app-sim log last` shows both: does the route accept application/json, and is its body parser enabled for it?",
    ],
    [
      "Fastify 5, a slash",
      "compare the module's url in the manifest with the app's routes for POST; many routers distinguish /w from /w/",
    ],
    [
      "Express 5, strict routing",
      "compare the module's url in the manifest with the app's routes for POST; many routers distinguish /w from /w/",
    ],
    [
      "Django 5.2, DEBUG, a slash",
      "its route ends in a slash: add the trailing slash to the module's url in the manifest",
    ],
    ["Flask 3.1, a slash", "the route ends in a slash: write the module's url in the manifest the same way"],
  ])("%s: guards, imports and webhooks get the same hint", async (framework, hint) => {
    expect(explain(framework, signature).hint).toBe(hint.replace(", up to 5 MB (interface 8)", ""));
    expect(explain(framework, await token()).hint).toBe(hint);
  });

  it.each([
    ["/app/app/guards/terms", /^\/app occurs twice: .* If that ends in the same path already/],
    ["/guards/network/guards/network", /^\/guards\/network occurs twice: /],
    ["/apps/app/guards/terms", /^compare the module's url/],
    ["/app/application", /^compare the module's url/],
  ])("a base path in both the app's address and the module's url is reported: %s", (path, hint) => {
    expect(explainText(404, "", { ...signature, url: `http://127.0.0.1:3000${path}` }).hint).toMatch(hint);
  });

  it("a redirect to the same address with a slash is reported; one to another place may be a login page", () => {
    const facts = { ...signature, url: "http://127.0.0.1:3000/x" };
    expect(explain("Django 5.2, a slash", facts).hint).toContain("ends in a slash");
    const without = explain("Next 16, a slash", { ...signature, url: "http://127.0.0.1:3000/w/" });
    expect(without.hint).toBe("the route has no trailing slash: write the module's url in the manifest the same way");
    for (const location of ["/login", "https://127.0.0.1:3000/login", "https://login.example/x"]) {
      expect(explainText(302, "", facts, [["Location", location]]).hint).toContain("does a login page protect");
    }
  });

  it.each(["https://127.0.0.1:3000/x", "https://127.0.0.1/x/"])(
    "a redirect to the same place over TLS is reported: %s",
    (to) => {
      const over = (url: string) => explainText(301, "", { ...signature, url }, [["Location", to]]).hint;
      expect(over("http://127.0.0.1:3000/x")).toMatch(/^the app enforces HTTPS: turn that off for local runs /);
      expect(over("https://127.0.0.1:3000/x")).not.toContain("forces HTTPS");
    },
  );

  it("a short page is read whole, whatever its elements", () => {
    const page = "<h1>403</h1><div>invalid csrf token</div>";
    expect(explainText(403, page, signature).hint).toBe(`${CSRF} (its route before the CSRF middleware, in Express)`);
  });

  it("Laravel's own status is a CSRF check; a handler that speaks of something else is not", () => {
    expect(explainText(419, "<title>Page Expired</title>", signature).hint).toBe(
      `${CSRF} (validateCsrfTokens(except: […]), in Laravel)`,
    );
    const rails = "<title>The change you wanted was rejected (422)</title>";
    expect(explainText(422, rails, signature).hint).toMatch(
      /^if it is Rails: is the route behind its CSRF check.*skip_forgery/,
    );
    expect(explainText(422, '{"error":"events is empty"}', signature).hint).toBeNull();
    expect(explainText(403, '{"error":"signature mismatch"}', signature).hint).not.toContain("CSRF");
    expect(explainText(403, "{}", signature, [["Set-Cookie", "session=csrf"]]).hint).not.toContain("CSRF");
  });
});

const OTHER = "(PLATFORM_APP_SECRET is another one, for webhooks)";
const TRIES =
  ". If the app does so: `app-sim doctor` tries the usual mistakes, such as quotes around it, a line ending after it, or base64";
const EXPLAINS = "`app-sim guard --explain` shows its claims, and code that verifies it.";
const verify = (algorithm: string, what: string, more = "") =>
  `\`app-sim doctor\` tries the usual mistakes. The answer gives no reason: log the error of the app's JWT verifier. Does the app verify the JWT (${algorithm}, as Authorization: Bearer) with ${what}, and its aud with PLATFORM_CLIENT_ID?${more} ${EXPLAINS}`;
const clock = (seconds: number) =>
  `the JWT is valid for ${seconds} s (exp and iat are in seconds): does the app compare them with milliseconds (Date.now())? If not, does the app's clock agree with the platform's (\`app-sim clock\`)? \`app-sim doctor\` tries this`;

describe("a refused JWT", () => {
  it.each<[string, Partial<Choices>, string]>([
    ["by default", {}, verify("HS256", "the PLATFORM_CLIENT_SECRET that `app-sim env` prints")],
    [
      "with the app secret",
      { "guard.jwt.key": "app-secret", "guard.jwt.algorithm": "HS512" },
      verify("HS512", "the PLATFORM_APP_SECRET that `app-sim env` prints"),
    ],
    [
      "with a key pair",
      { "guard.jwt.algorithm": "ES256" },
      verify("ES256", "the platform's public key, which it serves at /.well-known/jwks.json"),
    ],
    [
      "where apps are told of their installation",
      { "install.event": "on" },
      verify(
        "HS256",
        "the PLATFORM_CLIENT_SECRET that `app-sim env` prints",
        ` Has it received its installation event (\`app-sim install\`)?`,
      ),
    ],
  ])("whose refusal says nothing: %s", async (_, choose, hint) => {
    for (const framework of ["express-jwt, in production", "passport-jwt"] as const) {
      expect(explain(framework, await token(choose)).hint).toBe(hint);
    }
  });

  it.each<[Framework, string]>([
    [
      "@fastify/jwt, another key",
      `the JWT is signed with HS256: verify it with the PLATFORM_CLIENT_SECRET that \`app-sim env\` prints ${OTHER}${TRIES}`,
    ],
    ["@fastify/jwt, expired", clock(900)],
    [
      "@fastify/jwt, no token",
      "the JWT was sent as Authorization: Bearer: does the app read it from there? `app-sim log last` shows the request",
    ],
  ])("in the words of %s", async (framework, hint) => {
    expect(explain(framework, await token()).hint).toBe(hint);
  });

  // What jsonwebtoken 9, jose 6, PyJWT 2, jjwt, golang-jwt and ruby-jwt throw, as apps pass it on.
  it.each<[string, Partial<Choices>, RegExp]>([
    ["invalid signature", {}, /^the JWT is signed with HS256: /],
    ["wrong secret", {}, /^the JWT is signed with HS256: .*PLATFORM_APP_SECRET is another one/],
    [
      "invalid signature",
      { "guard.jwt.algorithm": "ES256" },
      /public key, which it serves at \/\.well-known\/jwks\.json$/,
    ],
    ["Signature verification failed", {}, /^the JWT is signed with HS256: /],
    ["jwt expired", { "guard.jwt.lifetime": 5 }, /^the JWT is valid for 5 s /],
    ["Signature has expired", {}, /^the JWT is valid for 900 s /],
    ["jwt not active", {}, /^the JWT is valid for /],
    ["jwt expired", { "guard.jwt.claims": { drop: ["exp"] } }, /leaves iat or exp out/],
    ["invalid algorithm", {}, /^the JWT's algorithm is HS256: /],
    ["The specified alg value is not allowed", { "guard.jwt.algorithm": "RS256" }, /^the JWT's algorithm is RS256: /],
    ["jwt audience invalid. expected: other", {}, /^the JWT's aud is "app-sim-client", /],
    ["Audience doesn't match", { "guard.jwt.claims": { drop: ["aud"] } }, /leaves aud out/],
    ["jwt issuer invalid. expected: https://platform.example", {}, /^the JWT has no iss, .*"add":\{"iss"/],
    ["jwt issuer invalid. expected: a", { "guard.jwt.claims": { add: { iss: "b" } } }, /^the JWT's iss is "b", /],
    ["jwt must be provided", {}, /^the JWT was sent as Authorization: Bearer: does the app read it from there/],
    ["Authentication credentials were not provided.", {}, /^the JWT was sent as Authorization: Bearer: does the app/],
    ["Nil JSON web token", {}, /^the JWT was sent as Authorization: Bearer: does the app read it from there/],
    ["jwt malformed", {}, /^what the app verified is not a complete JWT: it was sent as Authorization: Bearer\. /],
    ["Not enough segments", {}, /^what the app verified is not a complete JWT: /],
    ["Invalid Compact JWS", {}, /^what the app verified is not a complete JWT: /],
    ["signature verification failed", {}, /^the JWT is signed with HS256: /],
    ['"exp" claim timestamp check failed', {}, /^the JWT is valid for /],
    ['unexpected "aud" claim value', {}, /^the JWT's aud is "app-sim-client", /],
    ['"alg" (Algorithm) Header Parameter value not allowed', {}, /^the JWT's algorithm is HS256: /],
    ["unexpected signing method: HS256", {}, /^the JWT's algorithm is HS256: /],
    [
      "The specified key byte array is 168 bits which is not secure enough for any JWT HMAC-SHA algorithm.",
      {},
      /^the app's library requires a longer key for HS256 .* the key is the PLATFORM_CLIENT_SECRET/,
    ],
    [
      "secret or public key must be provided",
      {},
      /^the app has no key .* with the PLATFORM_CLIENT_SECRET that `app-sim/,
    ],
    ["HMAC key is zero-length key", {}, /^the app has no key to verify the JWT with/],
    ["Secret key byte array cannot be null or empty.", {}, /^the app has no key to verify the JWT with/],
    ["Key for the HS256 algorithm must be one of type CryptoKey. Received undefined", {}, /^the app has no key /],
    ["Key argument must be of type KeyObject", {}, /^the app has no key /],
    ["key is of invalid type", {}, /^the app has no key /],
    ['Token is missing the "iss" claim', {}, /^the JWT has no iss, .*"add":\{"iss"/],
    ['Token is missing the "aud" claim', {}, /^the JWT's aud is "app-sim-client"/],
    [
      'Token is missing the "nbf" claim',
      {},
      /^the JWT has no claim nbf\. Its claims are aud, .*without iss\. The choice guard\.jwt\.claims adds others$/,
    ],
    ['missing required "userId" claim', {}, /^the JWT has no claim userId\. Its claims are .*user_id/],
    ["token is missing required claim: tenant claim is required", {}, /^the JWT has no claim tenant\. /],
    ["The role claim is required.", {}, /^the JWT has no claim role\. /],
    ["Missing required claim iss", {}, /^the JWT has no iss, /],
    ["Missing required claim tenant", {}, /^the JWT has no claim tenant\. /],
    ['Token is missing the "jti" claim', {}, /^every call has a JWT with its own jti; /],
    ['Token is missing the "jti" claim', { "guard.jwt.claims": { drop: ["jti"] } }, /^the JWT has no claim jti\. /],
    ["Token is missing", {}, /^the JWT was sent as Authorization: Bearer: does the app read it from there/],
    ["jti was already used", {}, /^every call has a JWT with its own jti; /],
    ["Cannot read properties of undefined (reading 'userId')", {}, /^the app has no body to read: .*express\.json/],
    ["unknown module key", {}, /^the call is for the module "network": /],
    ["Can't find organization by id", {}, /organization 200000001\? organization.id /],
    ["Can't find organization by id", { "install.event": "on" }, /200000001\? `app-sim install` sends it/],
  ])('in the words "%s"', async (words, choose, hint) => {
    expect(explainText(401, JSON.stringify({ success: false, error: words }), await token(choose)).hint).toMatch(hint);
    expect(explainText(403, words, await token(choose)).hint).toMatch(hint);
  });

  it("names the claims as the choice guard.jwt.claims makes them", async () => {
    const claims = { drop: ["domain", "jti"], rename: { sub: "userId" }, add: { iss: "a" } };
    const missing = '{"error":"Token is missing the \\"nbf\\" claim"}';
    expect(explainText(401, missing, await token({ "guard.jwt.claims": claims } as Partial<Choices>)).hint).toContain(
      'Its claims are aud, userId, module ("network"), context (organization_id, user_id …), iat, exp (in seconds), iss.',
    );
  });

  it("by a page asks where the page looks for it, and of its form whether a JWT may come twice", async () => {
    const page: CallFacts = { ...(await token()), tookBefore: "call" };
    expect(explainText(401, "Sorry", page).hint).toMatch(
      /^the page's JWT is sent as .*: does the page read it from there, and verify it with the same secret as the guard\?/,
    );
    expect(explainText(401, "Sorry", { ...page, tookBefore: "page" }).hint).toMatch(
      /does the app accept each jti only once/,
    );
    expect(explainText(401, "jwt expired", page).hint).toBe(clock(900));
    expect(explainText(401, "Sorry", { by: "page" }).hint).toMatch(
      /^neither the address nor the form passed on the page's JWT: /,
    );
    expect(explainText(401, "Sorry", { by: "none" }).hint).toBe("this call carries no credentials");
  });

  it("a challenge is read like the body", async () => {
    const challenge: [string, string] = [
      "WWW-Authenticate",
      'Bearer error="invalid_token", error_description="expired"',
    ];
    expect(explainText(401, "", await token(), [challenge]).hint).toBe(clock(900));
  });

  it("names first what the platform refused meanwhile, and whether the app is installed", async () => {
    const meanwhile = "meanwhile the app asked for a token and was refused: invalid_client: another secret";
    expect(explainText(401, "invalid signature", { ...(await token()), refusedMeanwhile: meanwhile }).hint).toBe(
      meanwhile,
    );
    expect(explainText(500, "", { ...(await token()), refusedMeanwhile: meanwhile }).hint).toBe(meanwhile);
    expect(explainText(401, "unknown organization", { ...(await token()), isInstalled: false }).hint).toContain(
      "was uninstalled",
    );
  });
});

describe("a verification request", () => {
  const page = "http://127.0.0.1:3000/pages/terms";
  const call = async (more: Partial<NonNullable<CallFacts["verification"]>> = {}, choose: Partial<Choices> = {}) => ({
    ...(await token(choose)),
    verification: { page, hasCode: false, ...more },
  });
  const BODY = /^the body is JSON with userId and organizationId \(numbers\), .*does the route parse JSON/;
  const COMPARES = /^the JWT has the body's userId \(a number\) as sub \(a string\), .*`app-sim doctor` tries this$/;

  it.each([
    ['{"error":"userId is required"}', BODY],
    ['{"errors":[{"path":["userId"],"message":"Required"}]}', BODY],
    ['{"detail":[{"loc":["body","user_id"],"msg":"Field required"}]}', BODY],
    ["moduleKey must be a string", BODY],
    ["missing organizationId", BODY],
    ['{"error":"user mismatch"}', COMPARES],
    ["wrong organization", COMPARES],
    ["userId does not match", COMPARES],
    ["the token is for another user", COMPARES],
    ["sub and user are not equal", COMPARES],
    ["code is required", /^the first call has no code \(interface 4\.2\): answer it with 200/],
    ["Missing code", /^the first call has no code/],
    ["body must have required property 'code'", /^the first call has no code/],
    ["body must have required property 'userId'", BODY],
  ])("is explained by the app's own words: %s", async (words, hint) => {
    expect(explainText(400, words, await call()).hint).toMatch(hint);
    expect(explainText(403, words, await call()).hint).toMatch(hint);
    expect(explainText(400, words, await token()).hint ?? "").not.toMatch(hint);
  });

  it("with a code, or of a guard without a page, is not said to lack a code, unless a schema requires it", async () => {
    expect(explainText(400, "code is required", await call({ hasCode: true })).hint).toBeNull();
    expect(explainText(400, "code is required", await call({ page: null })).hint).toBeNull();
    const bySchema = explainText(400, "body must have required property 'code'", await call({ page: null }));
    expect(bySchema.hint).toBe("only the final call of a guard with a page has a code: do not require it");
  });

  it.each(["unknown user", "userId 104 is not known", "another user is logged in", "use the VPN"])(
    "is not compared with itself if the app's message is about its user: %s",
    async (words) => {
      expect(explainText(400, words, await call()).hint).toBeNull();
    },
  );

  it("whose claims have other names by choice is compared with nothing", async () => {
    const renamed = { "guard.jwt.claims": { rename: { sub: "user" } } } as Partial<Choices>;
    expect(explainText(400, "user mismatch", await call({}, renamed)).hint).toBeNull();
  });

  it("that is answered with a redirect to the guard's own page", async () => {
    const to = async (location: string, of = call()) => explainText(302, "", await of, [["Location", location]]).hint;
    const own = /^that is the guard's own page \(options\.url\), which the platform opens itself: answer 200 with/;
    expect(await to("/pages/terms?from=guard")).toMatch(own);
    expect(await to(page)).toMatch(own);
    expect(await to("/login")).toMatch(/^does a login page/);
    expect(await to(page, call({ page: null }))).toMatch(/^does a login page/);
  });
});

it("a 403 does not show whether the app trusted the call", async () => {
  expect(explainText(403, "", await token()).reason).toBe("the app answered 403: it refused the call");
  expect(explainText(401, "", await token()).reason).toBe(
    "the app answered 401: it did not accept the call as authentic",
  );
});

it("a check that stops a form of the app's page is not one that the platform cannot pass", async () => {
  const form: CallFacts = { ...(await token()), tookBefore: "page" };
  const own = /a CSRF check of the app refused what its own page sent[:,] does the form have the CSRF token/;
  expect(explainText(403, '{"error":"invalid csrf token"}', form).hint).toMatch(own);
  expect(explainText(403, "", { by: "page" }, [["Set-Cookie", "_csrf=1"]]).hint).toMatch(own);
  expect(explainText(403, "invalid csrf token", form).hint).toMatch(
    /Referrer-Policy same-origin\? With no-referrer, .* Origin: null/,
  );
  const rails = "<title>The change you wanted was rejected (422)</title>";
  expect(explainText(422, rails, form).hint ?? "").not.toContain("platform");
});

it("a 404 of a page names the place that has the page's address", async () => {
  const facts = await token();
  const named = (more: Partial<CallFacts>) => explainText(404, "", { ...facts, ...more }).hint;
  expect(named({})).toMatch(/^compare the module's url in/);
  expect(named({ tookBefore: "call" })).toMatch(/^compare the module's options\.url in/);
  expect(named({ by: "page" })).toMatch(/^compare the address that the app's page leads to with/);
});

it("a rate limit, and a proxy that does not reach the app, are reported as such", async () => {
  const facts = await token();
  expect(explainText(429, "Too many requests", facts).hint).toMatch(/^the app limits how often it is called: /);
  const proxy = /^a proxy in front of the app sends this if it cannot reach the app: is the app running\?/;
  expect(explainText(502, "<h1>502 Bad Gateway</h1>", facts).hint).toMatch(proxy);
  expect(explainText(504, "", signature).hint).toMatch(proxy);
  expect(explainText(503, "no healthy upstream", signature).hint).toMatch(proxy);
});

describe("a refused delivery", () => {
  it.each<[string, RegExp]>([
    ["", /over the raw bytes of the body, with the PLATFORM_APP_SECRET/],
    ["missing signature", /^the signature is in X-Platform-Signature: /],
    ["No signature header", /^the signature is in X-Platform-Signature: /],
    ["timestamp too old", /^does the app expect a signed timestamp\? /],
    ["invalid signature", /over the raw bytes of the body/],
  ])('in the words "%s"', (words, hint) => {
    expect(explainText(401, JSON.stringify({ error: words }), signature).hint).toMatch(hint);
  });

  it("a 400 with no such words has no hint", () => {
    expect(explainText(400, '{"error":"events is missing"}', signature).hint).toBeNull();
  });
});

describe("a 404", () => {
  const reasonOf = (body: string) =>
    explainStatus({ status: 404, headers: [], body: Buffer.from(body) }, { by: "signature" }).reason;

  it.each([
    ["Express", "<!DOCTYPE html><pre>Cannot POST /webhooks</pre>"],
    ["Express in text", "Cannot POST /webhooks"],
    ["Fastify", '{"message":"Route POST:/webhooks not found","error":"Not Found","statusCode":404}'],
    ["FastAPI", '{"detail":"Not Found"}'],
    ["Spring", '{"timestamp":"2030-01-01T00:00:00Z","status":404,"error":"Not Found","path":"/webhooks"}'],
    ["Go", "404 page not found\n"],
    ["Koa", "Not Found"],
    ["Laravel", '{"message":"The route webhooks could not be found."}'],
    ["Flask", "<title>404 Not Found</title><p>The requested URL was not found on the server.</p>"],
    ["a problem document", '{"type":"about:blank","title":"Not Found","status":404}'],
    ["nothing", ""],
  ])("of a router means that there is no such endpoint: %s", (_, body) => {
    expect(reasonOf(body)).toBe("the app answered 404: it has no such endpoint");
  });

  it.each([
    ["Koa's own", "text/plain; charset=utf-8", "Not Found", true],
    ["of Go", "text/plain; charset=utf-8", "404 page not found\n", false],
    ["without a type", undefined, "Not Found", false],
  ])("%s may come from a handler that sets no body", (_, type, body, isAsked) => {
    const headers: [string, string][] = type === undefined ? [] : [["Content-Type", type]];
    expect(explainText(404, body, signature, headers).hint?.includes("sets no ctx.body")).toBe(isAsked);
  });

  it.each([
    ["an error", '{"error":"project 42 not found"}', "project 42 not found"],
    ["a text", "unknown organization", "unknown organization"],
    ["a denial", '{"success":false}', '{"success":false}'],
    ["within", '{"errors":[{"code":404,"message":"No user with this id"}]}', "No user with this id"],
  ])("whose body says something else is the handler's own: %s", (_, body, says) => {
    expect(reasonOf(body)).toBe(`the app answered 404, in its own words: ${says}`);
  });
});

describe("a 405", () => {
  it("says that the route exists, and which methods it allows", async () => {
    const allow: [string, string][] = [["allow", "GET, HEAD"]];
    const reason = "the app answered 405: it has the route, but does not accept POST there";
    expect(explainText(405, "", signature)).toMatchObject({
      reason,
      hint: expect.stringMatching(/^add a handler for POST/),
    });
    expect(explainText(405, "", { ...(await token()), method: "POST" }, allow).reason).toBe(
      `${reason}; it accepts GET, HEAD`,
    );
    expect(explainText(405, "", { by: "none" }).reason).toBe(
      "the app answered 405: it has the route, but does not accept this method there",
    );
  });
});

it("a 304 is not a valid answer to a call", async () => {
  expect(explainText(304, "", await token()).hint).toMatch(/^304 refers to .*: answer 200 with a body each time$/);
});

describe("a 500", () => {
  it.each([
    [
      "<pre>TypeError: Cannot read properties of undefined (reading &#39;userId&#39;)<br> at …</pre>",
      /^the app has no body/,
    ],
    [
      "{\"message\":\"Cannot destructure property 'userId' of 'req.body' as it is undefined.\"}",
      /^the app has no body/,
    ],
    ["Error: secretOrPrivateKey must have a value", /^the app has no key to verify the JWT with: was it started with/],
    ["TypeError: Cannot read properties of undefined (reading 'role')", /^look in the app's own log$/],
  ])("that names what the app lacks: %s", async (words, hint) => {
    expect(explainText(500, words, await token()).hint).toMatch(hint);
    expect(explainText(500, words, signature).hint).toMatch(/^look in the app's own log/);
  });

  it.each([
    ["JsonWebTokenError: jwt audience invalid. expected: my-app", /^the JWT's aud is .* Answer 401, not 500, /],
    ["JsonWebTokenError: invalid signature", /^the JWT is signed with .*\. Answer 401, not 500, /],
    ["the token is missing or not valid", /^look in the app's own log$/],
    ["the module is broken", /^look in the app's own log$/],
  ])("that is thrown for a JWT asks for 401: %s", async (words, hint) => {
    expect(explainText(500, words, await token()).hint).toMatch(hint);
  });

  it("of a delivery names the usual causes", async () => {
    expect(explainText(500, "", signature).hint).toMatch(
      /own log; usual causes: .*express\.json\(\).*PLATFORM_APP_SECRET.*timingSafeEqual/,
    );
    expect(explainText(500, "db is down", await token()).hint).toBe("look in the app's own log");
    expect(explainText(503, "", signature).hint).toBe("look in the app's own log");
  });

  it.each([
    "",
    '{"error":"internal error"}',
    "Internal Server Error",
    '{"statusCode":500,"message":"Internal server error"}',
    "<h1>Server Error (500)</h1>",
  ])("of a call with a JWT, without a reason, asks about the secret: %s", async (body) => {
    const facts = await token();
    expect(explainText(500, body, facts).hint).toBe(
      "look in the app's own log; if that names no cause: does the app run with the PLATFORM_CLIENT_SECRET that `app-sim env` prints? A JWT verifier that throws, and is not caught, ends in a 500; `app-sim doctor` tries the usual mistakes",
    );
    expect(explainText(500, body, { ...facts, tookBefore: "call" }).hint).toBe("look in the app's own log");
    expect(explainText(503, body, facts).hint).toBe("look in the app's own log");
  });

  it.each([
    [
      '{"statusCode":500,"code":"ERR_X","error":"Internal Server Error","message":"db is down"}',
      /own log; its answer says: db is down$/,
    ],
    [
      '{"error":"Internal Server Error","message":"bad signature"}',
      /^catch .* signature is wrong; its answer says: bad signature$/,
    ],
    ['{"traceId":"00-4bf92f3577b34da6","status":500,"path":"/webhooks"}', /own log; usual causes: /],
    ["Internal Server Error", /own log; usual causes: /],
  ])("of a delivery shows the app's own words: %s", (body, hint) => {
    expect(explainText(500, body, signature).hint).toMatch(hint);
  });

  it("of a body that is too large for nginx in front of the app names its setting, not the app's", () => {
    const page =
      "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx/1.25</center>";
    expect(explainText(413, page, signature).hint).toMatch(/: client_max_body_size, in nginx, whose page this is$/);
  });

  it.each<[setting: string, headers: [string, string][], body: string]>([
    ["the option limit of express.json() and express.raw()", [["x-powered-by", "Express"]], "Payload Too Large"],
    [
      "post_max_size, in php.ini",
      [
        ["server", "nginx/1.25"],
        ["X-Powered-By", "PHP/8.3.6"],
      ],
      "",
    ],
    ["MAX_CONTENT_LENGTH, in Flask", [["Server", "Werkzeug/3.1.3 Python/3.12.3"]], "too large"],
    ["LimitRequestBody, in Apache", [["Server", "Apache/2.4.58 (Ubuntu)"]], ""],
    ["http.MaxBytesReader, in Go", [], "http: request body too large"],
  ])("of a body that is too large names the setting of what answered: %s", (setting, headers, body) => {
    const { hint } = explainText(413, body, signature, headers);
    expect(hint).toBe(`raise the app's body size limit: ${setting}`);
    expect(explainText(413, body, { by: "none" }, headers).hint).toBe(
      `raise the app's body size limit, up to 5 MB (interface 8): ${setting}`,
    );
  });

  it("of a delivery that the app accepted before with the correct signature names no cause that this excludes", () => {
    const { hint } = explainText(500, "", { ...signature, tookBefore: "delivery" });
    expect(hint).toMatch(/own log; it acknowledged the same delivery before, .*timingSafeEqual/);
    expect(hint).not.toMatch(/PLATFORM_APP_SECRET|express/);
  });

  const thrown = (error: string) =>
    `<!DOCTYPE html><html><title>Error</title><pre>${error}<br> &nbsp; &nbsp;at Hmac.update (node:internal/crypto/hash:123:11)</pre>`;
  const argument = (name: string, received: string) =>
    thrown(
      `TypeError [ERR_INVALID_ARG_TYPE]: The &quot;${name}&quot; argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${received}`,
    );
  it.each([
    [
      "a parsed body",
      argument("data", "an instance of Object"),
      /^the app hashed something that is neither text nor bytes: .*express\.json\(\)/,
    ],
    ["a body that nobody read", argument("data", "undefined"), /not read at all \(express\.raw\(\) needs/],
    ["no key", argument("key", "undefined"), /^the app has no key for its HMAC: .*PLATFORM_APP_SECRET/],
    ["no key, in Python", "TypeError: key: expected bytes or bytearray, but got 'NoneType'", /^the app has no key/],
    ["lengths", thrown("RangeError [X]: Input buffers must have the same byte length"), /^timingSafeEqual throws/],
    [
      "something else",
      thrown("Error: db is down"),
      /^its answer says what was thrown: Error: db is down; look in the app's own log$/,
    ],
    [
      "no signature",
      thrown(
        "TypeError [X]: The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received undefined",
      ),
      /^Buffer\.from throws if there is no signature: .*; this one has a signature: does the app read its header/,
    ],
  ])("of a delivery that names what was thrown: %s", (_, body, hint) => {
    expect(explainText(500, body, signature).hint).toMatch(hint);
  });
});
