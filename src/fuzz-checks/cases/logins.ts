import { boolean, integer, nat, record } from "fast-check";
import type { CheckFacts, Evidence, Verdict } from "../../checking/check.ts";
import type { Reply } from "../../checking/reply.ts";
import { type RequestParts, withClaims, withMembers, withToken } from "../../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../../checking/verdict.ts";
import type { Organization } from "../../config/schema.ts";
import type { Person } from "../../guard-checks/call.ts";
import type { GuardTrial } from "../../guard-checks/trial.ts";
import { randomLogins } from "../checks.ts";
import { anySpelling, type Spelling, spelledJson } from "../random/json.ts";
import { otherFields, type RandomLogin, type RandomStranger, randomLogin, randomStranger } from "../random/logins.ts";
import { exchangeIn, type RandomCheck, randomCheck } from "../random-check.ts";

/** The actions of checks with random logins. */
export interface RandomLoginTrial extends GuardTrial {
  /** Somebody about whom the guard decides. */
  readonly known: Person;
  /** The first call about a person in this organization; null: the configured one. */
  requestIn(organization: Pick<Organization, "id" | "domain"> | null, person: Person): Promise<RequestParts>;
}
type LoginCases = RandomCheck<RandomLoginTrial>;

const LOGIN = "login";

function personOf({ known }: RandomLoginTrial, { id, login, ipAddress }: RandomLogin): Person {
  const user = { ...known.user, id: id ?? known.user.id, login: login ?? known.user.login };
  return { user, ipAddress: ipAddress ?? known.ipAddress };
}

const requestOf = (tools: RandomLoginTrial, of: RandomLogin) => tools.requestIn(null, personOf(tools, of));

const isDecision = ({ kind }: Reply) => kind === "accepted" || kind === "asked" || kind === "refused";
/** Statuses for an unreadable request; 401 and 403 may be how a guard denies. */
const unreadable: readonly (number | undefined)[] = [400, 413, 414, 415, 422, 431];
const isBusy = (status: number | undefined) => status === 429 || status === 503;

function replyIn(evidence: Evidence, role: string): (Reply & { readonly status: number | undefined }) | null {
  const exchange = exchangeIn(evidence, role);
  return exchange && { ...evidence.read(exchange), status: exchange.response?.status };
}

/** The verdict on a login that must be decided. */
function decided(refusals: readonly (number | undefined)[]) {
  return (check: CheckFacts, evidence: Evidence): Verdict => {
    const reply = replyIn(evidence, LOGIN);
    if (reply === null) return skipVerdict("nothing was sent");
    if (isBusy(reply.status)) return skipVerdict("the app accepts no more for now");
    const isRight = isDecision(reply) && !refusals.includes(reply.status);
    return isRight ? PASSED : faulty(check, `the app ${reply.says}`);
  };
}

const answered: LoginCases = randomCheck<RandomLogin, RandomLoginTrial>(randomLogins.answered, {
  cases: () => randomLogin,
  send: async (tools, of) => void (await tools.send(LOGIN, await requestOf(tools, of))),
  judge: decided(unreadable),
});

const strangers: LoginCases = randomCheck<RandomStranger, RandomLoginTrial>(randomLogins.strangers, {
  cases: () => randomStranger,
  send: async (tools, of) =>
    void (await tools.send(LOGIN, await tools.requestIn(of.organization, personOf(tools, of)))),
  judge: decided([]),
});

