import { createHash, randomBytes } from "node:crypto";
import { load } from "cheerio";
import { Agent, type Dispatcher, request } from "undici";
import { type RunningSimulator, type SimulatorOptions, startSimulator } from "../../src/index.ts";

/** The app that is registered on the platform of `startPlatform`, and that the defaults below speak for. */
export const garden = {
  name: "Garden",
  clientId: "garden-client",
  clientSecret: "garden-secret",
  appSecret: "garden-app-secret",
  appId: "garden-app",
  redirectUris: ["http://127.0.0.1:3000/oauth/callback", "http://127.0.0.1:3000/back?from=platform&next=%2Fhome"],
  scopes: ["project", "glossary"],
  postImportUsers: [],
  fileOrigins: [],
};

/** Another app on the same platform, for which any scope is good. */
export const orchard = {
  name: "Orchard",
  clientId: "orchard-client",
  clientSecret: "orchard-secret",
  appSecret: "orchard-app-secret",
  appId: "orchard-app",
  redirectUris: ["http://127.0.0.1:3001/callback"],
  scopes: [],
  postImportUsers: [],
  fileOrigins: [],
};

/** The app's only redirect address without a query, which the defaults use. */
export const [REDIRECT_URI = ""] = garden.redirectUris;

type Platform = Pick<RunningSimulator, "url">;

/** A whole answer; redirects are not followed. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Parameters that differ from the defaults: null leaves one out, a list sends it several times. */
export type Changes = Readonly<Record<string, string | readonly string[] | null>>;

