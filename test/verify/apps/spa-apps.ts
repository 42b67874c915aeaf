import type { IncomingMessage } from "node:http";
import { Refusal, readBody } from "../../../examples/sample-app/http.js";
import { personOf, verifyToken } from "../../../examples/sample-app/jwt.js";
import type { PageAppKind } from "./page-apps.ts";

/** What a single-page app does at the places where it may be wrong. */
interface Spa {
  /** Reads the token of the call with which the page gets its code. */
  readonly readToken: typeof verifyToken;
  /** Whom the code is for. */
  userOf(claims: Record<string, unknown>, body: Record<string, unknown>): unknown;
  /** Where the user goes with the outcome. */
  returnTo(login: {
    readonly authUrl: string;
    readonly domain: string;
    readonly state: string;
    readonly query: URLSearchParams;
    readonly outcome: Readonly<Record<string, string>>;
    /** What `extra` was. */
    readonly sent: unknown;
  }): string;
  /** Whether the user accepted. */
  isYes(answer: unknown): boolean;
  /** What the page's script sends with each call, as an expression; default nothing. */
  readonly extra: string;
  /** What the page's script does at last, as a statement; default nothing. */
  readonly atLast: string;
  /** Whether the app takes a call with these members and headers. */
  takes(body: Record<string, unknown>, headers: IncomingMessage["headers"]): boolean;
  /** What the page asks its app for at first, given a code; null: nothing. */
  readonly session: ((code: string) => Readonly<Record<string, string>>) | null;
  /** The PIN that the page asks for; null: none. */
  readonly pin: string | null;
  /** What the page's script does if its call is refused, as a statement; default nothing. */
  readonly refused: string;
  /** Whether this is that PIN. */
  isPin(typed: unknown, pin: string, body: Record<string, unknown>): boolean;
  /** Whether the refusal of a wrong PIN says where the right one leads. */
  readonly refusesWithNext: boolean;
  /** Headers of the answer to the call. */
  headers(request: IncomingMessage): Record<string, string>;
}

const right: Spa = {
  readToken: verifyToken,
  userOf: ({ userId }) => userId,
  returnTo: ({ authUrl, domain, state, outcome }) =>
    `${authUrl}/${domain}/guard/callback?${new URLSearchParams({ state, ...outcome })}`,
  isYes: (answer) => answer === "yes",
  extra: "null",
  atLast: "",
  takes: () => true,
  session: null,
  pin: null,
  refused: "",
  isPin: (typed, pin) => typed === pin,
  refusesWithNext: false,
  headers: () => ({}),
};

/**
 * A single-page app: its script draws the page of a redirect guard, sends the token and the answer to the app, and goes
 * to the address in what comes back.
 */
function spaWith(given: Partial<Spa>): PageAppKind {
  const spa = { ...right, ...given };
  const { readToken, userOf, returnTo, isYes, extra, atLast, takes, session, pin, refused, headers } = spa;
  return {
    type: "redirect",
    ...(pin === null ? {} : { pass: { fill: { pin }, press: "Trust this device" } }),
    routes: (settings, codes) => ({
      "GET /session": async (request) => {
        const query = new URL(request.url ?? "", "http://app").searchParams;
        const claims = await verifyToken(query.get("jwtToken") ?? "", "check", settings);
        const code = codes.issue({ ...personOf(claims as never), moduleKey: "check" });
        return {
          status: 200,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(session?.(code) ?? {}),
        };
      },
      "GET /page": async (request) => {
        const query = new URL(request.url ?? "", "http://app").searchParams;
        await verifyToken(query.get("jwtToken") ?? "", "check", settings);
        return {
          status: 200,
          headers: { "content-type": "text/html", "content-security-policy": "frame-ancestors 'none'" },
          body: `<!doctype html><title>Check</title><main></main><script>
const query = new URLSearchParams(location.search);
${session === null ? "" : 'fetch("/session" + location.search);'}
${pin === null ? "" : 'document.querySelector("main").innerHTML = \'<label>PIN <input name="pin"></label>\';'}
const platform = ${JSON.stringify(settings.authUrl)};
const typed = () => document.querySelector("input")?.value;
for (const [text, answer] of [["Trust this device", "yes"], ["No, thanks", "no"]]) {
  const button = document.createElement("button");
  button.textContent = text;
  button.onclick = async () => {
    const answered = await fetch("/trust" + location.search, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer " + query.get("jwtToken") },
      body: JSON.stringify({ state: query.get("state"), answer, pin: typed(), extra: ${extra} }),
    });
    ${refused}
    location.assign((await answered.json()).next);
  };
  document.querySelector("main").append(button);
}
${atLast}
</script>`,
        };
      },
      "POST /trust": async (request) => {
        const query = new URL(request.url ?? "", "http://app").searchParams;
        const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
        if (token === undefined) throw new Refusal(401, "There is no token.");
        const claims = await readToken(token, "check", settings);
        const body = JSON.parse((await readBody(request, 65_536)).toString()) as Record<string, unknown>;
        const isWrong = pin !== null && !spa.isPin(body.pin, pin, body);
        if (isWrong && !spa.refusesWithNext) throw new Refusal(422, "This PIN is wrong.");
        if (!takes(body, request.headers)) throw new Refusal(403, "This call is not taken.");
        const person = personOf(claims as never);
        const userId = userOf({ userId: person.userId }, body) as number;
        const outcome: Readonly<Record<string, string>> = isYes(body.answer)
          ? { code: codes.issue({ ...person, userId, moduleKey: "check" }) }
          : { error: "This device is not trusted" };
        const login = {
          authUrl: settings.authUrl,
          domain: String(claims.domain),
          state: String(body.state),
          query,
          sent: body.extra,
        };
        return {
          status: isWrong ? 422 : 200,
          headers: { "content-type": "application/json", ...headers(request) },
          body: JSON.stringify({ next: returnTo({ ...login, outcome }) }),
        };
      },
    }),
  };
}

