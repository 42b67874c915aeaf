import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, begin, formOf, logIn, loginAt, pageOf, pageWhen, submit, textOf, titleOf } from "../guard/visitor.ts";
import { guardEntry, manifestOf } from "../rig/fake-app.ts";
import { awaitPage } from "../rig/logins.ts";
import { startServer } from "../rig/server.ts";
import { always, exchangesOf, type Simulation, startSimulation } from "../rig/simulation.ts";

const serves = manifestOf({ guards: [guardEntry("presence", { type: "frame", url: "/page" })] });

const controlToken = "a-control-token-that-is-long-enough";

let run: Simulation;
/** Every address of the platform, and those of a login that waits for its frame and of one that is over. */
let addresses: readonly string[];

beforeAll(async () => {
  run = await startSimulation({ serves, answer: always({ success: false }), controlToken });
  const framed = new URL((await logIn(run.sim)).url).pathname;
  const over = new URL((await logIn(run.sim)).url).pathname;
  for (const path of [framed, over]) await awaitPage(loginAt(run.sim, path));
  loginAt(run.sim, over).leave({ reason: "it went away", hint: null, failure: null });
  const files = ["/host.js", "/iframe.js", "/pages.js", "/login.js", "/frame.js", "/pages.css", "/icon.svg"];
  const login = ["/acme/login", framed, `${framed}/authenticator`, `${framed}/events`, over, `${over}/events`];
  const refused = ["/acme/guard/callback?state=x", "/acme/login/unknown", "/nothing", "/%zz", "/beta/login"];
  const wellKnown = ["jwks.json", "oauth-authorization-server", "openid-configuration"];
  const oauth = ["authorize", "authorize?client_id=app-sim-client", "token", "revoke", "introspect"];
  const api = ["/api/v2/projects", "/api/nothing", "/-/clock", "/-/faults", "/-/nothing"];
  addresses = [
    ...["/", ...wellKnown.map((name) => `/.well-known/${name}`), ...oauth.map((name) => `/oauth/${name}`)],
    ...[...files, ...login, ...refused, ...api],
  ];
});
afterAll(() => run[Symbol.asyncDispose]());

const shared = ["/host.js", "/iframe.js"];

/** The headers of every address, for each of these ways to ask. */
async function headersOf(...ways: readonly Record<string, string>[]) {
  const all = [];
  for (const path of addresses) {
    for (const headers of ways) {
      const response = await begin(run.sim.url + path, { headers });
      all.push({ path, status: response.statusCode ?? 0, headers: response.headers });
      response.destroy();
    }
  }
  return all;
}

describe("every answer of the platform", () => {
  it("S6: is only for its own origin, except for the script for the app's pages", async () => {
    for (const { path, headers } of await headersOf({})) {
      const policy = shared.includes(path) ? "cross-origin" : "same-origin";
      expect([path, headers["cross-origin-resource-policy"]]).toEqual([path, policy]);
    }
  });

  it("S7: allows no other origin to read it", async () => {
    const origins = [{}, { origin: "null" }, { origin: run.app.url }, { origin: run.sim.url }];
    for (const { path, headers } of await headersOf(...origins)) {
      const allowed = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
      expect([path, allowed]).toEqual([path, []]);
    }
  });

  it("S11, S14, A28: cannot be framed, sniffed or cached, and sends no referrer", async () => {
    for (const { path, headers } of await headersOf({}, { accept: "application/json" })) {
      const policy = headers["content-security-policy"] ?? "";
      expect([path, policy]).toEqual([path, expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'$/)]);
      expect([path, policy]).toEqual([path, expect.not.stringContaining("unsafe")]);
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
      });
    }
  });

  it("A28: loads nothing from another origin, and has no inline script or style", async () => {
    for (const path of addresses.filter((path) => !path.endsWith("/events") && !path.includes("."))) {
      const { body } = await ask(run.sim.url + path);
      const loaded = [...body.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]*)"/g)].map(([, url]) => url);
      expect(loaded.filter((url) => !url?.startsWith("/"))).toEqual([]);
      expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bon\w+=|\bstyle=|javascript:/);
    }
  });
});

