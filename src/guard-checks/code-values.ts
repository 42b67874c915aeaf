import type { ObservationCheck, Verdict } from "../checking/check.ts";
import { areClockReadings } from "../checking/clock-reading.ts";
import { derivedFrom, encodedIn, isHashOfCount } from "../checking/derived-values.ts";
import { CONTROL } from "../checking/evidence.ts";
import {
  computableKindOf,
  isHashOfTime,
  isTimeAsNumber,
  isTimeInHex,
  plainGeneratorOf,
  secondsBeside,
  someWrittenTogether,
  timesOf,
  varyingBits,
} from "../checking/randomness.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { claimsOf } from "../journal/credentials.ts";
import { type Exchange, headerValues } from "../journal/exchange.ts";
import { bodyText } from "../journal/journal.ts";
import { unpackedText } from "../journal/readable-body.ts";
import { areTriesLimited, GUESSED_BITS } from "./code-tries.ts";

/** Minimum number of codes needed to judge their randomness. */
const CODES_NEEDED = 4;
/** How many codes are compared with what their users know, and how many requests for pages show what that is. */
const CODES_COMPARED = 8;
const PAGES_BEFORE = 12;
/** How many of these codes are compared with everything that an app may write together: that is thousands of texts. */
const CODES_COMBINED = 2;
/** Bits below which a code is predictable. */
const FOLLOWING_BITS = 12;
/** Bits below which a code is shorter than it should be: eight small letters have more, six characters of base64 less. */
const SHORT_BITS = 37;

const TOO_FEW = skipVerdict("too few codes were issued to compare");

/**
 * A correct final call: its code, its user and organization, whether the guard let that user in, and its place among the
 * exchanges.
 */
interface CodeUse {
  readonly code: string;
  readonly userId: number;
  readonly organizationId: number;
  readonly isAccepted: boolean;
  readonly index: number;
}

/** The codes of the correct final calls, oldest first. */
function issuedCodes(exchanges: readonly Exchange[]): CodeUse[] {
  return exchanges.flatMap((exchange, index) => {
    if (exchange.purpose !== "guard" || exchange.check?.role !== CONTROL) return [];
    try {
      const { code, userId, organizationId = 0 } = JSON.parse(bodyText(exchange.request.body)) as Partial<CodeUse>;
      const isAccepted = readGuardReply(exchange).kind === "accepted";
      return typeof code === "string" && typeof userId === "number"
        ? [{ code, userId, organizationId, isAccepted, index }]
        : [];
    } catch {
      return [];
    }
  });
}

function observeCodes(judge: (uses: readonly CodeUse[], exchanges: readonly Exchange[]) => Verdict) {
  return (exchanges: readonly Exchange[]): Verdict => {
    const uses = issuedCodes(exchanges);
    return uses.length < CODES_NEEDED ? TOO_FEW : judge(uses, exchanges);
  };
}

const codeFacts = { area: "guard", section: "3.1", severity: "must", isCause: true } as const;
const random =
  "Make a new code for each login, with at least 128 bits from the system's cryptographic random generator.";

const distinct: ObservationCheck = {
  ...codeFacts,
  id: "guard.final.code.distinct",
  title: "The page makes a new code for each login",
  why: "A code that repeats is known after its first use. It then completes logins in which nobody did what the page asks for.",
  fix: random,
  observe: (exchanges) => {
    const uses = issuedCodes(exchanges);
    const isReturned = uses.some(
      ({ code, isAccepted }, index) => isAccepted && uses.slice(index + 1).some((later) => later.code === code),
    );
    if (uses.length < CODES_NEEDED && !isReturned) return TOO_FEW;
    const count = new Set(uses.map(({ code }) => code)).size;
    if (count === 1) return faulty(distinct, `all ${uses.length} codes were the same`);
    return count === uses.length ? PASSED : faulty(distinct, `only ${count} of ${uses.length} codes were different`);
  },
};

