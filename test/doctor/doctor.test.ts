import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import jsonwebtoken from "jsonwebtoken";
import { describe, expect, test } from "vitest";
import { doctorResultSchema } from "../../src/doctor/doctor-result.ts";
import {
  type AppCall,
  type CallHandler,
  guardEntry,
  manifestOf,
  startFakeApp,
  unusedPort,
  webhookEntry,
} from "../rig/fake-app.ts";
import { runLine } from "../rig/line.ts";
import { onlyObject } from "../rig/output.ts";
import { selfSigned } from "../rig/self-signed.ts";
import { always } from "../rig/simulation.ts";
import { makeTempDir } from "../rig/temp-dir.ts";

const serves = manifestOf({ guards: [guardEntry("office")] });

function isSigned(call: AppCall): boolean {
  try {
    const token = call.header("authorization")?.replace("Bearer ", "") ?? "";
    jsonwebtoken.verify(token, "app-sim-client-secret-long-enough-for-HS256");
    return true;
  } catch {
    return false;
  }
}

/** A guard that lets in everybody with a valid token. */
const grants: CallHandler = (call) =>
  isSigned(call) ? call.reply({ success: true }) : call.reply({ error: "no" }, { status: 401 });

/** What `app-sim doctor` says of an app, by the names of its checks. */
async function examined(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  env: NodeJS.ProcessEnv = {},
) {
  using directory = makeTempDir();
  for (const [name, content] of Object.entries(files)) directory.write(name, content);
  const { code, stdout } = await runLine(["doctor", "--format", "json", ...args], {
    cwd: directory.path,
    env: { CHROME_PATH: "/nowhere/chrome", ...env },
  });
  const { checks, outcome } = doctorResultSchema.parse(onlyObject(stdout));
  return { code, outcome, checks: Object.fromEntries(checks.map((check) => [check.check, check])) };
}

