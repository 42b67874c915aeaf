import type { CheckFacts, Evidence, TrialCheck, TwinCheck, Verdict } from "../checking/check.ts";
import { type RequestParts, withClaims, withHeader, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { GuardTrial } from "./trial.ts";

type Json = Readonly<Record<string, unknown>>;
type GuardCheck = TwinCheck | TrialCheck<GuardTrial>;

const typed = "Check that each field exists and has the right type (interface 2.2), and answer 400 if not.";
const crash =
  "A crash is not a decision, and may leave the app in an unforeseen state. Refuse a call that you cannot understand with a message.";
const changing =
  "The platform may change its requests without changing their meaning. An app that refuses them locks its users out.";

/** Seconds by which the clocks of two machines may reasonably differ. */
const CLOCK_AHEAD = 8;

/** The body of a request as JSON; null: it has none. */
export function jsonOf({ body }: RequestParts): Json | null {
  return body !== null && "json" in body ? (body.json as Json) : null;
}

/** The request with these bytes as its body. */
function withBytes(request: RequestParts, text: string): RequestParts {
  return { ...request, body: { bytes: Buffer.from(text) } };
}

/** Bodies that the platform never sends: a correct app may accept or refuse them, but must answer (hardening G16). */
const robust: readonly [name: string, member: string, what: string, change: (body: Json) => unknown][] = [
  ["user-null", "userId", "whose userId is null", () => null],
  ["user-text", "userId", "whose userId is a string", ({ userId }) => String(userId)],
  ["user-list", "userId", "whose userId is a list", ({ userId }) => [userId]],
  ["user-fraction", "userId", "whose userId is not an integer", ({ userId }) => Number(userId) + 0.5],
  ["user-huge", "userId", "whose userId is beyond 2^53", () => 1e19],
  [
    "organization-text",
    "organizationId",
    "whose organizationId is a string",
    ({ organizationId }) => `${organizationId}`,
  ],
  ["module-missing", "moduleKey", "without a moduleKey", () => undefined],
  ["module-number", "moduleKey", "whose moduleKey is a number", () => 7],
  ["module-prototype", "moduleKey", "whose moduleKey is __proto__", () => "__proto__"],
  ["address-missing", "ipAddress", "without an ipAddress", () => undefined],
  ["address-null", "ipAddress", "whose ipAddress is null", () => null],
  ["address-number", "ipAddress", "whose ipAddress is a number", () => 16909060],
  ["address-text", "ipAddress", "whose ipAddress is not an address", () => "not an address"],
  ["address-list", "ipAddress", "whose ipAddress is a list", ({ ipAddress }) => [ipAddress]],
];

const robustTwins = robust.map(
  ([name, member, what, change]): TwinCheck => ({
    id: `guard.body.${name}`,
    area: "guard",
    section: "2.2",
    severity: "should",
    changes: `json.${member}`,
    title: `The guard answers a body ${what} without a server error`,
    why: crash,
    fix: typed,
    right: "decided",
    twin: (request) => {
      const body = jsonOf(request);
      return body === null ? null : withMembers(request, { [member]: change(body) });
    },
  }),
);

/** Requests with the same meaning in another form, which every app must accept (hardening G16). */
const acceptedTwins: readonly TwinCheck[] = [
  {
    ...same("body.extra-field", "2.2", "should", "The guard accepts a body with an unknown field"),
    changes: "json.appSimExtra",
    twin: (request) => withMembers(request, { appSimExtra: { since: "tomorrow" } }),
  },
  {
    ...same("body.key-order", "RFC 8259, 4", "must", "The guard accepts a body with its fields in another order"),
    changes: "body.spelling",
    twin: (request) => {
      const body = jsonOf(request);
      return body && { ...request, body: { json: Object.fromEntries(Object.entries(body).reverse()) } };
    },
  },
  {
    ...same("body.white-space", "RFC 8259, 2", "must", "The guard accepts a body with white space in its JSON"),
    changes: "body.spelling",
    twin: (request) => {
      const body = jsonOf(request);
      return body && withBytes(request, `\r\n${JSON.stringify(body, null, 2)}\n\t `);
    },
  },
  {
    ...same("body.charset", "RFC 9110, 8.3.1", "should", "The guard accepts a body whose content type has a charset"),
    changes: "headers.content-type",
    twin: (request) => withHeader(request, "Content-Type", "application/json; charset=utf-8"),
  },
  {
    ...same(
      "token.clock-ahead",
      "RFC 7519, 4.1.6",
      "should",
      `The guard accepts a token from a platform whose clock is ${CLOCK_AHEAD} seconds ahead`,
    ),
    why: "No two clocks agree exactly. An app that refuses a token issued a few seconds in its future occasionally locks its users out, and nobody knows why.",
    fix: "Check `iat`, `nbf` and `exp` with a tolerance of 10 seconds.",
    changes: "token.claims.iat",
    twin: (request) => withClaims(request, { iat: Number(request.token?.claims.iat) + CLOCK_AHEAD }),
  },
];

function same(name: string, section: string, severity: TwinCheck["severity"], title: string) {
  return {
    id: `guard.${name}`,
    area: "guard" as const,
    section,
    severity,
    title,
    why: changing,
    fix: "Parse the body as JSON, read the fields that the app needs, and ignore the rest.",
    right: "accepted" as const,
  };
}

/** Judges requests that are a reason neither to let somebody in nor to fail. */
export function neverLetIn(check: CheckFacts, { steps, read }: Evidence): Verdict {
  const replies = steps.map(({ role, exchange }) => ({ role, ...read(exchange) }));
  const accepted = replies.find(({ kind }) => kind === "accepted");
  if (accepted !== undefined) return faulty(check, `the app ${accepted.says} to ${accepted.role}`);
  const broken = replies.find(({ kind }) => kind === "broken");
  if (broken !== undefined) return { result: "warn", reason: `the app ${broken.says} to ${broken.role}` };
  return replies.length === 0 ? skipVerdict("there was nothing to send") : PASSED;
}

function unreadable(
  name: string,
  title: string,
  requests: (request: RequestParts) => Readonly<Record<string, RequestParts>>,
): TrialCheck<GuardTrial> {
  const check: TrialCheck<GuardTrial> = {
    id: `guard.body.${name}`,
    area: "guard",
    section: "2.2",
    severity: "must",
    title,
    why: "An unreadable call says nothing about any user. Anybody let in by it was never checked.",
    fix: "Answer 400 unless the body is a JSON object with the fields of interface 2.2, and 405 to GET.",
    async run({ prepare, send }) {
      for (const role of Object.keys(requests(await prepare()))) {
        const request = requests(await prepare())[role];
        if (request !== undefined) await send(role, request);
      }
    },
    judge: (evidence) => neverLetIn(check, evidence),
  };
  return check;
}

const unreadableBodies: readonly TrialCheck<GuardTrial>[] = [
  // Nothing is added after the JSON: by default, Jackson and Go's decoder read only the first value of a body.
  unreadable("no-json", "The guard refuses a body that is not JSON", (request) => ({
    "a truncated body": withBytes(request, JSON.stringify(jsonOf(request)).slice(0, -1)),
    "a body of plain text": withBytes(request, "userId=1&organizationId=2"),
  })),
  unreadable("empty", "The guard refuses an empty body", (request) => ({
    "an empty body": withBytes(request, ""),
    "a request without a body": { ...request, body: null },
  })),
  unreadable("no-object", "The guard refuses JSON that is not an object", (request) => ({
    "a list": { ...request, body: { json: [] } },
    "a list with the right body": { ...request, body: { json: [jsonOf(request)] } },
    null: { ...request, body: { json: null } },
    "a text": { ...request, body: { json: "userId" } },
    "an empty object": { ...request, body: { json: {} } },
    true: { ...request, body: { json: true } },
  })),
  unreadable("get", "The guard lets nobody in by a GET", (request) => ({
    "a GET": { ...withHeader(request, "Content-Type", null), method: "GET", body: null },
  })),
];

const otherForms: readonly TwinCheck[] = [
  {
    id: "guard.body.byte-order-mark",
    area: "guard",
    section: "RFC 8259, 8.1",
    severity: "should",
    changes: "body",
    title: "The guard answers a body with a byte order mark without a server error",
    why: crash,
    fix: "Accept it or answer 400.",
    right: "decided",
    twin: (request) => withBytes(request, `\uFEFF${JSON.stringify(jsonOf(request))}`),
  },
  {
    id: "guard.body.content-type",
    area: "guard",
    section: "4.2",
    severity: "should",
    changes: "headers.content-type",
    title: "The guard answers a body with another content type without a server error",
    why: crash,
    fix: "Accept it or answer 415.",
    right: "decided",
    twin: (request) => withHeader(request, "Content-Type", "text/plain"),
  },
];

/** The checks of how the body of a first call is read (hardening G16, G17). */
export const guardBodyChecks: readonly GuardCheck[] = [
  ...robustTwins,
  ...acceptedTwins,
  ...unreadableBodies,
  ...otherForms,
];
