// An app on the public SDK of the deployment that `--profile crowdin` plays: guards of the three types, post-import,
// webhook, installation. `npm ci && npm start` here, and `app-sim serve --profile crowdin` in another terminal.
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import sdk from "@crowdin/app-project-module";
import jwt from "jsonwebtoken";

const port = Number(process.env.PORT ?? 3000);
const platform = process.env.PLATFORM_BASE_URL ?? "http://127.0.0.1:7410";
const clientSecret = process.env.PLATFORM_CLIENT_SECRET ?? "app-sim-client-secret-long-enough-for-HS256";
const baseUrl = `http://127.0.0.1:${port}`;
const dbFolder = process.env.DB_FOLDER ?? "./data";
mkdirSync(dbFolder, { recursive: true });

/** Who may come back with which code: each is valid for one final call of one guard. */
const codes = new Map();

/** A guard that lets in every user who has a code from its page. */
function guardWithPage(key, name, options) {
  const verify = async ({ userId, moduleKey, code }) => {
    const issued = codes.get(code);
    codes.delete(code);
    return { success: issued !== undefined && issued.userId === userId && issued.moduleKey === moduleKey };
  };
  return { key, name, options, verify };
}

const config = {
  baseUrl,
  port,
  dbFolder,
  clientId: process.env.PLATFORM_CLIENT_ID ?? "app-sim-client",
  clientSecret,
  // Without it the SDK's own: crowdin_app. crowdin_agent and authorization_code are the others.
  authenticationType: process.env.AUTHENTICATION_TYPE,
  crowdinUrls: { accountUrl: `${platform}/oauth/token`, apiDomain: new URL(platform).host },
  // The secret for the SDK's own data, which differs from the platform's.
  cryptoSecret: "example-crypto-secret",
  identifier: "example-app",
  name: "Example app",
  description: "Guards, post-import and webhooks on the public SDK",
  imagePath: new URL("logo.svg", import.meta.url).pathname,
  authGuard: [
    {
      key: "network",
      name: "Network check",
      options: { type: "direct" },
      verify: async ({ ipAddress }) => ({ success: ipAddress !== "198.51.100.7", message: "Not from this network" }),
    },
    guardWithPage("terms", "Confidentiality terms", { type: "redirect", applyToAdmin: true, url: "/terms" }),
    guardWithPage("presence", "Are you there?", { type: "iframe", url: "/presence" }),
  ],
  filePostImport: [
    {
      fileProcess: async ({ content }) => ({
        strings: content.map((string) => ({ ...string, labels: [...(string.labels ?? []), "seen"] })),
      }),
    },
  ],
  webhooks: [{ events: ["project.translated", "project.approved"], callback: async () => {} }],
};

const app = sdk.express();

/** Who opens a guard's page, and from where, according to the token in its address; null for an invalid token. */
function visitor(request, moduleKey) {
  try {
    const { sub, module, domain } = jwt.verify(request.query.jwtToken, clientSecret, {
      algorithms: ["HS256"],
      audience: config.clientId,
    });
    return module === moduleKey ? { userId: Number(sub), domain } : null;
  } catch {
    return null;
  }
}

function codeFor(userId, moduleKey) {
  const code = randomUUID();
  codes.set(code, { userId, moduleKey });
  return code;
}

const page = (content) => `<!doctype html><html lang="en"><title>Example app</title>${content}</html>`;

app.get("/terms", (request, response) => {
  const user = visitor(request, "terms");
  if (user === null) return response.status(403).send("Forbidden");
  const query = new URLSearchParams({ state: String(request.query.state), jwtToken: request.query.jwtToken });
  const action = `/terms/accepted?${query}`.replaceAll("&", "&amp;");
  response.send(page(`<form method="post" action="${action}"><button name="accept">Accept</button></form>`));
});

app.post("/terms/accepted", (request, response) => {
  const user = visitor(request, "terms");
  if (user === null) return response.status(403).send("Forbidden");
  const query = new URLSearchParams({ state: String(request.query.state), code: codeFor(user.userId, "terms") });
  // An organization may have no domain.
  const organization = user.domain ? `/${encodeURIComponent(user.domain)}` : "";
  response.redirect(302, `${platform}${organization}/guard/callback?${query}`);
});

app.get("/presence", (request, response) => {
  const user = visitor(request, "presence");
  if (user === null) return response.status(403).send("Forbidden");
  const code = JSON.stringify(codeFor(user.userId, "presence"));
  response.send(
    page(
      `<script src="${platform}/host.js"></script><button onclick='AP.verifyAuth({ code: ${code} })'>I am here</button>`,
    ),
  );
});

sdk.addCrowdinEndpoints(app, config);
// Not `app.listen`: the SDK replaces it, and it would listen on every address of this machine.
createServer(app).listen(port, "127.0.0.1", () => process.stdout.write(`The app listens at ${baseUrl}\n`));
