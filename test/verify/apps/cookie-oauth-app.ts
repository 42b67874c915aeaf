import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A client of the platform, as it was registered. */
export interface CookieAppSettings {
  readonly authUrl: string;
  readonly port: number;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly endsAt: number;
}

/**
 * A correct app that keeps nothing: the login under way and the session are sealed in cookies. It uses no PKCE but its
 * secret, by Basic, and refreshes by its own clock. Everything but the login itself is JSON.
 */
export async function startCookieApp({ authUrl, port, clientId, clientSecret }: CookieAppSettings) {
  const url = `http://127.0.0.1:${port}`;
  const key = randomBytes(32);

  const seal = (value: unknown): string => {
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, iv);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
  };
  const open = (request: IncomingMessage, name: string): Record<string, never> | null => {
    const text = new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(request.headers.cookie ?? "")?.[1];
    if (text === undefined) return null;
    try {
      const bytes = Buffer.from(text, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString());
    } catch {
      return null;
    }
  };
  const cookie = (name: string, value: string, more = "") => `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${more}`;
  const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string[]> = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

  const ask = async (grant: Record<string, string>): Promise<Tokens | null> => {
    const answer = await fetch(`${authUrl}/oauth/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` },
      body: new URLSearchParams(grant),
    });
    const body = (await answer.json().catch(() => null)) as Record<string, unknown> | null;
    if (!answer.ok || typeof body?.access_token !== "string" || body.access_token === "") return null;
    if (String(body.token_type).toLowerCase() !== "bearer") return null;
    const endsAt = Date.now() + Number(body.expires_in ?? 7200) * 1000;
    return { access_token: body.access_token, refresh_token: String(body.refresh_token), endsAt };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    switch (pathname) {
      case "/manifest.json":
        return json(response, 200, { modules: {} });
      case "/auth/login": {
        const state = randomBytes(16).toString("hex");
        const query = new URLSearchParams({
          client_id: clientId,
          redirect_uri: `${url}/auth/back`,
          response_type: "code",
          scope: "project",
          state,
        });
        const headers = {
          location: `${authUrl}/oauth/authorize?${query}`,
          "set-cookie": cookie("flow", seal({ state })),
        };
        return response.writeHead(302, headers).end();
      }
      case "/auth/back": {
        const flow = open(request, "flow");
        const done = cookie("flow", "", "; Max-Age=0");
        const state = searchParams.get("state");
        const code = searchParams.get("code");
        if (flow === null || state === null || flow.state !== state) return json(response, 401, { error: "state" });
        if (!code) return json(response, 403, { error: "declined" }, { "set-cookie": [done] });
        const tokens = await ask({ grant_type: "authorization_code", code, redirect_uri: `${url}/auth/back` });
        if (tokens === null) return json(response, 502, { error: "login failed" }, { "set-cookie": [done] });
        const headers = { location: "/me", "set-cookie": [done, cookie("session", seal(tokens))] };
        return response.writeHead(303, headers).end();
      }
      case "/me": {
        let tokens = open(request, "session") as Tokens | null;
        if (tokens === null) return json(response, 401, { error: "log in" });
        const isOver = Date.now() >= tokens.endsAt;
        if (isOver) tokens = await ask({ grant_type: "refresh_token", refresh_token: tokens.refresh_token });
        if (tokens === null) return json(response, 401, { error: "log in" });
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        const answer = await fetch(`${authUrl}/api/v2/projects`, { headers });
        const projects = await answer.json().catch(() => null);
        if (!answer.ok || projects === null) return json(response, answer.status === 401 ? 401 : 503, { error: "api" });
        const kept = { "set-cookie": isOver ? [cookie("session", seal(tokens))] : [] };
        return json(response, 200, projects, kept);
      }
      default:
        return json(response, 404, { error: "nothing here" });
    }
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => json(response, 500, { error: "broken" }));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