describe("app-sim doctor", () => {
  test("with everything in place: exit 0", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(grants);
    const { code, outcome, checks } = await examined(["--app", app.url, "--port", String(await unusedPort())]);
    expect([code, outcome]).toEqual([0, "ok"]);
    const { browser, ...others } = checks;
    expect(Object.values(others).map(({ check, result }) => [check, result])).toEqual(
      ["versions", "config", "journal", "port", "app", "manifest", "secrets", "clock"].map((name) => [name, "passed"]),
    );
    expect(browser).toMatchObject({ result: "skipped", message: expect.stringContaining("no guard needs one") });
    expect(checks.config?.message).toContain("apps[0].url (flag --app)");
  });

  test("names each source of values once, and says nothing of guards that it could not see", async () => {
    const config = { app: { url: `http://127.0.0.1:${await unusedPort()}` }, login: { user: "admin" } };
    const { checks } = await examined(["--port", String(await unusedPort())], {
      "app-sim.config.json": JSON.stringify(config),
    });
    expect(checks.config?.message).toMatch(/apps\[0\]\.url, login\.user \(file app-sim\.config\.json\)/);
    expect(checks.browser?.message).toContain("only a frame guard needs one");
  });

  test("names settings for modules that the manifest does not declare", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(grants);
    const config = { app: { url: app.url }, verify: { guards: { ofice: { lets: { user: "admin" } }, office: {} } } };
    const { code, checks } = await examined(["--port", String(await unusedPort())], {
      "app-sim.config.json": JSON.stringify(config),
    });
    expect([code, checks.config]).toEqual([
      0,
      {
        check: "config",
        result: "warned",
        message: expect.stringMatching(
          /; verify\.guards\.ofice: no app declares this guard\. Did you mean "office"\?$/,
        ),
        hint: "correct the key, or remove the setting",
      },
    ]);
  });

  test("names files that were probably meant as config files", async () => {
    const { checks } = await examined(["--port", String(await unusedPort())], {
      "appsim.config.yml": "",
      "app-sim.config.schema.json": "{}",
    });
    expect(checks.config).toMatchObject({
      result: "warned",
      message: expect.stringMatching(
        /no config file was found in \S+, or above it up to \S+; appsim\.config\.yml is not read$/,
      ),
      hint: "rename appsim.config.yml to app-sim.config.yml",
    });
  });

  const signatureOf = (call: AppCall) => call.header("x-platform-signature");
  const hasSignature = (call: AppCall) =>
    signatureOf(call) === createHmac("sha256", "app-sim-app-secret").update(call.body).digest("hex");

  test.each<[what: string, status: (call: AppCall) => number, result: string, says: RegExp, hint: RegExp | null]>([
    [
      "checks its signature",
      (call) => (hasSignature(call) ? 204 : 401),
      "passed",
      /^webhook events accepts a signed delivery, and refuses a forged one$/,
      null,
    ],
    [
      "does not",
      () => 204,
      "warned",
      /but a forged one as well$/,
      /^does it check the signature\? Try .* --tamper all$/,
    ],
    ["breaks", (call) => (hasSignature(call) ? 204 : 500), "warned", /but answered 500 to a forged one$/, /401/],
    [
      "hashes JSON that it serialized again",
      (call) => (hasSignature(call) && call.body.toString() === JSON.stringify(call.json()) ? 204 : 401),
      "warned",
      /accepts a signed delivery, but not the same JSON reformatted: it hashes JSON that it parsed/,
      /^hash the raw body, before anything parses it$/,
    ],
    ["has another secret", () => 401, "failed", /^a signed delivery to webhook events failed: .* 401/, /APP_SECRET/],
    ["is not there", () => 404, "failed", /has no such endpoint$/, /manifest/],
    [
      "refuses a delivery without events",
      () => 422,
      "skipped",
      /^webhook events answered 422 to a signed delivery without events$/,
      /^try it with: app-sim webhook project\.approved --tamper all$/,
    ],
  ])("a webhook that %s, without an event to act on", async (_, status, result, says, hint) => {
    const webhooks = [webhookEntry("events", ["project.approved"])];
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")], webhooks }) });
    app.answer((call) =>
      call.path === "/events" ? call.send("", { status: status(call) }) : call.reply({ success: true }),
    );
    const { checks } = await examined(["--app", app.url, "--port", "0"]);
    const found = checks["app-secret"];
    expect(found).toMatchObject({ result, message: expect.stringMatching(says) });
    if (hint === null) expect(found?.hint).toBeNull();
    else expect(found?.hint).toMatch(hint);
    const sent = app.calls.filter(({ path }) => path === "/events").map((call) => call.json());
    expect(sent).toEqual(sent.map(() => expect.objectContaining({ events: [] })));
  });

  test.each([
    [204, /\nNothing failed, but there is 1 warning: try app-sim verify\n$/],
    [
      422,
      /\nEverything that was tried is in place; it is unknown whether a webhook accepts a signed delivery: try .*app-sim verify\n$/,
    ],
  ])("ends with what is open: a webhook that answers all with %i", async (status, end) => {
    const webhooks = [webhookEntry("events", ["project.approved"])];
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [guardEntry("office")], webhooks }) });
    app.answer((call) => (call.path === "/events" ? call.send("", { status }) : grants(call)));
    const { stdout, code } = await runLine(["doctor", "--app", app.url, "--port", "0"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(end)]);
  });

  test.each<[what: string, check: string, answer: CallHandler, result: string, says: RegExp]>([
    ["another secret", "secrets", (call) => call.send("", { status: 401 }), "failed", /guard office.*401/],
    ["no route", "secrets", (call) => call.send("", { status: 404 }), "failed", /no such endpoint/],
    [
      "a guard that says no, which it may mean for the call",
      "secrets",
      always({ success: false, message: "Wrong organization." }),
      "skipped",
      /^guard office denies the member, in words .*: Wrong organization\.; it is unknown whether it accepts a signed call$/,
    ],
    [
      "a guard that looks at no token",
      "secrets",
      always({ success: true }),
      "warned",
      /^guard office accepts a signed call, but a forged one as well$/,
    ],
    [
      "a clock that is ahead",
      "clock",
      (call) => call.reply({ success: true }, { headers: { date: new Date(Date.now() + 600_000).toUTCString() } }),
      "warned",
      /\d+ s ahead/,
    ],
  ])("%s: %s", async (_, check, answer, result, says) => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer(answer);
    const { code, checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks[check]).toMatchObject({ result, message: expect.stringMatching(says) });
    expect(code).toBe(result === "failed" ? 1 : 0);
  });

  test("a guard that crashes: points to its log, and asks whether it got its secrets", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.send("", { status: 500 }));
    const { checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks.secrets).toMatchObject({
      result: "failed",
      hint: "look in the app's own log. Was it started with the variables of app-sim env?",
    });
  });

  test.each<[what: string, files: Readonly<Record<string, string>>, status: number, says: RegExp]>([
    [
      "another secret",
      { ".env": 'CLIENT_ID=app-sim-client\nexport MY_CLIENT_SECRET="hunter2-hunter2"  # mine\n' },
      401,
      /^Your \.env has different values than app-sim for MY_CLIENT_SECRET: put those of `app-sim env` there, or give app-sim the app's own with APP_SIM_CLIENT_SECRET\. None of the usual mistakes /,
    ],
    [
      "several others, in another file",
      { ".env": "PORT=3000\n", ".env.local": "PLATFORM_CLIENT_ID=mine\nAPP_SECRET=hunter2-hunter2" },
      500,
      /own log\. Your \.env\.local has different values than app-sim for PLATFORM_CLIENT_ID, APP_SECRET: .* APP_SIM_CLIENT_ID, APP_SIM_APP_SECRET$/,
    ],
    [
      "the correct ones",
      {
        ".env":
          "PLATFORM_CLIENT_SECRET=app-sim-client-secret-long-enough-for-HS256 # from app-sim env\nAPP_SECRET=$OTHER\n",
      },
      401,
      /^Your \.env has the values of app-sim: was the app started with it, such as by node --env-file=\.env\? None of the usual mistakes /,
    ],
    ["none", { ".env": "PORT=3000\n" }, 500, /own log\. Was it started with the variables of app-sim env\?$/],
    ["nothing to say of a route that is missing", { ".env": "CLIENT_ID=x" }, 404, /^(?!.*\.env)/],
  ])("a refused call, and an .env with %s", async (_, files, status, says) => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.send("", { status }));
    const { checks } = await examined(["--app", app.url, "--port", "0"], files);
    expect(checks.secrets?.hint).toMatch(says);
    expect(JSON.stringify(checks)).not.toContain("hunter2");
  });

  test("a refusal with words about the signature: the doctor does not refer users to the doctor", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.reply({ error: "invalid signature" }, { status: 401 }));
    const { checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks.secrets?.hint).toMatch(/^the JWT is signed with HS256: .* is another one, for webhooks\)$/);
  });

  test("a manifest with mistakes: reports the first", async () => {
    await using app = await startFakeApp({ manifest: { modules: { "auth-guards": [guardEntry("office")] } } });
    const { checks } = await examined(["--app", app.url, "--port", "0"]);
    const message = expect.stringMatching(/: modules\.auth-guards is not a module type .*Did you mean "auth-guard"\?$/);
    expect(checks.manifest).toMatchObject({ result: "failed", message });
  });

  test("no app: exit 3, and what to do", async () => {
    const { code, checks } = await examined(["--app", `http://127.0.0.1:${await unusedPort()}`, "--port", "0"]);
    expect(code).toBe(3);
    expect(checks.app).toMatchObject({ result: "failed", hint: expect.stringContaining("start the app") });
    expect([checks.manifest?.result, checks.secrets?.result]).toEqual(["skipped", "skipped"]);
  });

  test.each([
    ["http", /does not answer$/, /^use --app https:/],
    ["https", /does not answer$/, /NODE_EXTRA_CA_CERTS=FILE/],
  ])("an app with a certificate that nobody trusts, called by %s", async (scheme, says, hint) => {
    const app = createSecureServer(selfSigned(), (_, response) => response.end("{}"));
    await new Promise<void>((resolve) => void app.listen(0, "127.0.0.1", resolve));
    const { port } = app.address() as { port: number };
    const { checks } = await examined(["--app", `${scheme}://127.0.0.1:${port}`, "--port", "0"]);
    app.close();
    expect(checks.app).toMatchObject({ result: "warned", message: expect.stringMatching(says) });
    expect(checks.manifest).toMatchObject({ result: "failed", hint: expect.stringMatching(hint) });
  });

  test("a port that another program uses, and a frame guard without a browser", async () => {
    const page = guardEntry("face", { type: "frame", url: "/frame" });
    await using app = await startFakeApp({ manifest: manifestOf({ guards: [page] }) });
    app.answer(always({ success: true }));
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port));
    });
    const { code, checks } = await examined(["--app", app.url, "--port", String(port)]);
    other.close();
    expect(code).toBe(1);
    expect(checks.port).toMatchObject({ result: "failed", hint: expect.stringContaining("--port") });
    expect(checks.browser).toMatchObject({ result: "warned", message: expect.stringContaining("/nowhere/chrome") });
  });
});

