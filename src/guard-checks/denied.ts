import type { Evidence, Verdict } from "../checking/check.ts";
import { type RequestParts, withHeader, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Person } from "./call.ts";
import { bypass, type CallCheck, DENIED, NOBODY, TRIED } from "./call-check.ts";
import type { GuardTrial } from "./trial.ts";

const remembered = "it lets this person in by now, who was not let in before: it may remember who passed its page";

/**
 * A person who is denied, or asked to interact, with something changed that is no reason to be let in. Such a right
 * call comes before and after each, because an app may remember who passed its page meanwhile.
 */
function deniedCheck(
  facts: Pick<CallCheck, "id" | "title" | "why" | "mend"> &
    Partial<Pick<CallCheck, "severity" | "section" | "choices">>,
  variants: (request: RequestParts, tools: GuardTrial, person: Person) => readonly (RequestParts | null)[],
): CallCheck {
  const check: CallCheck = {
    area: "guard",
    section: "3.1",
    severity: "must",
    ...facts,
    async run(tools) {
      const { asked } = tools.people;
      if (asked === null) return;
      const plain = () => tools.request(asked, null);
      await tools.send(DENIED, await plain());
      const count = variants(await plain(), tools, asked).length;
      for (let index = 0; index < count; index += 1) {
        const variant = variants(await plain(), tools, asked)[index];
        if (variant != null) await tools.send(TRIED, variant);
      }
      await tools.send(DENIED, await plain());
    },
    judge: (evidence) => judgeDenied(check, evidence),
  };
  return check;
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
  "The code is the proof that the user did what the page asked for. One that the app did not issue proves nothing.";
const issuedOnly =
  "Let in on the final call only for a code that the app itself issued, and not for any that is there; a guard without a page ignores it.";

const withCode = (code: unknown) => (request: RequestParts) => withMembers(request, { code });

const unreadable = deniedCheck(
  {
    id: "guard.denied.no-address",
    severity: "should",
    section: "2.2",
    title: "The guard lets nobody in because it cannot read the address",
    why: "A list of addresses that are denied does not have one that is missing. What cannot be read is not good by that.",
    mend: "Refuse a call whose `ipAddress` is no IP address.",
  },
  (request) => [undefined, null, {}].map((ipAddress) => withMembers(request, { ipAddress })),
);

/** A network of which no rule can have heard: reserved, and for no use (RFC 1112, 4). */
const UNHEARD_OF = "247.83.101.6";
const ELSEWHERE = "elsewhere";
const NOWHERE = "nowhere";

const noAddress: CallCheck = {
  ...unreadable,
  async run(tools) {
    await unreadable.run(tools);
    const { asked } = tools.people;
    if (asked === null) return;
    const from = async (ipAddress: string) => withMembers(await tools.request(asked, null), { ipAddress });
    const unheardOf = await from(UNHEARD_OF);
    if (unheardOf === null) return;
    await tools.send(ELSEWHERE, unheardOf);
    for (const text of ["", "nowhere"]) {
      const request = await from(text);
      if (request !== null) await tools.send(NOWHERE, request);
    }
    await tools.send(DENIED, await tools.request(asked, null));
  },
  judge: ({ steps, read, ...rest }) => {
    // A guard that denies by a list may compare texts, and let in whatever is spelled otherwise.
    const isByList = steps.some(({ role, exchange }) => role === ELSEWHERE && read(exchange).kind === "accepted");
    const tried = steps.map((step) => (step.role === NOWHERE && !isByList ? { ...step, role: TRIED } : step));
    return unreadable.judge({ steps: tried, read, ...rest });
  },
};

/** Headers in which proxies name the client they ask for: what every proxy has, and what only some have. */
const forwardingHeaders = [
  ["X-Forwarded-For"],
  ["Client-IP", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "CF-Connecting-IP", "True-Client-IP"],
];

/** The checks of somebody who is not let in at the first call, and of what must not change that. */
export const deniedChecks: readonly CallCheck[] = [
  deniedCheck(
    {
      id: "guard.denied.made-up-code",
      title: "The guard lets nobody in for a code that it never issued",
      why: unissued,
      mend: issuedOnly,
    },
    (request, { madeUp }) => [withCode(madeUp())(request), withCode("app-sim")(request), withCode("123456")(request)],
  ),
  deniedCheck(
    {
      id: "guard.denied.empty-code",
      title: "The guard lets nobody in for an empty code",
      why: unissued,
      mend: issuedOnly,
    },
    (request) => ["", " ", null].map((code) => withCode(code)(request)),
  ),
  deniedCheck(
    {
      id: "guard.denied.code-type",
      title: "The guard lets nobody in for a code that is no text",
      why: unissued,
      mend: issuedOnly,
    },
    (request) =>
      [true, false, 0, 1, [], [""], {}, { $ne: null }, { $gt: "" }, { length: 43 }].map((code) =>
        withCode(code)(request),
      ),
  ),
  deniedCheck(
    {
      id: "guard.denied.telling-code",
      title: "The guard lets nobody in for a code that says what everybody knows",
      why: unissued,
      mend: issuedOnly,
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
      title: "The guard lets nobody in for fields that the interface does not have",
      why: bypass,
      mend: "Read the fields of interface 2.2 and no others.",
    },
    (request) => [
      withMembers(request, { success: true, isAdmin: true, role: "owner", verified: true, skip: true, debug: true }),
    ],
  ),
  deniedCheck(
    {
      id: "guard.denied.forwarded-address",
      title: "The guard takes the user's address from the body, whatever the headers say",
      why: "It is the platform that calls, so its headers are about the platform. Only the body says where the user is.",
      mend: "Read `ipAddress` of the body, and no X-Forwarded-For.",
    },
    (request, { people }) => {
      const address = people.passes?.ipAddress ?? "127.0.0.1";
      return forwardingHeaders.map((names) => names.reduce((sent, name) => withHeader(sent, name, address), request));
    },
  ),
  deniedCheck(
    {
      id: "guard.denied.query",
      title: "The guard takes nothing of the user from its own address",
      why: bypass,
      mend: "Read what the call is about from the body alone: some frameworks mix parameters of the address into it.",
    },
    (request, { people }, { user }) => {
      const { passes } = people;
      const url = new URL(request.url);
      const fields = {
        success: "true",
        userId: passes?.user.id ?? user.id,
        ipAddress: passes?.ipAddress ?? "127.0.0.1",
      };
      for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, String(value));
      return [{ ...request, url: url.href }];
    },
  ),
  noAddress,
  deniedCheck(
    {
      id: "guard.denied.no-user",
      severity: "should",
      section: "2.2",
      title: "The guard lets nobody in because it cannot read the user",
      why: "A list of users who are denied does not have one that is missing. What cannot be read is not good by that.",
      mend: "Refuse a call whose `userId` is no integer, or not that of the token.",
    },
    (request) => [undefined, null, {}, [], -1].map((userId) => withMembers(request, { userId })),
  ),
];