describe("S2, S3: a Host that is not the platform's", () => {
  /** The status line of the answer to these bytes. */
  function statusOf(request: string): Promise<string> {
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(run.sim.url).port) });
    socket.setEncoding("latin1").write(request);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    return new Promise((done) => socket.once("close", () => done(answer.split("\r\n")[0] ?? "")));
  }

  it.each([
    ["evil.example", "Host: evil.example\r\n", "403"],
    ["evil.example with our port", "Host: evil.example:PORT\r\n", "403"],
    ["0.0.0.0", "Host: 0.0.0.0:PORT\r\n", "403"],
    ["another port", "Host: 127.0.0.1:1\r\n", "403"],
    ["no port", "Host: 127.0.0.1\r\n", "403"],
    ["nothing", "", "400"],
    ["two", "Host: 127.0.0.1:PORT\r\nHost: evil.example\r\n", "4\\d\\d"],
    ["a malformed one", "Host: [\r\n", "403"],
    ["another one, to change the protocol (S9)", "Host: evil.example\r\nUpgrade: websocket\r\n", "403"],
    ["our own", "Host: 127.0.0.1:PORT\r\n", "200"],
  ])("%s: %s", async (_, header, status) => {
    const { port } = new URL(run.sim.url);
    for (const path of ["/", "/host.js"]) {
      const host = header.replaceAll("PORT", port);
      const line = await statusOf(`GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
      expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    }
    expect((await ask(run.sim.url)).status).toBe(200);
  });

  it.each([
    ["HTTP/1.0 without a Host", "GET / HTTP/1.0\r\n\r\n", "403"],
    [
      "an address in full, of another",
      "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n",
      "403",
    ],
    [
      "an address in full",
      "GET http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n",
      "403",
    ],
    ["an address that cannot be read", "GET /%zz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "400"],
  ])("%s", async (_, request, status) => {
    const line = await statusOf(request.replaceAll("PORT", new URL(run.sim.url).port));
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("redirects a person who uses another of its names to its address", async () => {
    const { port } = new URL(run.sim.url);
    for (const host of [`localhost:${port}`, `acme.localhost:${port}`]) {
      const { status, headers } = await ask(`${run.sim.url}/acme/login?x=1`, { headers: { host } });
      expect([status, headers.location]).toEqual([302, `${run.sim.url}/acme/login?x=1`]);
    }
  });
});

describe("S4, S5, S10: a form of the platform", () => {
  const fields = { login: "milan.member", password: "app-sim-password" };

  it.each<[string, Record<string, string>, number]>([
    ["without Origin and Sec-Fetch-Site", {}, 303],
    ["of the page itself, which sends no referrer", { origin: "null", "sec-fetch-site": "same-origin" }, 303],
    ["sent by hand", { "sec-fetch-site": "none" }, 303],
    ["of another site", { origin: "null", "sec-fetch-site": "cross-site" }, 403],
    ["of another port", { origin: "null", "sec-fetch-site": "same-site" }, 403],
    ["of another origin", { origin: "http://1.2.3.4" }, 403],
    ["of another port, in an old browser", { origin: "http://127.0.0.1:1" }, 403],
    ["of a malformed origin", { origin: "http://[" }, 403],
    ["as plain text", { "content-type": "text/plain" }, 415],
    ["as JSON", { "content-type": "application/json" }, 415],
  ])("%s", async (_, headers, status) => {
    const before = exchangesOf(run.sim, "manifest").length;
    const page = await ask(`${run.sim.url}/acme/login`);
    const form = formOf(page, fields);
    const answered = await ask(page.url, { ...form, headers: { ...form.headers, ...headers } });
    expect(answered.status).toBe(status);
    if (status === 303) return;
    expect(exchangesOf(run.sim, "manifest")).toHaveLength(before);
    expect(textOf(answered)).not.toBe("");
  });

  it("of one login is not valid for another", async () => {
    const pages = [await logIn(run.sim, { password: "wrong" }), await logIn(run.sim, { password: "wrong" })] as const;
    const sent = await ask(pages[1].url, formOf(pages[0], { password: "app-sim-password" }));
    expect([sent.status, titleOf(sent)]).toEqual([403, "This form is not accepted"]);
    expect(titleOf(await ask(pages[1].url))).toContain("try 2 of 3");
  });

  it("is refused if it is larger than any of the platform's", async () => {
    const page = await ask(`${run.sim.url}/acme/login`);
    const sent = await ask(page.url, formOf(page, { ...fields, more: "x".repeat(17_000) }));
    expect(sent.status).toBe(413);
  });
});

describe("other methods", () => {
  it("are refused with 405 and Allow, whatever they send", async () => {
    const form = ["/acme/login"];
    const wellKnown = ["/.well-known/jwks.json", "/.well-known/oauth-authorization-server"];
    const others: Record<string, string> = { "/oauth/authorize": "GET, POST", "/oauth/token": "POST" };
    for (const path of ["/", ...wellKnown, "/host.js", "/pages.css", ...form, ...Object.keys(others)]) {
      const allow = others[path] ?? (form.includes(path) ? "GET, HEAD, POST" : "GET, HEAD");
      const answered = await ask(run.sim.url + path, {
        method: "PUT",
        headers: { "content-type": "text/plain" },
        body: "x",
      });
      expect([path, answered.status, answered.headers.allow]).toEqual([path, 405, allow]);
      expect(titleOf(answered)).toBe("This address does not accept this method");
    }
  });
});

describe("S14: an app's hostile words", () => {
  const hostile = `</script></title><img src=x onerror=alert(1)>"'&\u202e\u0000`;
  const shown = `</script></title><img src=x onerror=alert(1)>"'&<U+202E>␀`;
  const entry = { ...guardEntry("office"), name: hostile, description: hostile };
  const choices = { "guard.description.shown": "always" } as const;

  it("are text on the pages: name, description, message", async () => {
    const manifest = manifestOf({ guards: [entry] });
    await using hostileRun = await startSimulation({ serves: manifest, choices });
    const { sim, app } = hostileRun;
    const answering = logIn(sim);
    const call = await app.nextCall();
    const verifying = await answering;
    call.reply({ success: false, message: hostile });
    const end = await pageWhen(sim, verifying.url, "Access denied");
    expect(titleOf(verifying)).toBe(`Verification: ${shown}`);
    for (const page of [verifying, end]) {
      expect(page.body).not.toContain("<img");
      expect(textOf(page)).toContain(shown);
    }
  });

  it("are text in the frame's page, including its attributes", async () => {
    const guards = [{ ...guardEntry("office", { type: "frame", url: "/page" }), name: hostile, description: hostile }];
    await using hostileRun = await startSimulation({
      serves: manifestOf({ guards }),
      answer: always({ success: false }),
      choices,
    });
    const { sim } = hostileRun;
    const { url } = await logIn(sim);
    (await awaitPage(loginAt(sim, url))).report({ reason: hostile, hint: hostile });
    const page = await ask(url);
    expect(page.body).toContain("<iframe");
    expect(page.body).not.toContain("<img");
    expect(page.body.match(/<script/g)).toHaveLength(3);
  });

  it("S27: do not reveal the secrets of the organization", async () => {
    const message = "signed with app-sim-client-secret-long-enough-for-HS256 for APPSIMAPPSIMAPPSIMAPPSIMAPPSIMAP";
    await using telling = await startSimulation({
      serves: manifestOf({ guards: [guardEntry("office")] }),
      answer: (call) => call.reply({ success: false, message: `${message} ${call.header("authorization")}` }),
    });
    const end = await pageWhen(telling.sim, (await logIn(telling.sim)).url, "Access denied");
    expect(textOf(end)).toContain("signed with ‹redacted› for ‹redacted› Bearer eyJ");
    const signature = telling.app.calls[0]?.header("authorization")?.split(".").at(-1) ?? "no signature";
    expect(end.body).not.toContain(signature);
  });
});

describe("R36: a bug in app-sim", () => {
  it("is 500 with an id; the error is shown where the platform was started, not on the page, and the platform continues", async () => {
    const bugs: [string, unknown][] = [];
    const logins = {
      ...run.sim.logins,
      find: () => {
        throw new Error("a secret detail");
      },
    };
    const server = await startServer({ ...run.sim, logins }, (id, error) => bugs.push([id, error]));
    const page = await ask(`${server.url}/acme/login/x`);
    const json = await ask(`${server.url}/acme/login/x`, { headers: { accept: "*/*" } });
    expect([page.status, titleOf(page), json.status]).toEqual([500, "This is a bug in app-sim", 500]);
    const [first, second] = bugs;
    expect([first?.[1], second?.[1]]).toEqual([expect.any(Error), expect.any(Error)]);
    expect(textOf(page)).toContain(`error ${first?.[0]}`);
    expect(JSON.parse(json.body).error.message).toContain(`error ${second?.[0]}`);
    for (const { body } of [page, json]) expect(body).not.toMatch(/secret detail|\.ts|node_modules/);
    expect((await ask(`${server.url}/acme/login`)).status).toBe(200);
    await server.close();
  });

  it("in the middle of a login is reported, too", async () => {
    const bugs: unknown[] = [];
    const bug = new Error("a bug");
    const logins = {
      ...run.sim.logins,
      begin: async (...args: Parameters<typeof run.sim.logins.begin>) => {
        const begun = await run.sim.logins.begin(...args);
        if (begun.ok) Object.defineProperty(begun.login, "result", { value: Promise.reject(bug) });
        return begun;
      },
    };
    const server = await startServer({ ...run.sim, logins }, (_, error) => bugs.push(error));
    expect(titleOf(await logIn(server))).toMatch(/^Verification: /);
    expect(bugs).toEqual([bug]);
    await server.close();
  });
});

describe("every page", () => {
  it("says what it is in its language, title and only main heading, and has a label for every field", async () => {
    const login = { mfa: true, deviceTrust: true, rememberMe: true };
    await using walk = await startSimulation({ serves: manifestOf({ guards: [] }), login });
    const form = await ask(`${walk.sim.url}/acme/login`);
    const mfa = await logIn(walk.sim);
    const device = await submit(mfa, { code: loginAt(walk.sim, mfa.url).authenticator().code });
    const remember = await submit(device, { trusted: "yes" });
    const end = await submit(remember, { remember: "yes" });
    const others = await Promise.all(
      addresses.filter((path) => !path.endsWith("events")).map((path) => ask(run.sim.url + path)),
    );
    const shown = others.filter(({ headers }) => headers["content-type"]?.startsWith("text/html"));
    const pages = [form, await logIn(walk.sim, { password: "wrong" }), mfa, device, remember, end, ...shown];
    expect(new Set(pages.map(titleOf)).size).toBeGreaterThan(10);
    for (const page of pages) {
      const $ = pageOf(page);
      expect([$("html").attr("lang"), $("h1").length, $("main").length]).toEqual(["en", 1, 1]);
      expect($("title").text()).toBe(`${titleOf(page)} · app-sim`);
      const fields = $("input:not([type=hidden]), select").map((_, field) => $(field).attr("id"));
      for (const id of fields.get()) expect($(`label[for=${id}]`).text()).not.toBe("");
      expect($("iframe:not([title])")).toHaveLength(0);
      expect(
        new Set(
          $("[id]")
            .map((_, element) => $(element).attr("id"))
            .get(),
        ).size,
      ).toBe($("[id]").length);
    }
  });
});

describe("the platform's own address", () => {
  it("is a page with a link to the login for a person, and JSON for a program", async () => {
    const page = await ask(run.sim.url);
    expect([page.status, titleOf(page)]).toEqual([200, "The platform is running"]);
    expect(page.body).toContain('href="/acme/login"');
    expect(page.headers.vary).toBe("accept");
    const json = await ask(run.sim.url, { headers: { accept: "*/*" } });
    expect(JSON.parse(json.body)).toEqual({
      service: "app-sim",
      login: "/acme/login",
      metadata: "/.well-known/oauth-authorization-server",
      jwks: "/.well-known/jwks.json",
    });
  });
});
