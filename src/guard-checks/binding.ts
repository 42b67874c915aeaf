import type { TrialCheck, TwinCheck } from "../checking/check.ts";
import { type RequestParts, withClaims, withMembers } from "../checking/request-parts.ts";
import { jsonOf, neverLetIn } from "./body.ts";
import type { GuardTrial } from "./trial.ts";

type Json = Readonly<Record<string, unknown>>;

const bound = "Compare the body with the claims of the verified token, and refuse with 403 if they do not match.";
const borrowed =
  "A token issued for one login must not be valid for another. Otherwise one user's token opens the door for every other user.";

const lent =
  "A token issued for one module must not be valid for another. If the guard takes the module from the body, a token for a guard that is easy to pass opens all others.";

/** What all checks that compare the body with the token have in common. */
export const ofBinding = { area: "guard", section: "2.2", choices: ["guard.jwt.claims"] } as const;

type BodyFacts = Pick<TwinCheck, "severity" | "title" | "why" | "fix" | "right"> & Partial<Pick<TwinCheck, "choices">>;

/** Another user's id: not the next one, because the last of the default users is an outsider, whom guards deny anyway. */
export function neighbourOf(userId: unknown): number {
  return Number(userId) - 1;
}

/** Bodies about something other than the token (hardening G13). */
export function bindingTwins(prefix: string): TwinCheck[] {
  const twin = (name: string, member: string, facts: BodyFacts, change: (body: Json) => unknown): TwinCheck => ({
    ...ofBinding,
    id: `${prefix}.${name}`,
    changes: `json.${member}`,
    ...facts,
    twin: (request) => {
      const body = jsonOf(request);
      return body === null ? null : withMembers(request, { [member]: change(body) });
    },
  });
  const about = (severity: TwinCheck["severity"], what: string): BodyFacts => ({
    severity,
    title: `The guard refuses a body ${what}`,
    why: borrowed,
    fix: bound,
    right: "refused",
  });
  return [
    twin("other-user", "userId", about("must", "about a user other than its token's"), ({ userId }) =>
      neighbourOf(userId),
    ),
    twin(
      "other-organization",
      "organizationId",
      about("must", "about an organization other than its token's"),
      ({ organizationId }) => Number(organizationId) + 1,
    ),
    {
      ...ofBinding,
      id: `${prefix}.token-organization`,
      changes: "token.claims.context",
      ...about("must", "about the right organization, with a token about another"),
      twin: (request) => withTokenOrganization(request, (id) => id + 1),
    },
    {
      ...ofBinding,
      id: `${prefix}.token-no-organization`,
      changes: "token.claims.context",
      ...about("should", "with a token that names no organization"),
      why: "A comparison that is left out if the claim is missing binds nothing: a token for something else opens every organization.",
      twin: (request) => withTokenOrganization(request, () => undefined),
    },
    twin(
      "other-module",
      "moduleKey",
      { ...about("should", "for a module other than its token's"), why: lent },
      () => "another-module",
    ),
    twin("no-user", "userId", about("should", "without a userId"), () => undefined),
    twin("no-organization", "organizationId", about("should", "without an organizationId"), () => undefined),
    twin("user-zero", "userId", about("should", "whose userId is 0"), () => 0),
    twin("organization-zero", "organizationId", about("should", "whose organizationId is 0"), () => 0),
    twin("user-object", "userId", about("should", "whose userId is an object"), ({ userId }) => ({ id: userId })),
    twin("user-true", "userId", about("should", "whose userId is true"), () => true),
    twin("user-negative", "userId", about("should", "whose userId is negative"), ({ userId }) => -Number(userId)),
    twin("organization-object", "organizationId", about("should", "whose organizationId is an object"), () => ({})),
  ];
}

/** The request with a token about another organization, or about none; null if its token names none. */
export function withTokenOrganization(
  request: RequestParts,
  change: (id: number) => number | undefined,
): RequestParts | null {
  const { context } = request.token?.claims ?? {};
  if (typeof context !== "object" || context === null || !("organization_id" in context)) return null;
  return withClaims(request, { context: { ...context, organization_id: change(Number(context.organization_id)) } });
}

/**
 * What the claims of a token are about another organization, which has a domain of its own, as far as these claims name
 * an organization at all.
 * @param claims the token's own ones
 */
export function strangersClaims({ context, domain }: Json, organizationId: number): Json {
  const otherDomain = typeof domain === "string" ? `${domain}-2` : domain;
  return {
    ...(typeof domain === "string" ? { domain: otherDomain } : {}),
    ...(typeof context === "object" && context !== null
      ? { context: { ...context, organization_id: organizationId, organization_domain: otherDomain } }
      : {}),
  };
}

/** Other ids that a comparison of substrings, or of too few bits, considers equal. */
export const alikeIds: readonly (readonly [what: string, change: (id: string) => string])[] = [
  ["begins with", (id) => `${id}7`],
  ["ends with", (id) => `7${id}`],
  ["is the beginning of", (id) => id.slice(0, -1)],
  ["is the end of", (id) => id.slice(1)],
  ...[8, 16, 32].map(
    (bits) => [`shares its lowest ${bits} bits with`, (id: string) => String(Number(id) + 2 ** bits)] as const,
  ),
];

/** A check of bodies whose id only resembles the one in the token. */
function alikeCheck(
  field: "userId" | "organizationId",
  facts: Pick<TrialCheck, "id" | "title" | "why">,
): TrialCheck<GuardTrial> {
  const check: TrialCheck<GuardTrial> = {
    ...ofBinding,
    severity: "must",
    fix: "Compare the ids as integers of 64 bits, not as prefixes, suffixes or substrings.",
    ...facts,
    async run({ prepare, send }) {
      for (const [what, change] of alikeIds) {
        const request = await prepare();
        const id = String(jsonOf(request)?.[field]);
        const alike = Number(change(id));
        const other = withMembers(request, { [field]: alike });
        if (other !== null && alike > 0 && String(alike) !== id)
          await send(`an id that ${what} that of the token`, other);
      }
    },
    judge: (evidence) => neverLetIn(check, evidence),
  };
  return check;
}

/** The checks of bodies about users and organizations whose ids are similar to the token's. */
export const alikeChecks: readonly TrialCheck<GuardTrial>[] = [
  alikeCheck("userId", {
    id: "guard.body.user-alike",
    title: "The guard refuses a body about a user whose id only resembles the one in its token",
    why: borrowed,
  }),
  alikeCheck("organizationId", {
    id: "guard.body.organization-alike",
    title: "The guard refuses a body about an organization whose id only resembles the one in its token",
    why: borrowed,
  }),
];