describe("a configuration that cannot be used", () => {
  const port = { "app-sim.config.json": '{ "prot": 1, "journal": 7 }' };
  test.each<
    [what: string, files: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv, says: RegExp, hint: RegExp]
  >([
    [
      "several mistakes in the file",
      port,
      {},
      /^app-sim\.config\.json is not a valid configuration: .*journal .*; .*prot.* Did you mean "port"\?/,
      /config --schema/,
    ],
    [
      "a file that is no JSON",
      { "app-sim.config.json": '{\n  "port": 1,,\n}' },
      {},
      /app-sim\.config\.json: the file is not valid JSON/,
      /^line 2 column 13/,
    ],
    [
      "an unknown variable",
      {},
      { APP_SIM_PROT: "1" },
      /APP_SIM_PROT is not one .* Did you mean "APP_SIM_PORT"\?$/,
      /^docs\/configuration\.md lists all variables$/,
    ],
    ["a file that is not there", {}, { APP_SIM_CONFIG: "no.json" }, /no\.json/, /./],
    ["a profile that is not there", {}, { APP_SIM_PROFILE: "nobody" }, /nobody/, /./],
  ])("%s: the list with what is wrong, and exit code 2", async (_, files, env, says, hint) => {
    const { code, outcome, checks } = await examined([], files, env);
    expect([code, outcome]).toEqual([2, "failed"]);
    const { versions, config, browser, ...others } = checks;
    expect(versions?.result).toBe("passed");
    expect(config).toMatchObject({
      result: "failed",
      message: expect.stringMatching(says),
      hint: expect.stringMatching(hint),
    });
    expect(browser).toMatchObject({
      result: "skipped",
      message: expect.stringContaining("only a frame guard needs one"),
    });
    const message = "not tried: the configuration has to be valid first";
    expect(Object.values(others)).toEqual(
      ["journal", "port", "app", "manifest", "secrets", "clock"].map((check) => {
        return { check, result: "skipped", message, hint: null };
      }),
    );
  });

  test("many mistakes: the first ones, and the command that shows all", async () => {
    const names = Array.from({ length: 9 }, (_, index) => `unknown${index}`);
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const { checks } = await examined([], { "app-sim.config.json": text });
    expect(checks.config?.message).toMatch(/unknown0.*unknown5.*; and 3 more: app-sim config$/);
    expect(checks.config?.message).not.toContain("unknown6");
  });

  test("as text: the same list on stdout, and nothing on stderr", async () => {
    using directory = makeTempDir();
    directory.write("app-sim.config.json", port["app-sim.config.json"]);
    const { code, stdout, stderr } = await runLine(["doctor"], { cwd: directory.path });
    expect([code, stderr]).toEqual([2, ""]);
    expect(stdout).toMatch(/^✓ versions .*\n✗ config +app-sim\.config\.json is not/);
    expect(stdout).toMatch(/\n- secrets +not tried: the configuration has to be valid first\n/);
    expect(stdout).toMatch(/\n1 of 9 checks failed\n$/);
  });
});

