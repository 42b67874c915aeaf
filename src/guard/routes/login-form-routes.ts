import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { randomIds } from "../../app-client/ports.ts";
import { ipAddressSchema } from "../../config/ip-address.ts";
import type { UnderWay } from "../../platform/under-way.ts";
import { UsageError } from "../../protocol/usage-error.ts";
import type { OnBug } from "../../web/errors.ts";
import { type Form, type FormTokens, readForm } from "../../web/forms.ts";
import { loginPath, oneLoginPath } from "../../web/login-paths.ts";
import { refuseOtherMethods } from "../../web/methods.ts";
import { type Message, sendMessage, sendPage } from "../../web/send-page.ts";
import type { LoginPerson } from "../login/login-session.ts";
import type { Logins } from "../login/logins.ts";
import { loginFormPage } from "../pages/login-form-page.ts";

/** What the routes of the login's pages work with. */
export interface LoginParts {
  readonly logins: Logins;
  readonly tokens: FormTokens;
  readonly underWay: UnderWay;
  readonly onBug: OnBug;
}

/** Whoever sits before the browser acts by the forms of the pages. */
const personAtBrowser: LoginPerson = { atStage() {}, atPage() {} };

/** The page on which a login begins (interface 3.1): GET shows it, POST begins a login with the password. */
export function loginFormRoutes(scope: FastifyInstance, parts: LoginParts): void {
  const { logins, tokens } = parts;
  const path = loginPath(logins.domain);

  scope.get(path, (_, reply) => {
    const { domain, users, usualUser, usualIpAddress: ipAddress } = logins;
    const token = tokens.tokenFor(path);
    const page = loginFormPage({ domain, users, chosen: usualUser?.login ?? "", ipAddress, token });
    return sendPage(reply, 200, page);
  });

  scope.post(path, async (request, reply) => {
    const form = readForm(request, reply, tokens, path);
    if (form === null) return reply;
    return begin(request, reply, parts, form);
  });

  refuseOtherMethods(scope, path, ["GET", "HEAD", "POST"]);
}

async function begin(
  request: FastifyRequest,
  reply: FastifyReply,
  { logins, underWay, onBug }: LoginParts,
  { login: name = "", password = "", ip = logins.usualIpAddress }: Form,
): Promise<FastifyReply> {
  const again = { address: loginPath(logins.domain), text: "Try again" };
  const refuse = (status: number, message: Message) => sendMessage(request, reply, status, { ...message, link: again });
  const user = logins.users.find(({ login }) => login === name);
  if (user === undefined) {
    const known = `users: ${logins.users.map(({ login }) => login).join(", ")}`;
    return refuse(400, { title: "Nobody has this login name", reason: `there is no user "${name}"`, hint: known });
  }
  const ipAddress = ipAddressSchema(z).safeParse(ip);
  if (!ipAddress.success) {
    const hint = "such as 203.0.113.10 or 2001:db8::10";
    return refuse(400, { title: "This is no IP address", reason: `"${ip}" is neither IPv4 nor IPv6`, hint });
  }
  const title = "The login could not begin";
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