const unpredictable: ObservationCheck = {
  ...codeFacts,
  id: "guard.final.code.unpredictable",
  title: "Codes are long and random",
  why: "A code derived from the time or the previous code can be guessed. An attacker then passes the page without seeing it.",
  fix: random,
  observe: observeCodes((uses, exchanges) => {
    const whole = uses.map(({ code }) => code);
    // An encoding makes a text longer, and no harder to guess.
    const inside = whole.flatMap((code) => encodedIn(code)?.inside ?? []);
    const codes = inside.length === whole.length ? inside : whole;
    const kind = computableKindOf(codes);
    if (kind !== null) return faulty(unpredictable, `each code is ${kind}`);
    const bits = varyingBits(codes);
    const reason = `the varying part of ${codes.length} codes has at most ${Math.floor(bits)} bits of entropy`;
    if (bits >= SHORT_BITS) {
      const generator = plainGeneratorOf(codes);
      return generator === null ? PASSED : { result: "warn", reason: `codes look like ${generator}` };
    }
    if (bits >= FOLLOWING_BITS && areTriesLimited(exchanges)) return PASSED;
    return bits < GUESSED_BITS ? faulty(unpredictable, reason) : { result: "warn", reason };
  }),
};

const notDerived: ObservationCheck = {
  ...codeFacts,
  id: "guard.final.code.not-derived",
  title: "Codes are not derived from the state, the user, the token, the time or a counter",
  why: "The user knows the state and the token from the page's URL, and everybody knows the time and how to count. A user who can compute the code need not pass the page.",
  fix: random,
  observe: observeCodes((uses, exchanges) => {
    const compared = uses.slice(0, CODES_COMPARED);
    const texts = knownTexts(pagesOf(compared, exchanges));
    const combined = compared.slice(0, CODES_COMBINED);
    if (isAnyOf(compared, texts) || isAnyOf(combined, combinedTexts(pagesOf(combined, exchanges))))
      return faulty(
        notDerived,
        "a code is the state, the user or the token, or a part or hash of one of them, with little else in it",
      );
    const dated = compared.flatMap((use) => withAnswer(use, exchanges));
    const isOfClock = areClockReadings(dated.map(({ use, answer }) => ({ text: use.code, answer })));
    if (isOfClock || dated.slice(0, CODES_NEEDED).some((each) => isOfTime(each, exchanges)))
      return faulty(notDerived, "a code is the time at which it was made, or a hash of it, with little else in it");
    if (isHashOfUserAndTime(dated))
      return faulty(notDerived, "a code is a hash of its user and the time at which it was made");
    return compared.slice(0, 1).some((use) => isHashOfCount(use.code, wordsOf(use, exchanges)))
      ? faulty(notDerived, "a code is the hash of a counter, alone or with its user or module")
      : PASSED;
  }),
};

/** Shorter codes may be in a long text by chance. */
const SHORTEST_PART = 12;

/** Whether one of the codes is made from one of these texts. */
function isAnyOf(uses: readonly CodeUse[], texts: readonly string[]): boolean {
  const isDerived = derivedFrom(texts);
  return uses.some(({ code }) => isDerived(code) || isPartOf(code, texts));
}

function isPartOf(code: string, texts: readonly string[]): boolean {
  return code.length >= SHORTEST_PART && texts.some((text) => text.includes(code));
}

/** What an app may put next to a counter: the user's id, the key of the module, or both. */
function wordsOf({ userId }: CodeUse, exchanges: readonly Exchange[]): string[] {
  const user = String(userId);
  const module = exchanges.find((exchange) => exchange.module !== null)?.module ?? null;
  return module === null ? [user] : [user, module, `${user}:${module}`, `${module}:${user}`];
}

/** A code, and the page's answer that brought it. */
interface DatedCode {
  readonly use: CodeUse;
  readonly answer: Exchange;
}

