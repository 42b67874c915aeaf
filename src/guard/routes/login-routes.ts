import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type Form, readForm } from "../../web/forms.ts";
import { loginPath, oneLoginPath } from "../../web/login-paths.ts";
import { refuseOtherMethods } from "../../web/methods.ts";
import { sendMessage, sendPage } from "../../web/send-page.ts";
import type { LoginSession } from "../login/login-session.ts";
import { loginPage } from "../pages/login-page.ts";
import { viewWithoutSecrets } from "../pages/view-without-secrets.ts";
import type { LoginParts } from "./login-form-routes.ts";

type LoginRequest = FastifyRequest<{ Params: { id: string } }>;

const answer = z.enum(["yes", "no"]).transform((value) => value === "yes");
const stageForms = z.discriminatedUnion("stage", [
  z.object({ stage: z.literal("password"), password: z.string() }),
  z.object({ stage: z.literal("mfa"), code: z.string() }),
  z.object({ stage: z.literal("device-trust"), trusted: answer }),
  z.object({ stage: z.literal("remember-me"), remember: answer }),
]);

/** The page of one login (interface 3.1): GET shows it as it is now, POST enters what a stage asks for. */
export function loginRoutes(scope: FastifyInstance, parts: LoginParts): void {
  const { logins, tokens } = parts;
  const path = oneLoginPath(logins.domain, ":id");

  scope.get(path, (request: LoginRequest, reply) => {
    const login = findLogin(request, reply, parts);
    if (login === null) return reply;
    logins.audience.served(login);
    return showLogin(reply, parts, login);
  });

  scope.post(path, (request: LoginRequest, reply) => {
    const login = findLogin(request, reply, parts);
    const form = login && readForm(request, reply, tokens, login.id);
    if (login === null || form === null) return reply;
    const input = stageForms.safeParse(form);
    if (!input.success) {
      const title = "This form is not complete";
      return sendMessage(request, reply, 400, { title, reason: "a field is missing", hint: null });
    }
    if (isUpToDate(login, form)) login.enter(input.data);
    return reply.redirect(oneLoginPath(logins.domain, login.id), 303);
  });

  scope.get(`${path}/authenticator`, (request: LoginRequest, reply) => {
    const login = findLogin(request, reply, parts);
    return login === null ? reply : reply.send(login.authenticator());
  });

  refuseOtherMethods(scope, path, ["GET", "HEAD", "POST"]);
  refuseOtherMethods(scope, `${path}/authenticator`, ["GET", "HEAD"]);
}

/** The login that a request is about; null: it is not known, and the answer says so. */
export function findLogin(request: LoginRequest, reply: FastifyReply, { logins }: LoginParts): LoginSession | null {
  const login = logins.find(request.params.id);
  if (login === null) {
    void sendMessage(request, reply, 404, {
      title: "This login is not known",
      reason: "it never began, or is long over",
      hint: "app-sim remembers the last logins that ended; when it is started again, it knows none",
      link: { address: loginPath(logins.domain), text: "Begin another login" },
    });
  }
  return login;
}

/** Whether a form is of the try that the login is at: one of a stale tab, or sent twice, must not count. */
function isUpToDate(login: LoginSession, { stage, failures }: Form): boolean {
  const { current, stages } = login.view();
  const now = current === null ? undefined : stages[current];
  return now !== undefined && now.stage === stage && String(now.failures.length) === failures;
}

async function showLogin(reply: FastifyReply, parts: LoginParts, login: LoginSession): Promise<FastifyReply> {
  const { logins, tokens } = parts;
  const interaction = login.interaction();
  const url = await interaction?.pageUrl();
  // It went on while the token of the page was being signed.
  if (login.interaction() !== interaction) return showLogin(reply, parts, login);
  if (interaction !== null && url !== undefined && interaction.guard.module.type === "redirect") {
    return reply.redirect(url, 302);
  }
  const view = viewWithoutSecrets(login.view(), logins.withoutSecrets(login));
  const user = logins.users.find(({ id }) => id === view.user.id);
  if (user === undefined) throw new TypeError(`no user ${view.user.id} is configured`);
  const frame =
    interaction === null || url === undefined
      ? null
      : { url, state: interaction.state, timeLeftMs: interaction.timeLeft() };
  const { attempts } = logins;
  const facts = { view, user, attempts, token: tokens.tokenFor(login.id), authenticator: login.authenticator(), frame };
  return sendPage(reply, 200, loginPage(facts));
}
