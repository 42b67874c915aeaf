import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { randomIds } from "../app-client/ports.ts";
import { ipAddressSchema } from "../config/ip-address.ts";
import type { LoginPerson, LoginSession } from "../guard/login/login-face.ts";
import { viewWithoutSecrets } from "../guard/login/login-view.ts";
import type { Logins } from "../guard/login/logins.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { UnderWay } from "../platform/under-way.ts";
import { schemaParts } from "../protocol/schema-parts.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { type Form, readForm } from "../web/forms.ts";
import { loginPath, oneLoginPath } from "../web/login-paths.ts";
import { refuseOtherMethods } from "../web/methods.ts";
import type { Site } from "../web/routes.ts";
import { type Message, sendMessage, sendPage } from "../web/send-page.ts";
import { liveState, loginPage } from "./login-page.ts";
import { loginFormPage } from "./stage-forms.ts";

/** What the routes of the login's pages need. */
export interface LoginRouteParts extends Site {
  readonly logins: Logins;
  readonly underWay: UnderWay;
  /** An exchange as lines without secrets, by its id. */
  readonly exchange: (id: string) => readonly string[];
}

export type LoginRequest = FastifyRequest<{ Params: { id: string } }>;

/** A user in a browser acts through the forms of the pages. */
const personAtBrowser: LoginPerson = { atStage() {}, atPage() {} };

/** The page on which a login starts (interface 3.1): GET shows it, POST starts a login with the password. */
export function loginFormRoutes(scope: FastifyInstance, parts: LoginRouteParts): void {
  const { logins, tokens } = parts;
  const path = loginPath(logins.domain);

  scope.get(path, (_, reply) => {
    const { domain, users, usualUser, usualIpAddress: ipAddress } = logins;
    const token = tokens.tokenFor(path);
    return sendPage(reply, 200, loginFormPage({ domain, users, chosen: usualUser?.login ?? "", ipAddress, token }));
  });

  scope.post(path, async (request, reply) => {
    const form = readForm(request, reply, tokens, path);
    return form === null ? reply : begin(request, reply, parts, form);
  });

  refuseOtherMethods(scope, path, ["GET", "HEAD", "POST"]);
}

async function begin(
  request: FastifyRequest,
  reply: FastifyReply,
  { logins, underWay, onBug }: LoginRouteParts,
  { login: name = "", password = "", ip = logins.usualIpAddress }: Form,
): Promise<FastifyReply> {
  const again = { address: loginPath(logins.domain), text: "Try again" };
  const refuse = (status: number, message: Message) => sendMessage(request, reply, status, { ...message, link: again });
  const user = logins.users.find(({ login }) => login === name);
  if (user === undefined) {
    const hint = `users: ${logins.users.map(({ login }) => login).join(", ")}`;
    return refuse(400, { title: "No user has this login name", reason: `there is no user "${name}"`, hint });
  }
  const ipAddress = ipAddressSchema(schemaParts).safeParse(ip);
  if (!ipAddress.success) {
    const hint = "such as 203.0.113.10 or 2001:db8::10";
    return refuse(400, { title: "This is not an IP address", reason: `"${ip}" is neither IPv4 nor IPv6`, hint });
  }
  const title = "The login could not start";
  try {
    const options = { page: "wait", manual: true, ipAddress: ipAddress.data } as const;
    const begun = await underWay.add(logins.begin(user, options, personAtBrowser));
    if (!begun.ok) {
      const { reason, hint } = begun.result;
      const hide = (text: string | null) => text && logins.withoutSecrets(null)(text);
      return refuse(502, { title, reason: hide(reason), hint: hide(hint) });
    }
    begun.login.result.catch((bug: unknown) => onBug(randomIds.next(), bug));
    begun.login.enter({ stage: "password", password });
    return reply.redirect(oneLoginPath(logins.domain, begun.login.id), 303);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { summary, hint, problems } = error;
    return refuse(502, { title, reason: summary, hint, problems });
  }
}

const answer = z.enum(["yes", "no"]).transform((value) => value === "yes");
const stageForms = z.discriminatedUnion("stage", [
  z.object({ stage: z.literal("password"), password: z.string() }),
  z.object({ stage: z.literal("mfa"), code: z.string() }),
  z.object({ stage: z.literal("device-trust"), trusted: answer }),
  z.object({ stage: z.literal("remember-me"), remember: answer }),
]);

