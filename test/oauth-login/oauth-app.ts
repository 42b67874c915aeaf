import { createHash, randomBytes } from "node:crypto";
import { type AppCall, type FakeApp, startFakeApp } from "../rig/fake-app.ts";

/** What an app does wrong, or otherwise than usual, when its users log in by OAuth. */
export interface OAuthAppWays {
  readonly start?: "page" | "link" | "404" | "loop" | "elsewhere" | "other-platform" | "other-path" | "hang";
  readonly state?: "none" | "short" | "number" | "fixed";
  readonly pkce?: "none" | "plain" | "challenge-only" | "fixed" | "base64" | "short";
  /** What it makes of a callback with another state; default a page with 400. */
  readonly otherState?: "taken" | "taken-first" | "500" | "again" | "elsewhere";
  readonly redirectUri?: (usual: string) => string;
  readonly secretInUrl?: boolean;
  readonly scope?: string;
  readonly cookie?: "none" | "strict" | "path" | "none-open" | "expired";
  /** How the callback sets the cookie of the session; default Lax. */
  readonly session?:
    | "strict"
    | "strict-beside"
    | "strict-page"
    | "strict-refresh"
    | "none-open"
    | "none-secure"
    | "bare"
    | "domain"
    | "no-path"
    | "gone"
    | "in-address"
    | "id-in-address"
    | "page-in-address";
  readonly exchange?:
    | "none"
    | "twice"
    | "form"
    | "basic"
    | "text"
    | "other-path"
    | "get"
    | "wrong-secret"
    | "no-secret"
    | "quoted-secret"
    | "basic-too"
    | "no-verifier"
    | "no-redirect-uri"
    | "try-both";
  readonly callback?: "500" | "400" | "404" | "tells-code" | "hang" | "elsewhere" | "again" | "here" | "no-location";
  readonly error?: "exchange" | "500" | "again";
  readonly api?: "none" | "bare" | "query" | "unknown" | "no-prefix" | "quoted";
  /** Where the API refuses its call, the page does not come out well. */
  readonly isBrittle?: boolean;
  readonly refresh?:
    | "none"
    | "log-in"
    | "old-token"
    | "loop"
    | "twice"
    | "proactive"
    | "own-clock"
    | "own-clock-log-in"
    | "no-retry"
    | "500"
    | "undefined"
    | "no-secret";
  readonly tells?: "access-token" | "client-secret" | "refresh-token";
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  /** When they came. */
  readonly at?: number;
}

/** An app that a test lets do one thing wrong. */
export interface OAuthApp extends FakeApp {
  /** Where the platform is. */
  platform: string;
  ways: OAuthAppWays;
  readonly callbackUrl: string;
}

const client = {
  client_id: "app-sim-client",
  client_secret: "app-sim-client-secret-long-enough-for-HS256",
};

