import type { ChoiceReader, Choices } from "../config/choices.ts";
import type { App, Organization, Project, User } from "../config/schema.ts";
import { makeCallCode } from "./call-code.ts";
import type { SimulatorContext } from "./context.ts";

export interface ModuleTokenSubject {
  readonly app: App;
  readonly organization: Organization;
  readonly user: User;
  /** Key of the module that is called. */
  readonly module: string;
  /** Only for calls that concern a project. */
  readonly project?: Pick<Project, "id" | "identifier">;
}

/** The JWT for one call to a module of the app, issued now (interface 5.1). */
export function moduleToken(
  context: SimulatorContext,
  choices: ChoiceReader,
  subject: Omit<ModuleTokenSubject, "organization">,
): Promise<string> {
  return context.signer.sign(claimsNow(context, choices, subject), subject.app, choices);
}

/** The claims of that JWT, issued now. */
export function claimsNow(
  context: SimulatorContext,
  choices: ChoiceReader,
  subject: Omit<ModuleTokenSubject, "organization">,
): Record<string, unknown> {
  const { clock, ids, config } = context;
  const { organization } = config;
  const now = Math.floor(clock.now() / 1000);
  const lifetime = choices.get("guard.jwt.lifetime");
  const code = takesCode(context, choices, subject.app) ? makeCallCode(subject.app, now + lifetime, ids.next()) : null;
  return moduleClaims(
    { ...subject, organization },
    { now, lifetime, jti: ids.secret(), code },
    choices.get("guard.jwt.claims"),
  );
}

/** Whether an app exchanges a code from each call for its tokens, according to its manifest. */
function takesCode({ identities }: SimulatorContext, choices: ChoiceReader, { clientId }: App): boolean {
  const grant = identities.get(clientId)?.grant ?? null;
  // If the app names no grant, the result does not depend on the choice.
  return grant !== null && grant === choices.get("oauth.grant.callCode");
}

/** What differs between tokens: `now` in seconds since the epoch, `lifetime` in seconds. */
interface TokenFacts {
  readonly now: number;
  readonly lifetime: number;
  readonly jti: string;
  /** A code to exchange for a token, if the app uses that grant (choice `oauth.grant.callCode`). */
  readonly code: string | null;
}

/**
 * The claims of that JWT. Times are in whole seconds, so without `jti` two calls within a second would carry the same
 * token: an app that accepts each token once would now and then refuse the second.
 */
export function moduleClaims(
  { app, organization, user, module, project }: ModuleTokenSubject,
  { now, lifetime, jti, code }: TokenFacts,
  template: Choices["guard.jwt.claims"],
): Record<string, unknown> {
  const standard: Record<StandardClaim, unknown> = {
    aud: app.clientId,
    sub: String(user.id),
    domain: organization.domain,
    module,
    context: {
      organization_id: organization.id,
      organization_domain: organization.domain,
      user_id: user.id,
      user_login: user.login,
      ...(project === undefined ? {} : { project_id: project.id, project_identifier: project.identifier }),
    },
    iat: now,
    exp: now + lifetime,
    jti,
  };
  return {
    ...Object.fromEntries(keptClaims(template).map(([name, renamed]) => [renamed, standard[name]])),
    ...(code === null ? {} : { code }),
    ...template.add,
  };
}

const standardClaims = ["aud", "sub", "domain", "module", "context", "iat", "exp", "jti"] as const;
type StandardClaim = (typeof standardClaims)[number];

/** The standard claims that a template keeps, with their names in it. */
function keptClaims({ drop, rename }: Choices["guard.jwt.claims"]): [name: StandardClaim, renamed: string][] {
  return standardClaims.filter((name) => drop?.includes(name) !== true).map((name) => [name, rename?.[name] ?? name]);
}

/** Names of the claims of such a JWT. */
export function claimNamesOf(template: Choices["guard.jwt.claims"]): string[] {
  return [...new Set([...keptClaims(template).map(([, renamed]) => renamed), ...Object.keys(template.add ?? {})])];
}