/** The page of one login (interface 3.1): GET shows its current state, POST enters what a stage asks for. */
export function loginRoutes(scope: FastifyInstance, parts: LoginRouteParts): void {
  const { logins, tokens } = parts;
  const path = oneLoginPath(logins.domain, ":id");

  scope.get(path, (request: LoginRequest, reply) => {
    const login = findLogin(request, reply, logins);
    if (login === null) return reply;
    logins.audience.served(login);
    return showLogin(reply, parts, login);
  });

  scope.post(path, (request: LoginRequest, reply) => {
    const login = findLogin(request, reply, logins);
    const form = login && readForm(request, reply, tokens, login.id);
    if (login === null || form === null) return reply;
    const input = stageForms.safeParse(form);
    if (!input.success) {
      const title = "This form is incomplete";
      return sendMessage(request, reply, 400, { title, reason: "a field is missing", hint: null });
    }
    if (isUpToDate(login, form)) login.enter(input.data);
    return reply.redirect(oneLoginPath(logins.domain, login.id), 303);
  });

  scope.get(`${path}/authenticator`, (request: LoginRequest, reply) => {
    const login = findLogin(request, reply, logins);
    return login === null ? reply : reply.send(login.authenticator());
  });

  scope.get(`${path}/events`, { exposeHeadRoute: false }, (request: LoginRequest, reply) => {
    const login = findLogin(request, reply, logins);
    if (login === null) return reply;
    if (login.view().result !== null) return reply.code(204).send();
    sendEvents(reply, logins, login);
    return reply;
  });

  refuseOtherMethods(scope, path, ["GET", "HEAD", "POST"]);
  refuseOtherMethods(scope, `${path}/authenticator`, ["GET", "HEAD"]);
  refuseOtherMethods(scope, `${path}/events`, ["GET"]);
}

/** The login that a request is about; null: unknown, and the answer says so. */
export function findLogin(request: LoginRequest, reply: FastifyReply, logins: Logins): LoginSession | null {
  const login = logins.find(request.params.id);
  if (login === null) {
    void sendMessage(request, reply, 404, {
      title: "Unknown login",
      reason: "it never existed, or ended long ago",
      hint: "app-sim remembers only the most recent logins, and none after a restart",
      link: { address: loginPath(logins.domain), text: "Start another login" },
    });
  }
  return login;
}

/** Whether a form belongs to the current try: a form from a stale tab, or sent twice, must not count. */
function isUpToDate(login: LoginSession, { stage, failures }: Form): boolean {
  const { current, stages } = login.view();
  const now = current === null ? undefined : stages[current];
  return now !== undefined && now.stage === stage && String(now.failures.length) === failures;
}

async function showLogin(reply: FastifyReply, parts: LoginRouteParts, login: LoginSession): Promise<FastifyReply> {
  const { logins, tokens, exchange } = parts;
  const interaction = login.interaction();
  const url = await interaction?.pageUrl();
  // The login moved on while the page's token was being signed.
  if (login.interaction() !== interaction) return showLogin(reply, parts, login);
  if (url !== undefined && interaction?.guard.module.type === "redirect") return reply.redirect(url, 302);
  const view = viewWithoutSecrets(login.view(), logins.withoutSecrets(login));
  const user = logins.users.find(({ id }) => id === view.user.id);
  if (user === undefined) throw new TypeError(`no user ${view.user.id} is configured`);
  const isFramed = interaction !== null && url !== undefined;
  const frame = isFramed ? { url, state: interaction.state, timeLeftMs: interaction.timeLeft() } : null;
  const { attempts } = logins;
  const authenticator = login.authenticator();
  const facts = { view, user, attempts, token: tokens.tokenFor(login.id), authenticator, frame, exchange };
  return sendPage(reply, 200, loginPage(facts));
}

/**
 * Sends the event stream that keeps the open pages of a login in sync with it and with the terminal: one event
 * immediately, then one after every visible change. It ends with the login; 204 then keeps a browser from reconnecting.
 */
function sendEvents(reply: FastifyReply, logins: Logins, login: LoginSession): void {
  reply.hijack();
  const { raw } = reply;
  raw.setHeaders(new Headers({ ...BASE_HEADERS, "content-type": "text/event-stream" }));
  let sent = "";
  const send = () => {
    const view = viewWithoutSecrets(login.view(), logins.withoutSecrets(login));
    const data = JSON.stringify(liveState(view));
    if (data !== sent) raw.write(`data: ${data}\n\n`);
    sent = data;
    if (view.result !== null) raw.end();
  };
  raw.once("close", login.subscribe(send));
  send();
}
