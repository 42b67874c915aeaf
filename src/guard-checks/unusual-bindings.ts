import type { CheckFacts, TrialCheck } from "../checking/check.ts";
import { type RequestParts, withClaims, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { neighbourOf, ofBinding, strangersClaims, withTokenOrganization } from "./binding.ts";
import { jsonOf } from "./body.ts";
import type { Person } from "./call.ts";
import { IPV6_ADDRESS } from "./candidates.ts";
import type { GuardTrial } from "./trial.ts";

type Change = (request: RequestParts) => RequestParts | null;

/** A kind of call that an app may handle on a path of its own. */
interface UnusualCall {
  /** What is unusual, for messages: `from 2001:db8::7`. */
  readonly what: string;
  /** A call of this kind that its token allows. */
  readonly correct: Change;
  /** One that its token does not allow. */
  readonly unbound: Change;
}

/** Roles: a correct call of an unusual kind, one that its token does not allow, and a usual one of those. */
const [CORRECT, UNBOUND, USUAL] = ["a correct call ", "a call about somebody else ", "the usual call"];

/** What such a check sends, and how it explains that it could not. */
interface BindingTry {
  /** In order: the first kind of which a correct call is accepted is tried. */
  readonly calls: (passes: Person, tools: GuardTrial) => readonly UnusualCall[];
  /** A call that differs in the same way from its token, but is not unusual. */
  readonly usual: Change;
  /** The check that finds an app which accepts that one. */
  readonly usualId: string;
  /** Why nothing shows whether calls of these kinds are compared. */
  readonly none: string;
}

/** A check that body and token are compared on every path through the app (hardening G13). */
function unusualBinding(
  facts: Pick<CheckFacts, "id" | "title" | "why" | "fix">,
  { calls, usual, usualId, none }: BindingTry,
): TrialCheck<GuardTrial> {
  const check: TrialCheck<GuardTrial> = {
    ...ofBinding,
    severity: "must",
    ...facts,
    async run(tools) {
      const { people, prepare, send, read } = tools;
      if (people.passes === null) return;
      const isAccepted = async (role: string, change: Change) => {
        const request = change(await prepare());
        return request !== null && read(await send(role, request), null).kind === "accepted";
      };
      for (const { what, correct, unbound } of calls(people.passes, tools)) {
        if (!(await isAccepted(`${CORRECT}${what}`, correct))) continue;
        if (await isAccepted(`${UNBOUND}${what}`, unbound)) await isAccepted(USUAL, usual);
        return;
      }
    },
    judge({ steps, read }) {
      const replyTo = (start: string) => {
        const step = steps.find(({ role }) => role.startsWith(start));
        return step === undefined ? null : { ...read(step.exchange), role: step.role };
      };
      const [unbound, plain] = [replyTo(UNBOUND), replyTo(USUAL)];
      if (unbound === null) return skipVerdict(none);
      if (plain?.kind === "accepted")
        return skipVerdict(`the guard lets in any call about somebody else: see ${usualId}`);
      if (unbound.kind === "accepted") return faulty(check, `the app ${unbound.says} to ${unbound.role}`);
      return unbound.kind === "broken"
        ? { result: "warn", reason: `the app ${unbound.says} to ${unbound.role}` }
        : PASSED;
    },
  };
  return check;
}

/** The body about another user, whoever its token is about. */
const aboutAnother: Change = (request) => withMembers(request, { userId: neighbourOf(jsonOf(request)?.userId) });

/** A change, and then another one. */
function both(first: Change, second: Change): Change {
  return (request) => {
    const changed = first(request);
    return changed && second(changed);
  };
}

const fromIpv6 = unusualBinding(
  {
    id: "guard.body.other-user-ipv6",
    title: "The guard refuses a body about a user other than its token's, even if that user has an IPv6 address",
    why: "The address of a call says nothing about its token. If another path through the app handles IPv6 addresses, one user's token opens the door for every other user there.",
    fix: "Compare the body with the claims of the verified token before anything else, whatever the address.",
  },
  {
    calls: ({ ipAddress: usual }, { configured }) => {
      if (usual.includes(":")) return [];
      const lets = [configured.lets?.ipAddress ?? ""].filter((address) => address.includes(":"));
      // Many apps treat the second of the made-up ones like the IPv4 address in it.
      return [...lets, IPV6_ADDRESS, `::ffff:${usual}`, "::1"].map((ipAddress) => {
        const correct: Change = (request) => withMembers(request, { ipAddress });
        return { what: `from ${ipAddress}`, correct, unbound: both(correct, aboutAnother) };
      });
    },
    usual: aboutAnother,
    usualId: "guard.body.other-user",
    none: "on the first call, the guard lets nobody in from an IPv4 address, or from the IPv6 addresses that were tried",
  },
);

const withCode = unusualBinding(
  {
    id: "guard.body.other-user-code",
    title: "The guard refuses a body about a user other than its token's, even if the body has a code",
    why: "A code that the guard does not need says nothing about the token. If calls with a code are handled on a path of their own, one user's token opens the door for every other user there.",
    fix: "Compare the body with the claims of the verified token before anything else, whatever else the body has.",
  },
  {
    calls: (_, { madeUp }) => {
      const correct: Change = (request) => withMembers(request, { code: madeUp() });
      return [{ what: "with a made-up code", correct, unbound: both(correct, aboutAnother) }];
    },
    usual: aboutAnother,
    usualId: "guard.body.other-user",
    none: "the guard lets nobody in by a call with a made-up code",
  },
);

/** The request with a token about another organization, which has another domain. */
const withStrangersToken: Change = (request) => {
  const other = withTokenOrganization(request, (id) => id + 1);
  const { claims = {} } = other?.token ?? {};
  if (other === null || typeof claims.domain !== "string") return null;
  const { organization_id: organizationId } = claims.context as { readonly organization_id: number };
  return withClaims(other, strangersClaims(claims, organizationId));
};

const ofOtherDomain = unusualBinding(
  {
    id: "guard.body.token-other-domain",
    title: "The guard refuses a body about the right organization, with a token about another one in another domain",
    why: "Other organizations install the app, too, and get tokens that it accepts. If it compares only tokens of its own domain, everybody else's tokens open the door.",
    fix: "Compare the body's organizationId with the claims of every token, whatever its domain.",
  },
  {
    calls: () => [
      {
        what: "with a token about an organization in another domain",
        correct: (call) => call,
        unbound: withStrangersToken,
      },
    ],
    usual: (request) => withTokenOrganization(request, (id) => id + 1),
    usualId: "guard.body.token-organization",
    none: "the token names no organization and domain, or the guard lets nobody in on the first call",
  },
);

/** The checks that body and token are compared whatever else is in a call. */
export const unusualBindingChecks: readonly TrialCheck<GuardTrial>[] = [fromIpv6, withCode, ofOtherDomain];
