import { bypassMembers, withBypassParameters } from "../checking/bypass.ts";
import type { Evidence, Verdict } from "../checking/check.ts";
import { type RequestParts, withHeader, withMembers, withUrlParameters } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Person } from "./call.ts";
import { bypass, type CallCheck, DENIED, LET_IN, NOBODY, TRIED } from "./call-check.ts";
import { leftCodes } from "./left-codes.ts";
import type { GuardTrial } from "./trial.ts";

const remembered = "it now lets in this person, whom it did not let in before: it may remember who passed its page";

/**
 * A person who is denied, or asked to interact, with an irrelevant change. A correct call comes before and after each,
 * because an app may remember somebody who has passed its page in the meantime.
 */
function deniedCheck(
  facts: Pick<CallCheck, "id" | "title" | "why" | "fix"> & Partial<Pick<CallCheck, "severity" | "section" | "choices">>,
  variants: (request: RequestParts, tools: GuardTrial, person: Person) => readonly (RequestParts | null)[],
  whom: (people: GuardTrial["people"]) => readonly (Person | null)[] = ({ asked }) => [asked],
): CallCheck {
  const check: CallCheck = {
    area: "guard",
    section: "3.1",
    severity: "must",
    ...facts,
    async run(tools) {
      for (const person of whom(tools.people)) {
        if (person === null) continue;
        const plain = () => tools.request(person, null);
        await tools.send(DENIED, await plain());
        const count = variants(await plain(), tools, person).length;
        for (let index = 0; index < count; index += 1) {
          const variant = variants(await plain(), tools, person)[index];
          if (variant != null) await tools.send(TRIED, variant);
        }
        await tools.send(DENIED, await plain());
      }
    },
    judge: (evidence) => judgeDenied(check, evidence),
  };
  return check;
}

/** Somebody whom the guard denies because of the address, if such a person is known. */
function deniedByAddress({ elsewhere, asked }: GuardTrial["people"]): Person | null {
  return elsewhere ?? asked;
}

function judgeDenied(check: CallCheck, { steps, read }: Evidence): Verdict {
  const kindsOf = (wanted: string) => steps.filter(({ role }) => role === wanted).map(({ exchange }) => read(exchange));
  const tried = kindsOf(TRIED);
  if (steps.length === 0) return skipVerdict(NOBODY);
  if (tried.length === 0) return skipVerdict("there was nothing to change");
  if (kindsOf(DENIED).some(({ kind }) => kind === "accepted")) return skipVerdict(remembered);
  const accepted = tried.find(({ kind }) => kind === "accepted");
  if (accepted !== undefined) return faulty(check, `the app ${accepted.says}`);
  const broken = tried.find(({ kind }) => kind === "broken");
  return broken === undefined ? PASSED : { result: "warn", reason: `the app ${broken.says}` };
}

const unissued =
  "The code is the proof that the user did what the page asked for. A code that the app did not issue proves nothing.";
const issuedOnly =
  "On the final call, let users in only with a code that the app itself issued, not with any code; a guard without a page ignores codes.";

const withCode = (code: unknown) => (request: RequestParts) => withMembers(request, { code });

const unreadable = deniedCheck(
  {
    id: "guard.denied.no-address",
    severity: "should",
    section: "2.2",
    title: "An unreadable address lets nobody in",
    why: "A deny list does not contain a missing address. An unreadable address is no reason to let a user in.",
    fix: "Refuse a call whose `ipAddress` is not an IP address.",
  },
  (request) => [undefined, null, {}].map((ipAddress) => withMembers(request, { ipAddress })),
  (people) => [deniedByAddress(people)],
);

/** A network that no rule can contain: reserved and unused (RFC 1112, 4). */
const UNHEARD_OF = "247.83.101.6";
const ELSEWHERE = "elsewhere";
const NOWHERE = "nowhere";

const noAddress: CallCheck = {
  ...unreadable,
  async run(tools) {
    await unreadable.run(tools);
    const { passes } = tools.people;
    const asked = deniedByAddress(tools.people);
    if (asked === null) return;
    const from = async (ipAddress: string) => withMembers(await tools.request(asked, null), { ipAddress });
    const unheardOf = await from(UNHEARD_OF);
    if (unheardOf === null) return;
    await tools.send(ELSEWHERE, unheardOf);
    for (const text of ["", "nowhere"]) {
      // What a call leaves behind must not count for the next one.
      if (passes !== null) await tools.send(LET_IN, await tools.request(passes, null));
      const request = await from(text);
      if (request !== null) await tools.send(NOWHERE, request);
    }
    await tools.send(DENIED, await tools.request(asked, null));
  },
  judge: ({ steps, read, ...rest }) => {
    // A guard with a deny list may compare texts, and let in addresses spelled differently.
    const isByList = steps.some(({ role, exchange }) => role === ELSEWHERE && read(exchange).kind === "accepted");
    const tried = steps.map((step) => (step.role === NOWHERE && !isByList ? { ...step, role: TRIED } : step));
    return unreadable.judge({ steps: tried, read, ...rest });
  },
};

/** IPv4 addresses of two unrelated networks. */
const ipv4Addresses = [UNHEARD_OF, "25.83.101.6"];
/** IPv6 addresses that no rule can contain: nobody has been given their networks. */
const ipv6Addresses = ["2d83:65:101::6", "4a83:65:101::6"];