/** A check that a changed login is decided like the original. */
function sameDecision<Case extends { readonly login: RandomLogin }>(
  facts: CheckFacts,
  {
    cases,
    change,
    what,
  }: {
    readonly cases: Parameters<typeof randomCheck<Case, RandomLoginTrial>>[1]["cases"];
    readonly change: (request: RequestParts, of: Case) => RequestParts;
    /** The other login, as the end of a sentence. */
    readonly what: string;
  },
): LoginCases {
  return randomCheck<Case, RandomLoginTrial>(facts, {
    cases,
    send: async (tools, of) => {
      await tools.send(LOGIN, await requestOf(tools, of.login));
      await tools.send("changed", change(await requestOf(tools, of.login), of));
    },
    confirm: async (tools, { login }) => void (await tools.send("again", await requestOf(tools, login))),
    judge: (check, evidence) => {
      const [first, changed] = [replyIn(evidence, LOGIN), replyIn(evidence, "changed")];
      if (first === null || changed === null) return skipVerdict("nothing was sent");
      if (!isDecision(first) || isBusy(first.status)) return skipVerdict(`the app ${first.says}`);
      const again = replyIn(evidence, "again") ?? first;
      // In that check the repetition itself is tested.
      if (again.kind !== first.kind && facts !== randomLogins.repeated) {
        return skipVerdict("it decides differently about the same login");
      }
      if (isBusy(changed.status)) return skipVerdict("the app accepts no more for now");
      if (changed.kind === first.kind) return PASSED;
      return faulty(check, `the app ${first.says}, and ${changed.says} to ${what}`);
    },
  });
}

const repeated = sameDecision(randomLogins.repeated, {
  cases: () => record({ login: randomLogin }),
  change: (request) => request,
  what: "the same login again",
});

interface SpelledLogin {
  readonly login: RandomLogin;
  readonly spelling: Spelling;
  readonly isReversed: boolean;
}

const spelled = sameDecision<SpelledLogin>(randomLogins.spelled, {
  cases: () => record({ login: randomLogin, spelling: anySpelling, isReversed: boolean() }),
  change: (request, { spelling, isReversed }) => ({
    ...request,
    headers: isReversed ? request.headers.toReversed() : request.headers,
    body: { bytes: spelledJson((request.body as { readonly json: unknown }).json, spelling) },
  }),
  what: "the same login with another serialization",
});

const extraFields = sameDecision(randomLogins.extraFields, {
  cases: () => record({ login: randomLogin, fields: otherFields, claims: otherFields }),
  change: (request, { fields, claims }) => {
    const withFields = withMembers(request, fields) ?? request;
    return withClaims(withFields, claims) ?? withFields;
  },
  what: "the same login with additional fields",
});

interface ChangedToken {
  readonly at: number;
  readonly by: number;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The token with another byte: in its signature a decoded one, because trailing bits of the encoding mean nothing. */
function withOtherByte(compact: string, { at, by }: ChangedToken): string {
  const end = compact.lastIndexOf(".") + 1;
  const place = at % compact.length;
  if (place >= end) {
    const signature = Buffer.from(compact.slice(end), "base64url");
    const index = place % signature.length;
    signature[index] = (signature[index] ?? 0) ^ (1 + (by % 255));
    return compact.slice(0, end) + signature.toString("base64url");
  }
  const digit = digits.indexOf(compact[place] ?? "");
  const other = digits[(digit + 1 + (by % (digits.length - 1))) % digits.length];
  return compact.slice(0, place) + other + compact.slice(place + 1);
}

const tokenChanged: LoginCases = randomCheck<ChangedToken, RandomLoginTrial>(randomLogins.tokenChanged, {
  cases: () => record({ at: nat(10_000), by: integer({ min: 0, max: 1000 }) }),
  send: async (tools, of) => {
    await tools.send("before", await tools.prepare());
    const changed = withToken(await tools.prepare(), () => ({ respell: (compact) => withOtherByte(compact, of) }));
    if (changed !== null) await tools.send("changed", changed);
    await tools.send("after", await tools.prepare());
  },
  judge: (check, evidence) => {
    const [before, twin, after] = ["before", "changed", "after"].map((role) => replyIn(evidence, role));
    if (before?.kind !== evidence.control || after?.kind !== evidence.control || twin == null) {
      return skipVerdict(
        `the app ${(before?.kind === evidence.control ? after : before)?.says} to the correct request`,
      );
    }
    if (twin.kind === "refused") return PASSED;
    if (twin.kind === "asked") {
      return skipVerdict(`the app ${twin.says}, as to the correct request: a refusal would look the same`);
    }
    return faulty(check, `the app ${twin.says} to a token with one changed byte`);
  },
});

/** Every check with random logins. */
export const randomLoginChecks: readonly LoginCases[] = [
  answered,
  strangers,
  repeated,
  spelled,
  extraFields,
  tokenChanged,
];
