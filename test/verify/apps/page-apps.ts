import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createCodes, guardWithPage } from "../../../examples/sample-app/guard.js";
import { cookieOf, Refusal, readBody } from "../../../examples/sample-app/http.js";
import { personOf, verifyToken } from "../../../examples/sample-app/jwt.js";
import { html, page } from "../../../examples/sample-app/pages.js";
import { type RunningPlatform, startPlatform } from "../../../src/start-platform.ts";

interface Settings {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly authUrl: string;
}
interface Reply {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}
type Handler = (request: IncomingMessage) => Promise<Reply>;
type Claims = Awaited<ReturnType<typeof verifyToken>>;
type Codes = ReturnType<typeof createCodes>;

/** An app with one guard that has a page, written otherwise than the sample app and as right. */
export interface PageAppKind {
  /** How a user passes its page, as configured; default it is found out. */
  readonly pass?: { readonly fill: Readonly<Record<string, string>>; readonly press: string };
  readonly type: "redirect" | "frame";
  routes(settings: Settings, codes: Codes): Record<string, Handler>;
}

const queryOf = (request: IncomingMessage) => new URL(request.url ?? "", "http://app").searchParams;
const formOf = async (request: IncomingMessage) => new URLSearchParams((await readBody(request, 65_536)).toString());
const layout = { policy: "frame-ancestors 'none'", root: ".", errorTitle: "", advice: html`` };
const found = (location: string, headers: Record<string, string> = {}) => ({
  status: 302,
  headers: { location, ...headers },
});
const back = (settings: Settings, domain: string, state: string, outcome: Record<string, string>) =>
  found(`${settings.authUrl}/${domain}/guard/callback?${new URLSearchParams({ state, ...outcome })}`);

/** Verifies the token once, and then goes by a session in a cookie, at an address without the token. */
export const sessionApp: PageAppKind = {
  type: "redirect",
  routes: (settings, codes) => {
    const sessions = new Map<string, { claims: Claims; state: string; csrf: string; code?: string }>();
    const codesByState = new Map<string, string>();
    const sessionOf = (request: IncomingMessage) => {
      const session = sessions.get(cookieOf(request, "sid"));
      if (session === undefined) throw new Refusal(403, "There is no session.");
      return session;
    };
    return {
      "GET /page": async (request) => {
        const query = queryOf(request);
        const claims = await verifyToken(query.get("jwtToken") ?? "", "check", settings);
        const sid = randomUUID();
        sessions.set(sid, { claims, state: query.get("state") ?? "", csrf: randomUUID() });
        return found("/page/form", { "set-cookie": `sid=${sid}; Path=/; HttpOnly; SameSite=Lax` });
      },
      "GET /page/form": async (request) => {
        const { csrf } = sessionOf(request);
        return page(
          layout,
          "Check",
          html`<form method="post" action="/page/form"><input type="hidden" name="csrf" value="${csrf}"><button name="yes">Go on</button><button name="no">Cancel</button></form>`,
        );
      },
      "POST /page/form": async (request) => {
        const session = sessionOf(request);
        const form = await formOf(request);
        if (form.get("csrf") !== session.csrf) throw new Refusal(403, "The form is too old.");
        const { claims, state } = session;
        if (form.has("no")) return back(settings, String(claims.domain), state, { error: "Odmítnuto uživatelem" });
        const person = personOf(claims as never);
        const key = JSON.stringify([person, state]);
        const code = codesByState.get(key) ?? codes.issue({ ...person, moduleKey: "check" });
        codesByState.set(key, code);
        return back(settings, String(claims.domain), state, { code });
      },
    };
  },
};