/** How a request to the token endpoint is sent; JSON unless told otherwise, which can send nothing twice. */
export interface Sending {
  readonly as?: "json" | "form";
  /** Id and secret go into Basic as they are, and not into the body. */
  readonly basic?: { readonly id: string; readonly secret: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** A token answer (interface 2.7). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

/**
 * A platform on which `garden` and `orchard` are registered, and which approves by itself unless told otherwise. What
 * is used again after its answer is a reuse at once: no test waits for the end of a grace.
 */
export function startPlatform(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const apps = options.app === undefined ? { apps: [garden, orchard] } : {};
  const choices = { "oauth.reuse.grace": 0, ...options.choices };
  return startSimulator({ ...apps, oauth: { consent: "approve" }, ...options, choices });
}

/** A verifier and its challenge by S256 (RFC 7636 section 4). */
export function pkcePair(verifier = randomBytes(32).toString("base64url")): {
  readonly verifier: string;
  readonly challenge: string;
} {
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** The pair of which `authorize` sends the challenge and `exchange` the verifier: that of RFC 7636 appendix B. */
export const proof = pkcePair("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");

/** Changes that do without PKCE, for `authorize` as well as for `exchange`. */
export const noPkce: Changes = { code_challenge: null, code_challenge_method: null, code_verifier: null };

/** The pairs of a request, in the order of the defaults. */
function pairsOf(defaults: Readonly<Record<string, string>>, changes: Changes): [string, string][] {
  return Object.entries({ ...defaults, ...changes }).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );
}

/** An authorization request of `garden` with state, scope and PKCE (interface 5.2). */
export function authorizeUrl({ url }: Platform, changes: Changes = {}): string {
  const defaults = {
    client_id: garden.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "project",
    state: "state-1",
    code_challenge: proof.challenge,
    code_challenge_method: "S256",
  };
  const { code_verifier, ...rest } = changes;
  return `${url}/oauth/authorize?${new URLSearchParams(pairsOf(defaults, rest))}`;
}

/** A browser's visit to the authorization endpoint. */
export function authorize(sim: Platform, changes: Changes = {}): Promise<Answer> {
  return send(authorizeUrl(sim, changes), { headers: { accept: "text/html" } });
}

/** What the form of a consent page would send for this decision, in the name of the user that it proposes or of another. */
export function consentForm(
  page: Answer,
  { decision = "approve", user }: { readonly decision?: string; readonly user?: string } = {},
): Record<string, string> {
  const $ = load(page.body);
  const form = $("form:has([name=decision])");
  const button = form.find(`[name=decision][value=${decision}]`);
  if (button.length !== 1) throw new Error(`the page has no button for ${decision}: ${page.status} ${page.body}`);
  const fields = form.serializeArray().map(({ name, value }) => [name, value]);
  return { ...Object.fromEntries(fields), decision, ...(user === undefined ? {} : { user }) };
}

/** Decides at a consent page, as a browser does. */
export function consent(
  sim: Platform,
  page: Answer,
  choice: { readonly decision?: "approve" | "deny"; readonly user?: string } = {},
): Promise<Answer> {
  const headers = { accept: "text/html", origin: "null", "sec-fetch-site": "same-origin" };
  return postForm(`${sim.url}/oauth/authorize`, Object.entries(consentForm(page, choice)), headers);
}

/** The parameters of the address to which an answer leads. */
export function redirectedTo({ status, headers, body }: Answer): URL {
  if (typeof headers.location !== "string") throw new Error(`no redirect, but ${status} ${body}`);
  return new URL(headers.location);
}

/** A code: the app asks, and the user approves where the platform does not by itself. */
export async function codeFor(sim: Platform, changes: Changes = {}, user?: string): Promise<string> {
  const asked = await authorize(sim, changes);
  const answer = asked.status === 200 ? await consent(sim, asked, user === undefined ? {} : { user }) : asked;
  const code = redirectedTo(answer).searchParams.get("code");
  if (code === null) throw new Error(`no code, but ${answer.headers.location}`);
  return code;
}

/** Exchanges a code for tokens (interface 5.2), as `garden` with secret and verifier; the code is among the changes. */
export function exchange(sim: Platform, changes: Changes, sending: Sending = {}): Promise<Answer> {
  const { code_challenge, code_challenge_method, ...rest } = changes;
  const defaults = { grant_type: "authorization_code", redirect_uri: REDIRECT_URI, code_verifier: proof.verifier };
  return askToken(sim, "/oauth/token", defaults, rest, sending);
}

/** Refreshes tokens (interface 5.3), as `garden` with its secret. */
export function refresh(
  sim: Platform,
  refresh_token: string,
  changes: Changes = {},
  sending: Sending = {},
): Promise<Answer> {
  return askToken(sim, "/oauth/token", { grant_type: "refresh_token", refresh_token }, changes, sending);
}

/** Asks for revocation (RFC 7009) or introspection (RFC 7662), as `garden` with its secret. */
export function manage(
  sim: Platform,
  endpoint: "revoke" | "introspect",
  token: string,
  changes: Changes = {},
  sending: Sending = { as: "form" },
): Promise<Answer> {
  return askToken(sim, `/oauth/${endpoint}`, { token }, changes, sending);
}

function askToken(
  { url }: Platform,
  path: string,
  defaults: Readonly<Record<string, string>>,
  changes: Changes,
  { as = "json", basic, headers = {} }: Sending,
): Promise<Answer> {
  const secrets = { client_id: garden.clientId, client_secret: garden.clientSecret };
  const pairs = pairsOf({ ...defaults, ...(basic === undefined ? secrets : {}) }, changes);
  const encoded = basic && Buffer.from(`${basic.id}:${basic.secret}`).toString("base64");
  const all = { ...headers, ...(encoded === undefined ? {} : { authorization: `Basic ${encoded}` }) };
  if (as === "form") return postForm(url + path, pairs, all);
  return postJson(url + path, Object.fromEntries(pairs), all);
}

/** The tokens of a whole flow: the app asks, the user approves, the code is exchanged. */
export async function tokens(sim: Platform, changes: Changes = {}, user?: string): Promise<TokenAnswer> {
  const code = await codeFor(sim, changes, user);
  const { code_verifier = proof.verifier } = changes;
  return tokensOf(await exchange(sim, { code, code_verifier }));
}

/** The tokens of an answer that has some. */
export function tokensOf(answer: Answer): TokenAnswer {
  if (answer.status !== 200) throw new Error(`no tokens, but ${answer.status} ${answer.body}`);
  return JSON.parse(answer.body) as TokenAnswer;
}

/** The status and error code of a refusal by the token endpoint, such as `400 invalid_grant`; `200` for tokens. */
export function verdictOf({ status, body }: Answer): string {
  return `${status} ${(JSON.parse(body) as { error?: string }).error ?? ""}`.trim();
}

/** A call to the REST API (interface 5.4); without a token if that is null. */
export function callApi(
  { url }: Platform,
  token: string | null,
  path = "/api/v2/projects",
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return send(url + path, { headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers } });
}

/** Posts a value as JSON. */
export function postJson(url: string, value: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const body = JSON.stringify(value);
  return send(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
}

/** Posts pairs as a form; a name may be there twice. */
export function postForm(
  url: string,
  pairs: readonly (readonly [string, string])[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return send(url, { method: "POST", headers: { ...type, ...headers }, body });
}

/** Connections are kept and many: requests of a test that belong together arrive together. */
const agent = new Agent({ connections: 64 });

/** One request as it is: these headers, this body, no redirect followed. */
export async function send(
  url: string,
  asking: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
  } = {},
): Promise<Answer> {
  const { method = "GET", headers = {}, body } = asking;
  const answer = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...headers },
    body: body ?? null,
    dispatcher: agent,
  });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
}