const otherVersion: CallCheck = {
  id: "guard.denied.ipv6",
  area: "guard",
  section: "2.2",
  severity: "must",
  title: "A user who is not let in from IPv4 addresses is not let in from an IPv6 address either",
  why: "An IP address may be IPv4 or IPv6, and most networks have both. A rule that overlooks one of them can be bypassed by using that one.",
  fix: "Apply the rule to every address; parse addresses with a library that supports both versions.",
  async run(tools) {
    const asked = deniedByAddress(tools.people);
    if (asked === null) return;
    const from = (ipAddress: string) => tools.request({ ...asked, ipAddress }, null);
    await tools.send(DENIED, await tools.request(asked, null));
    for (const address of ipv4Addresses) await tools.send(ELSEWHERE, await from(address));
    for (const address of ipv6Addresses) await tools.send(TRIED, await from(address));
    await tools.send(DENIED, await tools.request(asked, null));
  },
  judge: (evidence) => {
    const { steps, read } = evidence;
    const kinds = steps.filter(({ role }) => role === ELSEWHERE).map(({ exchange }) => read(exchange).kind);
    return kinds.every((kind) => kind === "refused" || kind === "asked")
      ? judgeDenied(otherVersion, evidence)
      : skipVerdict("whom the guard lets in depends on the address");
  },
};

/** Headers in which proxies name their client: common ones and rare ones. */
const forwardingHeaders = [
  ["X-Forwarded-For"],
  ["Client-IP", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "CF-Connecting-IP", "True-Client-IP"],
];

/** The checks of somebody who is not let in at the first call, and of what must not change that. */
export const deniedChecks: readonly CallCheck[] = [
  deniedCheck(
    {
      id: "guard.denied.made-up-code",
      title: "The guard lets nobody in with a code that it never issued",
      why: unissued,
      fix: issuedOnly,
    },
    (request, { madeUp }) => [madeUp(), "app-sim", ...leftCodes].map((code) => withCode(code)(request)),
  ),
  deniedCheck(
    {
      id: "guard.denied.empty-code",
      title: "The guard lets nobody in with an empty code",
      why: unissued,
      fix: issuedOnly,
    },
    (request) => ["", " ", null].map((code) => withCode(code)(request)),
  ),
  deniedCheck(
    {
      id: "guard.denied.code-type",
      title: "The guard lets nobody in with a code that is not a string",
      why: unissued,
      fix: issuedOnly,
    },
    (request) =>
      [true, false, 0, 1, [], [""], {}, { $ne: null }, { $gt: "" }, { length: 43 }].map((code) =>
        withCode(code)(request),
      ),
  ),
  deniedCheck(
    {
      id: "guard.denied.telling-code",
      title: "The guard lets nobody in with a code made from public data",
      why: unissued,
      fix: issuedOnly,
    },
    (request, _tools, { user }) =>
      [
        ...[
          "undefined",
          "null",
          "true",
          "success",
          "constructor",
          "__proto__",
          "toString",
          "%",
          "*",
          ".*",
          "' OR '1'='1",
        ],
        String(user.id),
        user.login,
        String(request.token?.claims.jti),
        String(request.token?.claims.module),
      ].map((code) => withCode(code)(request)),
  ),
  deniedCheck(
    {
      id: "guard.denied.extra-fields",
      title: "Unknown fields let nobody in",
      why: bypass,
      fix: "Read only the fields of interface 2.2.",
    },
    (request) => [
      withMembers(request, { success: true, isAdmin: true, role: "owner", verified: true, skip: true, debug: true }),
      withMembers(request, { ...bypassMembers(true), role: "admin" }),
    ],
  ),
  deniedCheck(
    {
      id: "guard.denied.forwarded-address",
      title: "The guard reads the user's address from the body, whatever the headers say",
      why: "The platform makes the call, so its headers are about the platform. Only the body says where the user is.",
      fix: "Read `ipAddress` from the body, and ignore the headers of proxies, such as X-Forwarded-For.",
    },
    (request, { people }) => {
      const address = people.passes?.ipAddress ?? "127.0.0.1";
      // RFC 7239, 6: an IPv6 address has brackets, and is quoted.
      const forwarded = `for=${address.includes(":") ? `"[${address}]"` : address}`;
      return [
        ...forwardingHeaders.map((names) => names.reduce((sent, name) => withHeader(sent, name, address), request)),
        withHeader(request, "Forwarded", forwarded),
      ];
    },
    (people) => [deniedByAddress(people)],
  ),
  deniedCheck(
    {
      id: "guard.denied.query",
      title: "The guard reads nothing about the user from the query of its own address",
      why: bypass,
      fix: "Read the call's data only from the body: some frameworks merge query parameters into it. Remove parameters that are meant for tests.",
    },
    (request, { people }, { user }) => {
      const { passes } = people;
      const userId = passes?.user.id ?? user.id;
      const ipAddress = passes?.ipAddress ?? "127.0.0.1";
      // Of several, one may be refused for its type.
      const parameters = [
        { success: "true", userId, ipAddress },
        { userId },
        { ipAddress },
        { user: userId, user_id: userId, uid: userId },
        { ip: ipAddress, ip_address: ipAddress, address: ipAddress },
      ];
      return [
        ...parameters.map((each) => withUrlParameters(request, each)),
        withBypassParameters(request, "1"),
        withBypassParameters(request, "true"),
      ];
    },
    ({ asked, elsewhere }) => [asked, elsewhere === asked ? null : elsewhere],
  ),
  noAddress,
  otherVersion,
  deniedCheck(
    {
      id: "guard.denied.no-user",
      severity: "should",
      section: "2.2",
      title: "An unreadable user lets nobody in",
      why: "A deny list does not contain a missing user. An unreadable user is no reason to let anybody in.",
      fix: "Refuse a call whose `userId` is not an integer, or is not that of the token.",
    },
    (request) => [undefined, null, {}, [], -1].map((userId) => withMembers(request, { userId })),
  ),
];