/** Starts an app that logs its users in at `/login`, takes them back at `/callback`, and shows what it got at `/home`. */
export async function startOAuthApp(ways: OAuthAppWays = {}): Promise<OAuthApp> {
  const fake = await startFakeApp();
  const callbackUrl = `${fake.url}${ways.session === "no-path" ? "/oauth" : ""}/callback`;
  const app: OAuthApp = Object.assign(fake, { platform: "", ways, callbackUrl });
  const logins = new Map<string, { state: string; verifier: string }>();
  const sessions = new Map<string, Tokens>();

  const redirect = (call: AppCall, location: string, headers: Record<string, string | string[]> = {}) =>
    call.send("", { status: 302, headers: { location, ...headers } });
  const page = (call: AppCall, text: string, status = 200) =>
    call.send(`<!doctype html><title>App</title><p>${text}</p>`, { status, headers: { "content-type": "text/html" } });

  let begun = 0;
  const begin = (call: AppCall) => {
    const { start, state: stateWay, pkce, cookie } = app.ways;
    const browser = random();
    begun += 1;
    const states = { none: "", short: `ab${begun}`, number: String(Date.now() + begun), fixed: "the-same-for-all" };
    const state = stateWay === undefined ? random() : states[stateWay];
    const verifier = pkce === "fixed" ? "v".repeat(43) : pkce === "short" ? random().slice(0, 11) : random();
    logins.set(cookie === "none" ? state : browser, { state, verifier });
    const redirectUri = (app.ways.redirectUri ?? ((usual) => usual))(app.callbackUrl);
    const hash = createHash("sha256").update(verifier).digest("base64url");
    const challenge = {
      none: {},
      plain: { code_challenge: verifier, code_challenge_method: "plain" },
      "challenge-only": { code_challenge: hash },
      fixed: { code_challenge: hash, code_challenge_method: "S256" },
      short: { code_challenge: hash, code_challenge_method: "S256" },
      base64: { code_challenge: `${hash}=`, code_challenge_method: "S256" },
      usual: { code_challenge: hash, code_challenge_method: "S256" },
    }[pkce ?? "usual"];
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: app.ways.scope ?? "project",
      ...(state === "" ? {} : { state }),
      ...challenge,
      ...(app.ways.secretInUrl ? { client_secret: client.client_secret } : {}),
    });
    const target = `${app.platform}/oauth/authorize?${query}`;
    const kinds = {
      strict: "SameSite=Strict",
      path: "Path=/login",
      "none-open": "SameSite=None",
      expired: "Max-Age=0",
      none: "",
    };
    const setCookie = `login=${browser}; HttpOnly; ${cookie === undefined ? "SameSite=Lax" : kinds[cookie]}`;
    switch (start) {
      case "page":
        return page(call, '<a href="/sign-in">Sign in</a> <a href="/about">About</a>');
      case "link":
        return call.send(`<a href="${target.replaceAll("&", "&amp;")}">Log in</a>`, {
          headers: { "content-type": "text/html", "set-cookie": setCookie },
        });
      case "404":
        return page(call, "Not here.", 404);
      case "loop":
        return redirect(call, "/login");
      case "elsewhere":
        return redirect(call, "http://127.0.0.1:9/secret?token=1");
      case "other-platform":
        return redirect(call, `https://accounts.example/oauth/authorize?${query}`);
      case "other-path":
        return redirect(call, `${app.platform}/authorize?${query}`);
      case "hang":
        return call.hang();
      default:
        return redirect(call, target, cookie === "none" ? {} : { "set-cookie": setCookie });
    }
  };

  const ask = async (body: Record<string, string>, ways: OAuthAppWays["exchange"] = undefined) => {
    const { client_id, client_secret } = client;
    const secrets: Partial<Record<NonNullable<typeof ways>, string>> = {
      "wrong-secret": "something-else",
      "quoted-secret": `"${client_secret}"`,
    };
    const secret = (ways && secrets[ways]) ?? client_secret;
    const whole = { ...body, client_id, ...(ways === "no-secret" ? {} : { client_secret: secret }) };
    const basic = { authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString("base64")}` };
    const form = "application/x-www-form-urlencoded";
    const request = {
      form: { headers: { "content-type": form }, body: new URLSearchParams(whole).toString() },
      basic: { headers: { "content-type": form, ...basic }, body: new URLSearchParams(body).toString() },
      "basic-too": { headers: { "content-type": form, ...basic }, body: new URLSearchParams(whole).toString() },
      text: { headers: { "content-type": "text/plain" }, body: JSON.stringify(whole) },
      json: { headers: { "content-type": "application/json" }, body: JSON.stringify(whole) },
    }[ways === "form" || ways === "basic" || ways === "basic-too" || ways === "text" ? ways : "json"];
    if (ways === "get") return await fetch(`${app.platform}/oauth/token?${new URLSearchParams(whole)}`);
    return await fetch(`${app.platform}${ways === "other-path" ? "" : "/oauth"}/token`, { method: "POST", ...request });
  };

  const exchange = async (code: string, verifier: string): Promise<Response> => {
    const way = app.ways.exchange;
    const isBound = app.ways.pkce !== "none" && way !== "no-verifier";
    const body = {
      grant_type: "authorization_code",
      ...(way === "no-redirect-uri" ? {} : { redirect_uri: app.callbackUrl }),
      code,
      ...(isBound ? { code_verifier: verifier } : {}),
    };
    if (way === "try-both") await ask(body, "wrong-secret");
    const answer = await ask(body, way);
    if (way === "twice") await ask(body, way);
    return answer;
  };

  const callback = async (call: AppCall) => {
    const { searchParams } = new URL(call.path, app.url);
    const browser = /login=([\w-]+)/.exec(call.header("cookie") ?? "")?.[1];
    const login = logins.get(browser ?? searchParams.get("state") ?? "");
    switch (app.ways.callback) {
      case "500":
        return page(call, "Something broke.", 500);
      case "hang":
        return call.hang();
      case "tells-code":
        return page(call, `${"a".repeat(170)} ${searchParams.get("code")}`, 400);
      case "400":
        return page(call, "Who are you?", 400);
      case "404":
        return page(call, "Cannot GET /callback", 404);
      case "elsewhere":
        return redirect(call, "http://127.0.0.1:9/");
      case "again":
        return redirect(call, "/login");
      case "no-location":
        return call.send("", { status: 302 });
    }
    if (searchParams.has("error")) {
      if (app.ways.error === "500") return page(call, "Something broke.", 500);
      if (app.ways.error === "again") return redirect(call, "/login");
      if (app.ways.error === "exchange") await exchange("undefined", random());
      return page(call, `Declined: ${searchParams.get("error")}`, 403);
    }
    if (login === undefined) return page(call, "Who are you?", 400);
    const isOther = login.state !== (searchParams.get("state") ?? "");
    const { otherState } = app.ways;
    if (isOther && otherState === "taken-first") await exchange(searchParams.get("code") ?? "", login.verifier);
    if (isOther && otherState !== "taken") return refuse(call);
    if (app.ways.exchange === "none") return page(call, "Welcome.");
    const answer = await exchange(searchParams.get("code") ?? "", login.verifier);
    if (!answer.ok) return page(call, "The login failed.", 502);
    const session = random();
    sessions.set(session, { ...((await answer.json()) as Tokens), at: Date.now() });
    const lax = `session=${session}; Path=/; HttpOnly; SameSite=Lax`;
    const tenant = "3f2a9c1e-8b7d-4c55-9d10-5be1f0a4c6d2";
    const ways = app.ways.session;
    const kinds: Partial<Record<NonNullable<typeof ways>, string | string[]>> = {
      strict: lax.replace("Lax", "Strict"),
      "strict-beside": [lax, `csrf=${random()}; Path=/; SameSite=Strict`],
      "strict-page": lax.replace("Lax", "Strict"),
      "strict-refresh": lax.replace("Lax", "Strict"),
      "none-open": lax.replace("Lax", "None"),
      "none-secure": `${lax.replace("Lax", "None")}; Secure`,
      bare: `session=${session}; Path=/`,
      domain: `${lax}; Domain=example.com`,
      "no-path": `session=${session}; HttpOnly`,
      gone: `${lax}; Max-Age=0`,
      "page-in-address": [`session=${session}; Path=/`, "go=/home?projects=all; Path=/; HttpOnly"],
      "id-in-address": [lax, `tenant=${tenant}; Path=/; HttpOnly`],
    };
    const headers = { "set-cookie": (ways && kinds[ways]) ?? lax };
    if (ways === "in-address") return redirect(call, `/home?sid=${session}`, headers);
    if (ways === "id-in-address") return redirect(call, `/home?tenant=${tenant}`, headers);
    if (ways === "page-in-address") return redirect(call, "/home?projects=all", headers);
    if (ways === "strict-page") return redirect(call, "/done", headers);
    if (ways === "strict-refresh") {
      const page = '<meta http-equiv="refresh" content="0; url=/home">';
      return call.send(page, { headers: { "content-type": "text/html", ...headers } });
    }
    if (app.ways.callback === "here") {
      await api(sessions.get(session) as Tokens);
      return call.send("Welcome.", { headers });
    }
    return redirect(call, "/home", headers);
  };

  const refuse = (call: AppCall) => {
    switch (app.ways.otherState) {
      case "500":
        return page(call, "Something broke.", 500);
      case "again":
        return redirect(call, "/login");
      case "elsewhere":
        return redirect(call, "http://127.0.0.1:9/");
      default:
        return page(call, "Who are you?", 400);
    }
  };

  const api = (tokens: Tokens) => {
    const authorization = { authorization: `Bearer ${tokens.access_token}` };
    const base = app.ways.api === "no-prefix" ? app.platform : `${app.platform}/api/v2`;
    const path = `${base}/${app.ways.api === "unknown" ? "user" : "projects"}`;
    if (app.ways.api === "quoted") {
      return fetch(path, { headers: { authorization: `Bearer ${JSON.stringify(tokens.access_token)}` } });
    }
    if (app.ways.api === "bare") return fetch(path);
    if (app.ways.api === "query") return fetch(`${path}?access_token=${tokens.access_token}`);
    return fetch(path, { headers: authorization });
  };

  const refresh = async (session: string): Promise<boolean> => {
    const tokens = sessions.get(session) as Tokens;
    const way = app.ways.refresh === "no-secret" ? "no-secret" : undefined;
    const token = app.ways.refresh === "undefined" ? String(undefined) : tokens.refresh_token;
    const answer = await ask({ grant_type: "refresh_token", refresh_token: token }, way);
    if (!answer.ok) return false;
    const fresh = (await answer.json()) as Tokens;
    const kept = app.ways.refresh === "old-token" ? { refresh_token: tokens.refresh_token } : {};
    sessions.set(session, { ...fresh, ...kept, at: Date.now() });
    return true;
  };

  let visits = 0;
  const home = async (call: AppCall) => {
    const session = /session=([\w-]+)/.exec(call.header("cookie") ?? "")?.[1] ?? "";
    const tokens = sessions.get(session);
    if (tokens === undefined) return redirect(call, "/login");
    const way = app.ways.refresh;
    visits += 1;
    if (way === "proactive" && visits > 1) await refresh(session);
    const margin = { "own-clock": 60, "own-clock-log-in": 0 }[String(way)];
    const age = (Date.now() - (tokens.at ?? 0)) / 1000;
    if (margin !== undefined && age > tokens.expires_in - margin) await refresh(session);
    let answer = app.ways.api === "none" ? null : await api(sessions.get(session) as Tokens);
    if (answer?.status === 401 && app.ways.api === undefined) {
      if (way === "none" || way === "own-clock") return page(call, "The platform said 401.", 502);
      if (way === "log-in" || way === "own-clock-log-in") return redirect(call, "/login");
      if (way === "loop") for (let n = 0; n < 5; n += 1) await refresh(session);
      if (!(await refresh(session))) return page(call, "The refresh failed.", 502);
      if (way === "twice") await refresh(session);
      if (way === "500") return page(call, "Something broke.", 500);
      if (way === "no-retry") return page(call, "Try again.");
      answer = await api(sessions.get(session) as Tokens);
    }
    if (app.ways.isBrittle && answer?.ok === false) return page(call, "The API does not work.", 502);
    const told = {
      "access-token": sessions.get(session)?.access_token,
      "refresh-token": sessions.get(session)?.refresh_token,
      "client-secret": client.client_secret,
      nothing: "",
    }[app.ways.tells ?? "nothing"];
    return page(call, `The API answered ${answer?.status}. ${told}`);
  };

  app.answer((call) => {
    switch (call.path.split("?", 1)[0]) {
      case "/login":
        return begin(call);
      case "/callback":
      case "/oauth/callback":
        return callback(call);
      case "/done":
        return page(call, '<a href="/home">Go on</a>');
      case "/home":
        return home(call);
      default:
        return page(call, "Page not found.", 404);
    }
  });
  return app;
}

function random(): string {
  return randomBytes(32).toString("base64url");
}
