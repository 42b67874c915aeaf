import type { CallFacts } from "../app-client/refusal-hints.ts";
import { readChoices } from "../config/choices.ts";
import type { App } from "../config/schema.ts";
import type { OAuthRecord } from "../journal/record.ts";
import type { SimulatorContext } from "./context.ts";
import { claimNamesOf } from "./module-token.ts";
import { refusalAmong } from "./own-requests.ts";
import { isAsymmetric } from "./tokens.ts";

/** Where pages get their token, and imports too by the choice `postImport.auth`. */
export const IN_QUERY = "in the query, as jwtToken";

/**
 * What is known about a call with a JWT, to explain a refusal.
 * @param module its key
 * @param sentAs where the token is, in words
 */
export function tokenFacts(
  { config: { organization }, choices }: Pick<SimulatorContext, "config" | "choices">,
  { clientId }: Pick<App, "clientId">,
  module: string,
  sentAs = "as Authorization: Bearer",
): CallFacts {
  const { peek } = readChoices(choices);
  const algorithm = peek("guard.jwt.algorithm");
  const secret = peek("guard.jwt.key") === "client-secret" ? ("CLIENT_SECRET" as const) : ("APP_SECRET" as const);
  const template = peek("guard.jwt.claims");
  const { add = {}, rename = {}, drop = [] } = template;
  const has = (name: "aud" | "iat" | "exp") =>
    !Object.hasOwn(rename, name) && !drop.includes(name) && !Object.hasOwn(add, name);
  const token = {
    algorithm,
    verifiedWith: isAsymmetric(algorithm)
      ? "the platform's public key, which it serves at /.well-known/jwks.json"
      : `the PLATFORM_${secret} that \`app-sim env\` prints`,
    secret: isAsymmetric(algorithm) ? null : secret,
    sentAs,
    audience: has("aud") ? clientId : add.aud,
    issuer: add.iss,
    claims: claimNamesOf(template),
    lifetime: has("iat") && has("exp") ? peek("guard.jwt.lifetime") : null,
    module,
    organization: organization.id,
    hasInstallEvent: peek("install.event") === "on",
  };
  return { by: "token", token };
}

/** What is known about the request for a guard's page, which is opened after the guard's own call was accepted. */
export function pageFacts(
  context: Pick<SimulatorContext, "config" | "choices">,
  app: Pick<App, "clientId">,
  module: string,
): CallFacts {
  return { ...tokenFacts(context, app, module, IN_QUERY), tookBefore: "call" };
}

/** Adds what happened during the call, and, if the app refused it, whether the app is installed at all. */
export async function withCircumstances(
  { choices, isInstalled }: Pick<SimulatorContext, "choices" | "isInstalled">,
  app: App,
  facts: CallFacts,
  { status, ownRequests }: { readonly status: number; readonly ownRequests: readonly OAuthRecord[] },
): Promise<CallFacts> {
  const refusedMeanwhile = refusalAmong(ownRequests);
  const isRefused = status === 401 || status === 403;
  // Without installation events every app counts as installed.
  if (!isRefused || choices["install.event"] === "off") return { ...facts, refusedMeanwhile };
  return { ...facts, refusedMeanwhile, isInstalled: await isInstalled(app) };
}