/** Keeps nothing of who opened the page: the token and the state come back in hidden fields. */
export const hiddenFieldsApp: PageAppKind = {
  type: "redirect",
  routes: (settings, codes) => {
    const codesByState = new Map<string, string>();
    return {
      "GET /page": async (request) => {
        const query = queryOf(request);
        const token = query.get("jwtToken") ?? "";
        // What is wrong is said with status 200, as many frameworks do.
        const claims = await verifyToken(token, "check", settings).catch(() => null);
        if (claims === null) return page(layout, "This link is not valid", html`<p>Log in again.</p>`);
        return page(
          layout,
          "Check",
          html`<form method="post" action="/send"><input type="hidden" name="jwtToken" value="${token}"><input type="hidden" name="state" value="${query.get("state") ?? ""}"><input type="hidden" name="step" value="1"><input type="checkbox" name="sure" required><button>Confirm</button></form>`,
        );
      },
      "POST /send": async (request) => {
        const form = await formOf(request);
        const claims = await verifyToken(form.get("jwtToken") ?? "", "check", settings);
        if (!form.has("sure")) return page(layout, "Check", html`<p>The box was not ticked.</p>`);
        const person = personOf(claims as never);
        const state = form.get("state") ?? "";
        const key = JSON.stringify([person, state]);
        const code = codesByState.get(key) ?? codes.issue({ ...person, moduleKey: "check" });
        codesByState.set(key, code);
        return back(settings, String(claims.domain), state, { code });
      },
    };
  },
};

/** A page that is a file: its script asks the app, which verifies the token there. */
export const staticFrameApp: PageAppKind = {
  type: "frame",
  routes: (settings, codes) => ({
    "GET /page": async () => ({
      status: 200,
      headers: {
        "content-type": "text/html",
        "content-security-policy": `frame-ancestors ${settings.authUrl}`,
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
      },
      body: `<!doctype html><title>Check</title><main></main><script src="${settings.authUrl}/host.js"></script><script>
const token = new URLSearchParams(location.search).get("jwtToken");
const button = document.createElement("button");
button.textContent = "Confirm";
button.onclick = async () => {
  const answer = await fetch("/api/code", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ token }) });
  const { ok, value } = await answer.json();
  AP.verifyAuth(ok ? { code: value } : { error: "The app did not accept it." });
};
document.querySelector("main").append(button);
</script>`,
    }),
    "POST /api/code": async (request) => {
      const { token } = JSON.parse((await readBody(request, 65_536)).toString() || "{}") as { token?: string };
      const claims = await verifyToken(token ?? "", "check", settings).catch(() => null);
      const value = claims === null ? "" : codes.issue({ ...personOf(claims as never), moduleKey: "check" });
      const body = JSON.stringify({ ok: claims !== null, value });
      return { status: 200, headers: { "content-type": "application/json" }, body };
    },
  }),
};

/** Asks by two links in place of a form. */
export const linkApp: PageAppKind = {
  type: "redirect",
  routes: (settings, codes) => {
    const visits = new Map<string, { claims: Claims; state: string }>();
    const codesByState = new Map<string, string>();
    return {
      "GET /page": async (request) => {
        const query = queryOf(request);
        const claims = await verifyToken(query.get("jwtToken") ?? "", "check", settings);
        const visit = randomUUID();
        visits.set(visit, { claims, state: query.get("state") ?? "" });
        const links = html`<a href="/go?visit=${visit}&say=yes">It is me</a> <a href="/go?visit=${visit}&say=no">No</a>`;
        return page(layout, "Is it you?", links);
      },
      "GET /go": async (request) => {
        const query = queryOf(request);
        const visit = visits.get(query.get("visit") ?? "");
        if (visit === undefined) throw new Refusal(403, "There is no such visit.");
        const { claims, state } = visit;
        if (query.get("say") !== "yes") return back(settings, String(claims.domain), state, { error: "It is not me" });
        const person = personOf(claims as never);
        const key = JSON.stringify([person, state]);
        const code = codesByState.get(key) ?? codes.issue({ ...person, moduleKey: "check" });
        codesByState.set(key, code);
        return back(settings, String(claims.domain), state, { code });
      },
    };
  },
};

const pageByScript = (policy: string, script: string): Reply => ({
  status: 200,
  headers: { "content-type": "text/html", "content-security-policy": policy },
  body: `<!doctype html><title>Check</title><main></main><script>${script}</script>`,
});