/** Right, except that a script leads back in place of a redirect. */
export const spaApp = spaWith({
  extra: "{ platform, domain: 'acme' }",
  atLast: 'document.querySelector("main").append(query.get("state"));',
});

const asksAgain = 'if (!answered.ok) return document.querySelector("main").append("This PIN is wrong.");';

/** The same, with a PIN that it asks for until it is right, and with data that its script asks for at first. */
export const pinSpa = spaWith({
  pin: "2468",
  refused: asksAgain,
  extra: "{ platform, domain: 'acme' }",
  session: () => ({ greeting: "Good-morning", ticket: "c1f2a97be0" }),
});

/** The same, which remembers the state of the last login. */
export const rememberingApp = spaWith({
  atLast: 'localStorage.state = sessionStorage.state = query.get("state");',
});

/** The same, with a number in each call that is good only once. */
export function onceApp(): PageAppKind {
  const seen = new Set<unknown>();
  const takes = ({ extra }: Record<string, unknown>) => !seen.has(extra) && seen.add(extra) !== null;
  return spaWith({ extra: "crypto.getRandomValues(new Uint32Array(1))[0]", takes });
}

/** Reads a token without verifying it. */
const decodeOnly: typeof verifyToken = async (token) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

/** The same with one fault each, and the check that finds it. */
export const faultySpas: readonly (readonly [what: string, kind: PageAppKind, id: string])[] = [
  [
    "leads to where its address says",
    spaWith({
      returnTo: ({ query, ...login }) =>
        query.has("return_to")
          ? `${query.get("return_to")}?code=${login.outcome.code}`
          : right.returnTo({ query, ...login }),
    }),
    "page.return.lead-away",
  ],
  [
    "does not encode the state",
    spaWith({
      returnTo: ({ authUrl, domain, state, outcome }) =>
        `${authUrl}/${domain}/guard/callback?${new URLSearchParams(outcome)}&state=${state}`,
    }),
    "page.return.state-reserved",
  ],
  [
    "leads to a callback without a domain",
    spaWith({ returnTo: ({ domain, ...login }) => right.returnTo({ ...login, domain }).replace(`/${domain}/`, "/") }),
    "page.return.address",
  ],
  [
    "leads to the same organization always",
    spaWith({ returnTo: (login) => right.returnTo({ ...login, domain: "acme" }) }),
    "page.return.domain",
  ],
  [
    "puts the code after the #",
    spaWith({ returnTo: (login) => right.returnTo(login).replace("?", "#") }),
    "page.return.query",
  ],
  [
    "encodes its error twice",
    spaWith({
      returnTo: ({ outcome, ...login }) => {
        const { error } = outcome;
        return right.returnTo({
          ...login,
          outcome: error === undefined ? outcome : { error: encodeURIComponent(error) },
        });
      },
    }),
    "page.error.encoded",
  ],
  ["gives a code to a user who declines", spaWith({ isYes: (answer) => answer !== "" }), "page.error.decline"],
  [
    "does not verify the token of its call",
    spaWith({
      readToken: decodeOnly,
    }),
    "page.frame-request.token.other-secret",
  ],
  [
    "takes only calls of its own pages, and does not verify their token",
    spaWith({
      takes: (_, headers) => headers["sec-fetch-site"] === "same-origin",
      readToken: decodeOnly,
    }),
    "page.frame-request.token.other-secret",
  ],
  [
    "believes its page who the user is",
    spaWith({ userOf: ({ userId }, body) => Number(body.userId ?? userId) }),
    "page.frame-request.added-user",
  ],
  [
    "gets its code before anybody has pressed anything",
    spaWith({
      atLast: `const early = fetch("/trust" + location.search, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer " + query.get("jwtToken") },
  body: JSON.stringify({ state: query.get("state"), answer: "yes" }),
}).then((answered) => answered.json());
document.querySelector("button").onclick = async () => location.assign((await early).next);`,
    }),
    "page.code.early",
  ],
  [
    "leads to where its call says",
    spaWith({
      extra: "{ platform }",
      returnTo: ({ sent, ...login }) =>
        right.returnTo({ ...login, sent, authUrl: (sent as { platform: string }).platform }),
    }),
    "page.frame-request.lead-away",
  ],
  [
    "leads to the organization that its call says",
    spaWith({
      extra: '"acme"',
      returnTo: ({ sent, ...login }) => right.returnTo({ ...login, sent, domain: String(sent) }),
    }),
    "page.frame-request.lead-away",
  ],
  [
    "is told a code at first, and uses another one in the end",
    spaWith({ session: (code) => ({ code }) }),
    "page.code.early",
  ],
  [
    "is told the PIN at first",
    spaWith({ pin: "2468", session: () => ({ expected: "2468" }) }),
    "page.form.password-inside",
  ],
  [
    "does not compare a PIN of 0",
    spaWith({ pin: "2468", isPin: (typed, pin) => typed === pin || typed === "0" }),
    "page.frame-request.wrong-password",
  ],
  [
    "compares PINs as numbers",
    spaWith({ pin: "0815", isPin: (typed, pin) => typeof typed === "string" && Number(typed) === Number(pin) }),
    "page.frame-request.wrong-password",
  ],
  [
    "leaves its button disabled after a wrong PIN",
    spaWith({ pin: "2468", refused: "if (!answered.ok) return void (button.disabled = true);" }),
    "page.form.mistyped",
  ],
  [
    "sends no second PIN",
    spaWith({ pin: "2468", refused: "if (!answered.ok) return void (button.onclick = null);" }),
    "page.form.mistyped",
  ],
  [
    "takes any PIN with a word from development",
    spaWith({ pin: "2468", isPin: (typed, pin, { debug }) => typed === pin || debug === true }),
    "page.frame-request.switches",
  ],
  [
    "says in the refusal of a wrong PIN where the right one leads",
    spaWith({ pin: "2468", refusesWithNext: true }),
    "page.frame-request.wrong-password",
  ],
  [
    "shows its state as markup",
    spaWith({ atLast: 'document.querySelector("main").insertAdjacentHTML("beforeend", query.get("state"));' }),
    "page.text.scripts-escape",
  ],
  [
    "keeps its address for the next time",
    spaWith({ extra: '(localStorage.setItem("login", location.href), null)' }),
    "page.form.left",
  ],
  [
    "goes on with the state of the first login in its browser",
    spaWith({ atLast: 'query.set("state", localStorage.state ??= query.get("state"));' }),
    "page.logins.switched",
  ],
  [
    "goes on with the token of the first login in its browser",
    spaWith({ atLast: 'query.set("jwtToken", localStorage.login ??= query.get("jwtToken"));' }),
    "page.logins.switched",
  ],
  [
    "returns with the state of the first login in its tab",
    spaWith({ atLast: 'query.set("state", sessionStorage.state ??= query.get("state"));' }),
    "page.logins.switched",
  ],
  [
    "goes on with the token of the first login in its tab",
    spaWith({ atLast: 'query.set("jwtToken", sessionStorage.login ??= query.get("jwtToken"));' }),
    "page.logins.switched",
  ],
  [
    "goes on with the state of the last login in its browser",
    spaWith({
      atLast: `localStorage.state = query.get("state");
document.querySelector("main").addEventListener("click", () => query.set("state", localStorage.state), true);`,
    }),
    "page.logins.two-tabs",
  ],
  [
    "goes on with the state of the last login in its browser, and leaves nothing there",
    spaWith({
      atLast: `localStorage.state = query.get("state");
const takeState = () => { query.set("state", localStorage.state ?? query.get("state")); localStorage.clear(); };
document.querySelector("main").addEventListener("click", takeState, true);`,
    }),
    "page.logins.two-tabs",
  ],
  [
    "goes on with the token of the last login in its browser",
    spaWith({
      atLast: `localStorage.login = query.get("jwtToken");
document.querySelector("main").addEventListener("click", () => query.set("jwtToken", localStorage.login), true);`,
    }),
    "page.logins.two-tabs",
  ],
  [
    "lets every site read the answer to its call",
    spaWith({
      headers: ({ headers: { origin = "*" } }) => ({
        "access-control-allow-origin": origin,
        "access-control-allow-credentials": "true",
      }),
    }),
    "page.frame-request.other-site",
  ],
];
