import { type RunningSimulator, type SimulatorOptions, startSimulator } from "../../src/index.ts";
import { consent, redirectedTo, send } from "../rig/oauth.ts";

/** The characters that libraries encode in different ways before they put them into Basic (RFC 6749 section 2.3.1). */
export const CLIENT_ID = "client-of.a~library_1";
export const CLIENT_SECRET = "its-secret.~_2";
export const REDIRECT_URI = "http://127.0.0.1:3000/oauth/callback";

/** The ways in which a client can say who it is, by their registered names (RFC 8414 section 2). */
export const authMethods = ["client_secret_basic", "client_secret_post", "none"] as const;
export type AuthMethod = (typeof authMethods)[number];

/** A platform on which one app is registered; a person answers at the consent page, and a reuse at once is one. */
export function startPlatform(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  return startSimulator({
    app: {
      name: "Garden",
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      redirectUris: [REDIRECT_URI],
      scopes: ["project", "glossary"],
    },
    ...options,
    choices: { "oauth.reuse.grace": 0, ...options.choices },
  });
}

/** The listing of projects (interface 4.1). */
export function projectsOf({ url }: RunningSimulator): URL {
  return new URL("/api/v2/projects", url);
}

/** A person's browser: opens the link, presses a button, and stops at the address of the app that it is sent to. */
export async function press(decision: "approve" | "deny", link: string | URL): Promise<URL> {
  const asked = await send(String(link), { headers: { accept: "text/html" } });
  if (asked.status !== 200) return redirectedTo(asked);
  return redirectedTo(await consent({ url: new URL(link).origin }, asked, { decision }));
}