/** A page that its script draws; what it is answered is good once, and says where it goes on. */
function scriptAppWith(readToken: typeof verifyToken): PageAppKind {
  return {
    type: "redirect",
    routes: (settings, codes) => {
      const ways = new Map<string, Reply>();
      return {
        "GET /page": async (request) => {
          await readToken(queryOf(request).get("jwtToken") ?? "", "check", settings);
          return pageByScript(
            "frame-ancestors 'none'",
            `const button = document.createElement("button");
button.textContent = "Trust this device";
button.onclick = async () => {
  const answer = await fetch("/trust", { method: "POST", body: location.search.slice(1) });
  location.href = (await answer.json()).next;
};
document.querySelector("main").append(button);`,
          );
        },
        "POST /trust": async (request) => {
          const form = await formOf(request);
          const claims = await readToken(form.get("jwtToken") ?? "", "check", settings);
          const way = randomUUID();
          const code = codes.issue({ ...personOf(claims as never), moduleKey: "check" });
          ways.set(way, back(settings, String(claims.domain), form.get("state") ?? "", { code }));
          return {
            status: 200,
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ next: `/leave?way=${way}` }),
          };
        },
        "GET /leave": async (request) => {
          const way = queryOf(request).get("way") ?? "";
          const reply = ways.get(way);
          ways.delete(way);
          if (reply === undefined) throw new Refusal(404, "This way is closed.");
          return reply;
        },
      };
    },
  };
}

export const scriptApp = scriptAppWith(verifyToken);

/** The same, but it only decodes its tokens. */
export const decodingScriptApp = scriptAppWith(async (token) => {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
  } catch {
    throw new Refusal(401, "This is no token.");
  }
});

/** A form in the frame, without scripts: the page that follows on it reports the code. */
export const formFrameApp: PageAppKind = {
  type: "frame",
  routes: (settings, codes) => {
    const visits = new Map<string, Claims>();
    const policy = `frame-ancestors ${settings.authUrl}`;
    return {
      "GET /page": async (request) => {
        const claims = await verifyToken(queryOf(request).get("jwtToken") ?? "", "check", settings);
        const visit = randomUUID();
        visits.set(visit, claims);
        const form = html`<form method="post" action="/send"><input type="hidden" name="visit" value="${visit}"><input id="city"><button>Check</button></form>`;
        return page({ ...layout, policy }, "Check", form);
      },
      "POST /send": async (request) => {
        const visit = (await formOf(request)).get("visit") ?? "";
        const claims = visits.get(visit);
        visits.delete(visit);
        if (claims === undefined) return page({ ...layout, policy }, "Check", html`<p>Open it again.</p>`);
        const code = codes.issue({ ...personOf(claims as never), moduleKey: "check" });
        const reply = pageByScript(policy, `AP.verifyAuth({ code: "${code}" });`);
        return {
          ...reply,
          body: reply.body?.replace("<script>", `<script src="${settings.authUrl}/host.js"></script><script>`) ?? "",
        };
      },
    };
  },
};

/** Starts an app, and a platform that has it installed; disposing of it closes both. */
export async function startPageKind(kind: PageAppKind): Promise<AsyncDisposable & { readonly sim: RunningPlatform }> {
  const secrets = {
    clientId: "client",
    clientSecret: "a-secret-of-at-least-32-bytes-for-tests",
    appSecret: "other-app-secret",
  };
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const configured = kind.pass === undefined ? {} : { verify: { guards: { check: { pass: kind.pass } } } };
  const sim = await startPlatform({ app: { ...secrets, url }, ...configured });
  const settings = { ...secrets, authUrl: sim.url };
  const codes = createCodes();
  const options = { type: kind.type, url: "/page" };
  const manifest = { modules: { "auth-guard": [{ key: "check", name: "Check", url: "/guard", options }] } };
  const routes: Record<string, Handler> = {
    "GET /manifest.json": async () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(manifest),
    }),
    "POST /guard": guardWithPage("check", settings, codes, () => "Confirm it.") as Handler,
    ...kind.routes(settings, codes),
  };
  server.on("request", async (request, response) => {
    const handler = routes[`${request.method} ${request.url?.split("?")[0]}`];
    const reply: Reply = await (handler?.(request) ?? Promise.reject(new Refusal(404, "Nothing is here."))).catch(
      (error: unknown) => {
        if (error instanceof Refusal) return { status: error.status, body: error.message };
        throw error;
      },
    );
    const common = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
    response.writeHead(reply.status, { ...common, ...reply.headers }).end(reply.body);
  });
  return {
    sim,
    async [Symbol.asyncDispose]() {
      await sim.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