function withAnswer(use: CodeUse, exchanges: readonly Exchange[]): DatedCode[] {
  const { code } = use;
  const answer = exchanges.find(({ purpose, response }) => {
    if (purpose !== "guard-page" || response === null) return false;
    return headerValues(response.headers, "location").join().includes(code) || unpackedText(response).includes(code);
  });
  return answer === undefined ? [] : [{ use, answer }];
}

/** Whether a code is made from the time of its answer. */
function isOfTime({ use, answer }: DatedCode, exchanges: readonly Exchange[]): boolean {
  const code = encodedIn(use.code)?.inside ?? use.code;
  if (isTimeInHex(code, answer) || isHashOfTime(code, answer)) return true;
  if (isTimeAsNumber(code, answer, [...wordsOf(use, exchanges), String(use.organizationId)])) return true;
  const user = String(use.userId);
  const addresses = [...headerValues(answer.response?.headers ?? [], "location"), answer.request.url];
  const state = /[?&]state=([^&#]+)/.exec(addresses.join(" "))?.[1];
  const beside = state === undefined ? [] : secondsBeside(answer, user, state);
  return derivedFrom([...timesOf([answer], user), ...beside])(code);
}

/** Whether a code is a hash of its user and the time: the one that came fastest, because its time is known best. */
function isHashOfUserAndTime(dated: readonly DatedCode[]): boolean {
  const [fastest] = dated.toSorted((one, other) => one.answer.timings.totalMs - other.answer.timings.totalMs);
  return fastest !== undefined && isHashOfTime(fastest.use.code, fastest.answer, String(fastest.use.userId));
}

/** The latest requests for pages before a final call; other logins may be among them. */
function pagesBefore(exchanges: readonly Exchange[], index: number): Exchange[] {
  return exchanges
    .slice(0, index)
    .filter(({ purpose }) => purpose === "guard-page")
    .slice(-PAGES_BEFORE);
}

function pagesOf(uses: readonly CodeUse[], exchanges: readonly Exchange[]): Exchange[] {
  return [...new Set(uses.flatMap(({ index }) => pagesBefore(exchanges, index)))];
}

/** What the user knows on the page: from its URL, and from the calls. */
function knownTexts(pages: readonly Exchange[]): string[] {
  const texts = pages.flatMap((page) => {
    const { token, state } = loginOf(page);
    const parts = token.split(".");
    const payload = Buffer.from(parts[1] ?? "", "base64url").toString();
    const { sub, module, jti, iat } = claimsOf(token) ?? {};
    return [state, token, ...parts, payload, ...textsOf([sub, module, jti, iat])];
  });
  return [...new Set(texts.filter((text) => text !== ""))];
}

/** Two or three things that the user knows, written next to each other. */
function combinedTexts(pages: readonly Exchange[]): string[] {
  const texts = pages.flatMap((page) => {
    const { token, state } = loginOf(page);
    const claims = claimsOf(token);
    if (claims === null) return [];
    const { sub, domain, module, jti, context } = claims;
    const { organization_id, user_login } = (context ?? {}) as Readonly<Record<string, unknown>>;
    const words = textsOf([sub, organization_id, module, jti, state, user_login]);
    return [...someWrittenTogether(textsOf([sub, domain])), ...someWrittenTogether(words)];
  });
  return [...new Set(texts)];
}

/** The token and the state in the URL of a page. */
function loginOf({ request }: Exchange): { readonly token: string; readonly state: string } {
  const { searchParams } = new URL(request.url);
  return { token: searchParams.get("jwtToken") ?? "", state: searchParams.get("state") ?? "" };
}

function textsOf(values: readonly unknown[]): string[] {
  return values.map((value) => String(value ?? "")).filter((text) => text !== "");
}

/** The checks that compare the codes that a page has issued. */
export const codeValueChecks: readonly ObservationCheck[] = [distinct, unpredictable, notDerived];
