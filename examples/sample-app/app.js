import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createCodes, directGuards } from "./guard.js";
import { presenceGuard } from "./guard-frame.js";
import { termsGuard } from "./guard-redirect.js";
import { createHostedFiles } from "./hosted-files.js";
import { json, Refusal, text } from "./http.js";
import { oauthRoutes } from "./oauth-login.js";
import { STYLE } from "./pages.js";
import { readAddress } from "./platform.js";
import { postImport } from "./post-import.js";
import { webhook } from "./webhook.js";

/** What this app does, and at which addresses. */
const manifest = {
  modules: {
    "auth-guard": [
      { key: "network", name: "Network check", url: "/guards/network", options: { type: "direct" } },
      {
        key: "working-account",
        name: "Account check",
        url: "/guards/account",
        options: { type: "direct", applyToAdmins: true },
      },
      {
        key: "terms",
        name: "Confidentiality terms",
        description: "Managers accept the confidentiality terms at every login.",
        url: "/guards/terms",
        options: { type: "redirect", url: "/guards/terms/page" },
      },
      {
        key: "presence",
        name: "Are you there?",
        description: "A login from outside the office has to be confirmed.",
        url: "/guards/presence",
        options: { type: "frame", applyToAdmins: true, url: "/guards/presence/page" },
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

/** @type {typeof import("./app.d.ts").startSampleApp} */
export async function startSampleApp({ port = 0, sdkUrl, apiUrl, ...options }) {
  const { clientId, clientSecret, appSecret } = options;
  if (!clientId || !clientSecret || !appSecret)
    throw new TypeError("The sample app needs clientId, clientSecret and appSecret.");
  const authUrl = readAddress("authUrl", options.authUrl);
  const platform = {
    authUrl,
    sdkUrl: readAddress("sdkUrl", sdkUrl ?? authUrl),
    apiUrl: readAddress("apiUrl", apiUrl ?? authUrl),
  };
  // A client that takes longer to send a request is disconnected, so that slow ones cannot use up all connections.
  const server = createServer({ requestTimeout: 30_000 });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  const settings = { ...options, ...platform, url: `http://127.0.0.1:${address.port}` };
  const received = new Map();
  const files = createHostedFiles(settings.url, "/post-import/files");
  const routes = routesOf(settings, files, received);
  server.on("request", (request, response) => void handle(routes, request, response));
  return {
    url: settings.url,
    received,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await files.close();
    },
  };
}

/** @returns {Record<string, Record<string, import("./http.js").Handler>>} by path, then by method */
function routesOf(settings, files, received) {
  const codes = createCodes();
  const showManifest = async () => json(200, manifest);
  const showStyle = async () => text(200, "text/css; charset=utf-8", STYLE);
  return {
    "/manifest.json": { GET: showManifest, HEAD: showManifest },
    "/style.css": { GET: showStyle, HEAD: showStyle },
    ...directGuards(settings),
    ...termsGuard(settings, codes),
    ...presenceGuard(settings, codes),
    "/post-import": { POST: postImport("tidy-strings", settings, files) },
    "/post-import/files/*": { GET: files.answer },
    "/webhooks": { POST: webhook("translation-events", settings.appSecret, received) },
    ...oauthRoutes(settings),
  };
}

async function handle(routes, request, response) {
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  const reply = await answer(routes, request, leaving.signal).catch((error) => errorReply(error, leaving.signal));
  response.statusCode = reply.status;
  // The address of a guard's page contains a token, so nothing is cached, and no other site sees the address.
  const common = { "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" };
  for (const [name, value] of Object.entries({ ...common, ...reply.headers })) response.setHeader(name, value);
  if (reply.body instanceof Readable)
    await pipeline(reply.body, response).catch((error) => warn(error, leaving.signal));
  else response.end(reply.body);
}

async function answer(routes, request, signal) {
  const { method, url } = request;
  const [path] = url.split("?", 1);
  const pattern = [path, path.replace(/[^/]*$/, "*")].find((key) => Object.hasOwn(routes, key));
  if (pattern === undefined) throw new Refusal(404, "There is nothing at this address.");
  const methods = routes[pattern];
  const handler = methods[method];
  if (handler !== undefined) return handler(request, signal);
  throw new Refusal(405, "This address does not take that method.", { allow: Object.keys(methods).join(", ") });
}

/** The caller of a refused request gets the reason; what went wrong inside this app goes only to its own log. */
function errorReply(error, signal) {
  if (error instanceof Refusal) return json(error.status, { error: { message: error.message } }, error.headers);
  warn(error, signal);
  return json(500, { error: { message: "Something went wrong in the app." } });
}

function warn(error, signal) {
  const callerHungUp = signal.aborted;
  if (!callerHungUp) process.emitWarning(error);
}
