import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { accountRule, answerGuard, networkRule } from "./guard.ts";
import { answerPostImport } from "./post-import.ts";
import { type Credentials, json, Refusal, type Reply } from "./request.ts";
import { answerWebhook } from "./webhook.ts";

/** What this app can do, and where (interface 2.1). */
const MANIFEST = {
  modules: {
    "auth-guard": [
      { key: "network", name: "Network check", url: "/guards/network", options: { type: "direct" } },
      {
        key: "working-account",
        name: "Account check",
        url: "/guards/account",
        options: { type: "direct", applyToAdmins: true },
      },
    ],
    "file-post-import": [{ key: "tidy-strings", url: "/post-import" }],
    webhook: [
      {
        key: "translation-events",
        url: "/webhooks",
        events: ["project.translated", "project.approved"],
        environments: ["platform", "platform-enterprise"],
      },
    ],
  },
};

interface SampleAppOptions extends Credentials {
  /** 0, the default, lets the system choose a free port. */
  readonly port?: number;
  readonly host?: "127.0.0.1";
}

export interface SampleApp {
  /** Base address, without a slash at its end. */
  readonly url: string;
  /** How often each event has come in signed webhook deliveries, by event name. */
  readonly received: ReadonlyMap<string, number>;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

interface Route {
  readonly methods: readonly string[];
  answer(request: IncomingMessage): Promise<Reply>;
}

/**
 * Starts a whole app: two guards, a post-import module and a webhook. Rejects when a credential is empty
 * (an empty key would accept what anybody signs) or when the port is taken.
 */
export async function startSampleApp(options: SampleAppOptions): Promise<SampleApp> {
  const { clientId, clientSecret, appSecret, port = 0, host = "127.0.0.1" } = options;
  if (!clientId || !clientSecret || !appSecret) throw new TypeError("The sample app needs all of its credentials.");
  const received = new Map<string, number>();
  const routes = routesOf({ clientId, clientSecret, appSecret }, received);
  // A caller who sends for longer than this is cut off, so that slow ones cannot use up all connections.
  const server = createServer(
    { requestTimeout: 30_000 },
    (request, response) => void handle(routes, request, response),
  );
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function routesOf(credentials: Credentials, received: Map<string, number>): ReadonlyMap<string, Route> {
  const network = networkRule();
  const account = accountRule();
  const post = (answer: Route["answer"]): Route => ({ methods: ["POST"], answer });
  return new Map<string, Route>([
    ["/manifest.json", { methods: ["GET", "HEAD"], answer: async () => json(200, MANIFEST) }],
    ["/guards/network", post((request) => answerGuard(request, "network", network, credentials))],
    ["/guards/account", post((request) => answerGuard(request, "working-account", account, credentials))],
    ["/post-import", post((request) => answerPostImport(request, "tidy-strings", credentials))],
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
  response.writeHead(reply.status, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...reply.headers,
  });
  response.end(reply.body);
}

async function findRoute(routes: ReadonlyMap<string, Route>, request: IncomingMessage): Promise<Route> {
  const route = routes.get((request.url ?? "").split("?", 1)[0] ?? "");
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
