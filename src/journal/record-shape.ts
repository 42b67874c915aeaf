import {
  type CallPhase,
  type Exchange,
  exchangePurposes,
  type Outcome,
  type RecordedAttempt,
  type RecordedBody,
  type RecordedRequest,
  type RecordedResponse,
} from "./exchange.ts";
import type { JournalRecord, LoginRecord, OAuthRecord, OAuthStep } from "./record.ts";

/** Whether a parsed line is the header of a journal. */
export function isHeader(value: unknown): value is { version: number } {
  return is({ type: literal("journal"), version: isNumber })(value);
}

/** Whether a parsed line has the shape of a record; written by hand, so that reading a journal needs no schema library. */
export function isRecord(value: unknown): value is JournalRecord {
  return isExchange(value) || isLogin(value) || isOAuth(value);
}

type Check = (value: unknown) => boolean;
/** One check per field of T: a field forgotten here does not compile. */
type Fields<T> = Readonly<Record<keyof T, Check>>;

const isString: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isBoolean: Check = (value) => typeof value === "boolean";
const literal =
  (expected: string): Check =>
  (value) =>
    value === expected;
const oneOf =
  <T extends string>(names: Readonly<Record<T, true>>): Check =>
  (value) =>
    typeof value === "string" && Object.hasOwn(names, value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every((item) => check(item));

function is<T>(fields: Fields<T>): Check {
  const checks = Object.entries<Check>(fields);
  return (value) =>
    typeof value === "object" &&
    value !== null &&
    checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

const isBody = is<RecordedBody>({ base64: isString, size: isNumber });
const isHeaders = listOf((line) => listOf(isString)(line) && (line as readonly string[]).length === 2);
const isRequest = is<RecordedRequest>({ method: isString, url: isString, headers: isHeaders, body: isBody });
const isResponse = is<RecordedResponse>({ status: isNumber, headers: isHeaders, body: isBody });

const isPhase = oneOf<CallPhase>({ connect: true, headers: true, body: true });
const outcomes: { readonly [K in Outcome["kind"]]: Fields<Omit<Extract<Outcome, { kind: K }>, "kind">> } = {
  answered: {},
  unreachable: { code: isString, detail: isString, elsewhere: orNull(isString) },
  "tls-failed": { code: isString, detail: isString },
  "timed-out": { phase: isPhase, limitMs: isNumber },
  disconnected: { phase: isPhase, detail: isString },
  "too-large": { limit: isNumber, decoded: isBoolean },
  "not-http": { detail: isString },
  undecodable: { encoding: isString, detail: isString },
  "cut-off": { detail: isString },
  interrupted: {},
};
const outcomeChecks = Object.entries(outcomes).map(([kind, fields]) => is({ ...fields, kind: literal(kind) }));

const isDelivery = is<RecordedAttempt>({ id: isString, attempt: Number.isSafeInteger });

const isExchange = is<Exchange>({
  type: literal("exchange"),
  id: isString,
  purpose: (value) => (exchangePurposes as readonly unknown[]).includes(value),
  module: orNull(isString),
  delivery: (value) => value === undefined || isDelivery(value),
  startedAt: isString,
  timings: is<Exchange["timings"]>({ headersMs: orNull(isNumber), totalMs: isNumber }),
  request: isRequest,
  response: orNull(isResponse),
  outcome: (value) => outcomeChecks.some((check) => check(value)),
});

const isLogin = is<LoginRecord>({
  type: literal("login"),
  id: isString,
  at: isString,
  user: is<LoginRecord["user"]>({ id: isNumber, role: isString }),
  outcome: oneOf<LoginRecord["outcome"]>({ granted: true, denied: true, "needs-user": true }),
  deniedBy: orNull(isString),
  reason: orNull(isString),
  exchanges: listOf(isString),
});

const isOAuth = is<OAuthRecord>({
  type: literal("oauth"),
  id: isString,
  at: isString,
  step: oneOf<OAuthStep>({
    authorize: true,
    consent: true,
    exchange: true,
    refresh: true,
    installation: true,
    token: true,
    revoke: true,
    introspect: true,
    api: true,
  }),
  client: orNull(isString),
  user: orNull(is<NonNullable<OAuthRecord["user"]>>({ id: isNumber, role: isString })),
  outcome: oneOf<OAuthRecord["outcome"]>({ ok: true, asked: true, refused: true }),
  error: orNull(isString),
  reason: orNull(isString),
  hint: orNull(isString),
  warnings: listOf(isString),
  exchange: isString,
});
