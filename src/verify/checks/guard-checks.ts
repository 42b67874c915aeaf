import type { CheckFacts, TrialCheck, TwinCheck } from "../rules/check.ts";
import { type RequestParts, withMembers } from "../rules/request-parts.ts";
import { tokenTwins } from "./token-twins.ts";

type Json = Readonly<Record<string, unknown>>;

const bound =
  "Compare the body with the claims of the verified token, and refuse with 403 where they are not about the same.";
const borrowed =
  "A token that was issued for one login must not be good for another. Else one user's token opens the door to every other.";

/** A twin of a member of the body. */
function bodyTwin(
  facts: Pick<TwinCheck, "id" | "title" | "why" | "mend" | "right"> & Partial<Pick<TwinCheck, "severity" | "choices">>,
  member: string,
  change: (body: Json) => unknown,
): TwinCheck {
  return {
    area: "guard",
    section: "2.2",
    severity: "must",
    changes: `json.${member}`,
    ...facts,
    twin: (request) => {
      const body = jsonOf(request);
      return body === null ? null : withMembers(request, { [member]: change(body) });
    },
  };
}

function jsonOf({ body }: RequestParts): Json | null {
  return body !== null && "json" in body ? (body.json as Json) : null;
}

const bindings: readonly TwinCheck[] = [
  bodyTwin(
    {
      id: "guard.body.other-user",
      title: "The guard refuses a body about another user than its token",
      why: borrowed,
      mend: bound,
      right: "refused",
      choices: ["guard.jwt.claims"],
    },
    "userId",
    ({ userId }) => Number(userId) + 1,
  ),
  bodyTwin(
    {
      id: "guard.body.other-organization",
      title: "The guard refuses a body about another organization than its token",
      why: borrowed,
      mend: bound,
      right: "refused",
      choices: ["guard.jwt.claims"],
    },
    "organizationId",
    ({ organizationId }) => Number(organizationId) + 1,
  ),
];

/** The checks of a guard's first call (hardening G1 to G19). */
export const firstCallChecks: readonly (TwinCheck | TrialCheck)[] = [
  ...tokenTwins({ prefix: "guard.token", area: "guard", what: "The guard" }),
  ...bindings,
];

/** Every check of area `guard`. */
export const guardChecks: readonly CheckFacts[] = [...firstCallChecks];