describe("what an app accepts that refuses the correct call", () => {
  const SECRET = "app-sim-client-secret-long-enough-for-HS256";
  const claimsOf = (call: AppCall, secret: string | Buffer = SECRET, bearer = "Bearer ") =>
    jsonwebtoken.verify((call.header("authorization") ?? "").replace(bearer, ""), secret, {
      algorithms: ["HS256"],
      ignoreExpiration: true,
    }) as jsonwebtoken.JwtPayload;
  const secret = (value: string | Buffer) => (call: AppCall) => claimsOf(call, value).sub !== undefined;

  test.each<[what: string, isTaken: (call: AppCall) => boolean, says: RegExp]>([
    [
      "another secret",
      secret("app-sim-app-secret"),
      /if the JWT is signed with the app secret: verify it with the PLATFORM_CLIENT_SECRET that /,
    ],
    ["the client id", secret("app-sim-client"), /if the JWT is signed with the client id: /],
    [
      "a decoded secret",
      secret(Buffer.from(SECRET, "base64")),
      /decoded from base64: use the secret's text unchanged$/,
    ],
    ["a line break", secret(`${SECRET}\n`), /if the secret is followed by a line ending \(\\n\): /],
    ["quotes", secret(`"${SECRET}"`), /if the secret is in double quotes: /],
    ["no secret", secret("undefined"), /if the secret is the word undefined: the app has no secret: start it/],
    [
      "the whole header",
      (call) => claimsOf(call, SECRET, "").sub !== undefined,
      /header contains only the JWT: strip the word Bearer/,
    ],
    [
      "the query",
      (call) => call.path.includes("?token=ey"),
      /if the JWT is in the query string, as token: a guard's call carries/,
    ],
    [
      "a time that is ahead",
      (call) => (claimsOf(call).exp ?? 0) > Date.now() / 1000 + 3600,
      /if exp is a day later: the time with which the app compares exp is ahead: /,
    ],
    [
      "a time that is behind",
      (call) => (claimsOf(call).iat ?? 0) < Date.now() / 1000 - 3600,
      /if iat is a day earlier: the time with which the app compares iat is behind: /,
    ],
    [
      "milliseconds",
      (call) => (claimsOf(call).exp ?? 0) > Date.now(),
      /if exp and iat are in milliseconds: they are in s/,
    ],
    [
      "sub as it is",
      (call) => (call.json() as { userId: unknown }).userId === claimsOf(call).sub,
      /if sub is a number: sub is a string and userId a number: /,
    ],
    [
      "no audience",
      (call) => claimsOf(call).aud === undefined,
      /if the JWT has no aud: configure the library with the correct audience/,
    ],
    [
      "its own address as the audience",
      (call) => claimsOf(call).aud === `http://${call.header("host")}`,
      /if aud is the app's address: aud is the client id: configure the library with PLATFORM_CLIENT_ID as the audience$/,
    ],
    [
      "an issuer",
      (call) => String(claimsOf(call).iss).startsWith("http://"),
      /if iss is the platform's address: the interface shows no iss: /,
    ],
    [
      "another claim",
      (call) => claimsOf(call).organizationId === (call.json() as { organizationId: unknown }).organizationId,
      /if the JWT has the claim organizationId: there is no such claim: use context\.organization_id$/,
    ],
    ["a form", (call) => call.body.toString().startsWith("userId=104&"), /if its body is a form: the body is JSON: /],
    [
      "nothing",
      () => false,
      /^none of the usual mistakes explains it: .* log the error of the app's JWT verifier\. .* no iss, its module is "office", .* A guard that wants to deny access answers 200$/,
    ],
  ])("%s", async (_, isTaken, says) => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => {
      let success = false;
      try {
        success = isTaken(call);
      } catch {
        // It is refused.
      }
      call.reply({ success, message: "no" }, { status: success ? 200 : 401 });
    });
    const { code, checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(code).toBe(1);
    expect(checks.secrets).toMatchObject({ result: "failed", hint: expect.stringMatching(says) });
    expect(checks.secrets?.hint).not.toContain("app-sim doctor");
  });

  test("none, if its JWT library refuses a short secret", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => call.reply({ message: "no" }, { status: 401 }));
    const env = { APP_SIM_CLIENT_SECRET: "a-short-secret-of-29-bytes-xx" };
    const { checks } = await examined(["--app", app.url, "--port", "0"], {}, env);
    expect(checks.secrets?.hint).toMatch(
      /^the clientSecret has 29 bytes: strict JWT libraries refuse an HS256 key of fewer than 32 \(RFC 7518, 3\.2\); configure a longer one, here and in the app\. None of the usual mistakes /,
    );
  });

  test("another secret, if its verifier throws and nothing catches that", async () => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => {
      try {
        call.reply({ success: secret("app-sim-app-secret")(call) });
      } catch {
        call.reply({ error: "internal error" }, { status: 500 });
      }
    });
    const { checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks.secrets?.hint).toMatch(/^the app accepts the call if the JWT is signed with the app secret: /);
  });

  test.each<[what: string, secret: string, result: string, says: RegExp]>([
    [
      "the app secret",
      "app-sim-app-secret",
      "failed",
      /^the app accepts the call if the JWT is signed with the app secret: /,
    ],
    [
      "a secret that nobody guesses",
      "another",
      "warned",
      /^if that is about the JWT of the call: .* prints\? A guard that .* answers 401, not 200$/,
    ],
  ])("an app that verifies with %s, and denies everything else", async (_, own, result, says) => {
    await using app = await startFakeApp({ manifest: serves });
    app.answer((call) => {
      let success = false;
      try {
        success = secret(own)(call);
      } catch {
        // It is denied.
      }
      call.reply(success ? { success } : { success, message: "Invalid token" });
    });
    const { code, checks } = await examined(["--app", app.url, "--port", "0"]);
    expect(checks.secrets).toMatchObject({
      result,
      message: "guard office denies a signed call, in words about its token: Invalid token",
      hint: expect.stringMatching(says),
    });
    expect(code).toBe(result === "failed" ? 1 : 0);
  });

  test("is not tried if the app accepts the correct call, or says itself what is wrong", async () => {
    await using right = await startFakeApp({ manifest: serves });
    right.answer(grants);
    await examined(["--app", right.url, "--port", "0"]);
    // One more with a forged token.
    expect(right.calls).toHaveLength(2);
    await using telling = await startFakeApp({ manifest: serves });
    telling.answer((call) => call.reply({ error: "jwt audience invalid. expected: mine" }, { status: 401 }));
    const { checks } = await examined(["--app", telling.url, "--port", "0"]);
    expect(checks.secrets?.hint).toMatch(/^the JWT's aud is "app-sim-client", /);
  });
});
