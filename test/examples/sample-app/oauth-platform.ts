import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CookieJar } from "tough-cookie";
import { issued } from "./platform.ts";

/** One call that the app made to the platform. */
export interface Call {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The parsed body; null if there is none. */
  readonly body: Record<string, string> | null;
}

/** What the platform answers: a text is sent as it is, everything else as JSON. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

type Answering = (call: Call, response: ServerResponse) => Reply | null | Promise<Reply | null>;

/** A platform of which the test steers every answer; by itself it answers as the interface says, each token being good once. */
export interface OAuthPlatform extends AsyncDisposable {
  readonly url: string;
  /** What the app called, in the order of arrival. */
  readonly tokenCalls: Call[];
  readonly apiCalls: Call[];
  /** The tokens that were given out, the newest last. */
  readonly accessTokens: string[];
  readonly refreshTokens: string[];
  /** Each may be replaced; null leaves it to the test to answer. */
  answerToken: Answering;
  answerApi: Answering;
  /** What the API takes for good; at first the newest access token. */
  isGood: (accessToken: string) => boolean;
  /** Approves an authorization request as the user does; returns the address that the browser is sent to. */
  approve(authorizeUrl: string): string;
  grant(call: Call): Reply;
  listProjects(call: Call): Reply;
}

export const projects = {
  data: [
    { data: { id: 1, identifier: "garden", name: "Garden" } },
    { data: { id: 2, identifier: "shop", name: "Shop <b>&amp;</b> 'co'" } },
  ],
  pagination: { offset: 0, limit: 25 },
};

export async function startOAuthPlatform(): Promise<OAuthPlatform> {
  const codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>();
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    const call: Call = {
      method: request.method,
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? null : JSON.parse(text),
    };
    const isApi = call.path.startsWith("/api/");
    (isApi ? platform.apiCalls : platform.tokenCalls).push(call);
    const reply = await (isApi ? platform.answerApi : platform.answerToken)(call, response);
    if (reply === null) return;
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body ?? {}));
  }

  function isRedeemed({ code = "", code_verifier = "", redirect_uri }: Record<string, string>): boolean {
    const asked = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256").update(code_verifier).digest("base64url");
    return asked !== undefined && asked.challenge === challenge && asked.redirectUri === redirect_uri;
  }

  const platform: OAuthPlatform = {
    url: "",
    tokenCalls: [],
    apiCalls: [],
    accessTokens: [],
    refreshTokens: [],
    answerToken: (call) => platform.grant(call),
    answerApi: (call) => platform.listProjects(call),
    isGood: (accessToken) => accessToken === platform.accessTokens.at(-1),
    approve: (authorizeUrl) => {
      const query = new URL(authorizeUrl).searchParams;
      const redirectUri = query.get("redirect_uri") ?? "";
      const code = randomBytes(16).toString("hex");
      codes.set(code, { challenge: query.get("code_challenge") ?? "", redirectUri });
      return `${redirectUri}?${new URLSearchParams({ code, state: query.get("state") ?? "" })}`;
    },
    grant: ({ body }) => {
      if (body?.client_id !== issued.clientId || body.client_secret !== issued.clientSecret) {
        return { status: 401, body: { error: "invalid_client" } };
      }
      const isNewest = body.refresh_token === platform.refreshTokens.at(-1);
      const isGranted = body.grant_type === "authorization_code" ? isRedeemed(body) : isNewest;
      if (!isGranted) return { status: 400, body: { error: "invalid_grant" } };
      const [access_token, refresh_token] = [
        `access-${randomBytes(8).toString("hex")}`,
        randomBytes(8).toString("hex"),
      ];
      platform.accessTokens.push(access_token);
      platform.refreshTokens.push(refresh_token);
      return { status: 200, body: { access_token, token_type: "bearer", expires_in: 7200, refresh_token } };
    },
    listProjects: ({ headers }) => {
      const [scheme, token = ""] = (headers.authorization ?? "").split(" ");
      if (scheme === "Bearer" && platform.isGood(token)) return { status: 200, body: projects };
      return { status: 401, body: { error: { message: "The token is not valid.", code: 401 } } };
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(platform, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly location: string;
  readonly body: string;
}

/** A browser with its own cookies, which leaves it to the test to follow redirects. */
export interface Browser {
  readonly jar: CookieJar;
  get(url: string): Promise<Answer>;
}

export function openBrowser(): Browser {
  const jar = new CookieJar();
  return {
    jar,
    get: async (url) => {
      const cookie = await jar.getCookieString(url);
      const response = await fetch(url, { redirect: "manual", headers: cookie === "" ? {} : { cookie } });
      for (const line of response.headers.getSetCookie()) await jar.setCookie(line, url);
      const location = response.headers.get("location") ?? "";
      return { status: response.status, headers: response.headers, location, body: await response.text() };
    },
  };
}
