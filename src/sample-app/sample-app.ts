import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createCodes } from "./codes.ts";
import { answerGuard, type GuardRule, withPage } from "./guard.ts";
import { createHostedFiles, type HostedFiles } from "./hosted-files.ts";
import { manifest } from "./manifest.ts";
import { createOAuthClient } from "./oauth-client.ts";
import { createOAuthLogin } from "./oauth-login.ts";
import { projectsPage } from "./oauth-projects.ts";
import { STYLE } from "./pages.ts";
import { type Platform, platformAt } from "./platform.ts";
import { createPostImport } from "./post-import.ts";
import { answerConfirm, PRESENCE_SCRIPT, presencePage } from "./presence.ts";
import { json, Refusal, type Reply, text } from "./request.ts";
import { accountRule, networkRule, presenceRule, termsRule } from "./rules.ts";
import { createSessions } from "./sessions.ts";
import { termsPage } from "./terms.ts";
import type { Credentials } from "./token.ts";
import { answerWebhook } from "./webhook.ts";

interface SampleAppOptions extends Credentials {
  /** {auth_url}, the platform's address: users are sent back there and nowhere else. */
  readonly authUrl: string;
  /** {sdk_url}, where the platform has its `host.js`; `authUrl` by default. */
  readonly sdkUrl?: string;
  /** {api_url}, where the platform has its REST API; `authUrl` by default. */
  readonly apiUrl?: string;
  /** 0, the default, lets the system choose a free port. */
  readonly port?: number;
  readonly host?: "127.0.0.1";
}

export interface SampleApp {
  /** Base address, without a slash at its end. */
  readonly url: string;
  /** How often each event has come in signed webhook deliveries, by event name. */
  readonly received: ReadonlyMap<string, number>;
  /** Stops listening, cuts every connection, and removes the files that wait for the platform. */
  close(): Promise<void>;
}

interface Route {
  readonly methods: readonly string[];
  answer(request: IncomingMessage): Promise<Reply>;
}

/**
 * Starts a whole app: guards of every type, a post-import module, a webhook, and a login with the platform. Rejects
 * when a credential is empty (an empty key would accept what anybody signs), when an address of the platform is not
 * one, or when the port is taken.
 */
export async function startSampleApp(options: SampleAppOptions): Promise<SampleApp> {
  const { clientId, clientSecret, appSecret, authUrl, sdkUrl = authUrl, apiUrl = authUrl } = options;
  const { port = 0, host = "127.0.0.1" } = options;
  if (!clientId || !clientSecret || !appSecret) throw new TypeError("The sample app needs all of its credentials.");
  const platform = platformAt({ authUrl, sdkUrl, apiUrl });
  // A caller who sends for longer than this is cut off, so that slow ones cannot use up all connections.
  const server = createServer({ requestTimeout: 30_000 });
  server.listen(port, host);
  await once(server, "listening");
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  const received = new Map<string, number>();
  const files = createHostedFiles(url, "/post-import/files");
  const routes = routesOf({ clientId, clientSecret, appSecret }, platform, url, received, files);
  server.on("request", (request, response) => void handle(routes, request, response));
  return {
    url,
    received,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await files.close();
    },
  };
}

function routesOf(
  credentials: Credentials,
  platform: Platform,
  url: string,
  received: Map<string, number>,
  files: HostedFiles,
): ReadonlyMap<string, Route> {
  const codes = createCodes();
  const sessions = createSessions();
  const client = createOAuthClient(credentials, platform.authUrl, `${url}/oauth/callback`);
  const login = createOAuthLogin(client, sessions, `${url}/login`);
  // Without HEAD, which must not change anything: a link preview would use up what a login needs.
  const visit = (answer: Route["answer"]): Route => ({ methods: ["GET"], answer });
  const get = (answer: Route["answer"]): Route => ({ methods: ["GET", "HEAD"], answer });
  const post = (answer: Route["answer"]): Route => ({ methods: ["POST"], answer });
  const form = (answer: Route["answer"]): Route => ({ methods: ["GET", "HEAD", "POST"], answer });
  const guard = (key: string, rule: GuardRule) => post((request) => answerGuard(request, key, rule, credentials));
  return new Map<string, Route>([
    ["/manifest.json", get(async () => json(200, manifest))],
    ["/guards/network", guard("network", networkRule())],
    ["/guards/account", guard("working-account", accountRule())],
    ["/guards/terms", guard("terms", withPage(termsRule(), codes))],
    ["/guards/terms/page", form(termsPage("terms", credentials, platform, codes))],
    ["/guards/presence", guard("presence", withPage(presenceRule(), codes))],
    ["/guards/presence/page", get(presencePage("presence", credentials, platform))],
    ["/guards/presence/page.js", get(async () => text(200, "text/javascript; charset=utf-8", PRESENCE_SCRIPT))],
    ["/guards/presence/confirm", post((request) => answerConfirm(request, "presence", credentials, codes))],
    ["/login", visit(login.begin)],
    ["/oauth/callback", visit(login.callback)],
    ["/projects", get(projectsPage(platform.apiUrl, client, sessions, `${url}/login`))],
    ["/style.css", get(async () => text(200, "text/css; charset=utf-8", STYLE))],
    ["/post-import", post(createPostImport("tidy-strings", credentials, platform, files))],
    ["/post-import/files/*", visit(files.answer)],
    ["/webhooks", post((request) => answerWebhook(request, "translation-events", credentials.appSecret, received))],
  ]);
}

async function handle(
  routes: ReadonlyMap<string, Route>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reply = await findRoute(routes, request)
    .then((route) => route.answer(request))
    .catch((error: unknown) => errorReply(error, response));
  // The address of a page holds a token: no cache keeps what it leads to, and no other site is told of it.
  response.writeHead(reply.status, {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...reply.headers,
  });
  if (reply.stream === undefined) response.end(reply.body);
  else await sendStream(reply.stream, response);
}

/** Never rejects: what breaks off ends the connection, by which the caller knows that something is missing. */
async function sendStream(stream: Readable, response: ServerResponse): Promise<void> {
  await pipeline(stream, response).catch((error: NodeJS.ErrnoException) => {
    const callerHungUp = error.code === "ERR_STREAM_PREMATURE_CLOSE";
    if (!callerHungUp) process.emitWarning(error);
  });
}

async function findRoute(routes: ReadonlyMap<string, Route>, request: IncomingMessage): Promise<Route> {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const route = routes.get(path) ?? routes.get(`${path.slice(0, path.lastIndexOf("/"))}/*`);
  if (route === undefined) throw new Refusal(404, "There is nothing at this address.");
  if (!route.methods.includes(request.method ?? "")) {
    throw new Refusal(405, "This address does not take that method.", { allow: route.methods.join(", ") });
  }
  return route;
}

/** The caller of a refused request learns why; what went wrong inside this app is only for its own log. */
function errorReply(error: unknown, response: ServerResponse): Reply {
  if (error instanceof Refusal) return json(error.status, { error: { message: error.message } }, error.headers);
  const callerHungUp = response.destroyed;
  if (!callerHungUp) process.emitWarning(error instanceof Error ? error : String(error));
  return json(500, { error: { message: "Something went wrong in the app." } });
}
