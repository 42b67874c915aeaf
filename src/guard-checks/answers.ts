import type { ObservationCheck, Verdict } from "../checking/check.ts";
import { CONTROL, SEARCH, TWIN } from "../checking/evidence.ts";
import { secretCheck, tokenEchoCheck, traceCheck } from "../checking/leak-checks.ts";
import { NOTHING_LISTENS, readGuardReply, replyTo } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict, WENT_DOWN } from "../checking/verdict.ts";
import { type Exchange, headerValue } from "../journal/exchange.ts";
import { answeredJson, unpackedBytes } from "../journal/readable-body.ts";
import { parseJson } from "../protocol/json.ts";
import { mediaType } from "../protocol/media-type.ts";

const WHOM_IT_LETS =
  "Answer a decision with 200, and name somebody whom the guard lets in, in verify.guards.KEY.lets. If the answer is not a decision, compare the client secret, the client id, and the module's key and address with `app-sim env` and the manifest.";
const nothingCame = skipVerdict("no correct request was answered with 200");

/** Correct requests: those that search for people, and the controls of the checks. */
function rightCalls(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(
    ({ purpose, check }) => purpose === "guard" && (check?.role === CONTROL || check?.role === SEARCH),
  );
}

/** Calls in which only the code is wrong: a user may return from the page with any code. */
function wrongCodes(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(({ check }) => check?.role === TWIN && check.id === "guard.final.code.unknown");
}

/** Answers that are decisions: 200 with a boolean success. */
function decisions(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(({ purpose, response }) => purpose === "guard" && response?.status === 200).filter(isDecided);
}

function isDecided(exchange: Exchange): boolean {
  return typeof memberOf(exchange, "success") === "boolean";
}

function memberOf(exchange: Exchange, name: string): unknown {
  const value = answeredJson(exchange);
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function isUnreachable({ outcome }: Exchange): boolean {
  return outcome.kind === "unreachable";
}

function isDisconnected({ outcome }: Exchange): boolean {
  return outcome.kind === "disconnected";
}

/** The first verdict that is not a pass. */
function judgeAnswers(answers: readonly Exchange[], judge: (exchange: Exchange) => Verdict): Verdict {
  if (answers.length === 0) return nothingCame;
  return answers.map(judge).find(({ result }) => result !== "pass") ?? PASSED;
}

/** The fix for an answer with 5XX. */
const FAILED_HINT =
  'Look at the app\'s own log for the failure, and answer {"success": true} or {"success": false, "message": …} on every path.';

/** Checks of the form of a guard's answers (interface 2.2; hardening G19), on its first call and on its final one. */
export function guardAnswerChecks(prefix: string, call: string): ObservationCheck[] {
  const about = { prefix, area: "guard", purpose: "guard", what: `to a ${call}` } as const;
  return [
    ...[decisionCheck, statusCheck, errorCheck, messageCheck, contentTypeCheck, jsonCheck].map((check) =>
      check({ prefix, call }),
    ),
    ...[secretCheck, tokenEchoCheck, traceCheck].map((check) => check(about)),
  ];
}

/** The call whose answers are checked. */
interface GuardCall {
  /** The prefix of the checks' ids, such as `guard.answer`. */
  readonly prefix: string;
  /** In words, such as `first call`. */
  readonly call: string;
}

const facts = { area: "guard", section: "2.2", severity: "must" } as const;

function decisionCheck({ prefix, call }: GuardCall): ObservationCheck {
  const check: ObservationCheck = {
    ...facts,
    id: `${prefix}.decides`,
    title: `The guard answers a correct ${call} with a boolean success`,
    why: "Only true lets the user in, and only false is a denial. Anything else is an error to the platform, and locks the user out.",
    fix: 'Answer {"success": true} or {"success": false, "message": …} as JSON. If the answer is 401, the app did not accept the call as authentic: verify its token with the PLATFORM_CLIENT_SECRET and the PLATFORM_CLIENT_ID that `app-sim env` prints.',
    observe: (exchanges) => {
      const calls = rightCalls(exchanges);
      const isEachRefused = calls.every(({ response }) => (response?.status ?? 0) >= 400);
      const [first] = calls;
      if (first !== undefined && isEachRefused && calls.every(isDecided)) {
        // It is unknown whether the guard denied them all, or did not believe one of them.
        const reason = `the app ${readGuardReply(first).says} to every correct ${call}, with success in its body`;
        return { result: "inconclusive", reason, hint: WHOM_IT_LETS };
      }
      if (calls.length > 0 && calls.every(isUnreachable)) {
        return { result: "inconclusive", reason: `the app was gone before a correct ${call}: ${NOTHING_LISTENS}` };
      }
      const verdict = judgeAnswers(calls, (exchange) => {
        const { kind } = readGuardReply(exchange);
        const { status = 0 } = exchange.response ?? {};
        // The platform follows no redirects, so a redirect is not a decision.
        const isRedirect = status >= 300 && status < 400;
        // A status alone may deny (choice guard.denial.status), but a success that is there must be readable.
        const isUnreadable = memberOf(exchange, "success") !== undefined;
        const isWrong =
          kind === "broken" ||
          kind === "unclear" ||
          isRedirect ||
          (kind === "refused" && (isEachRefused || isUnreadable));
        if (!isWrong || isDecided(exchange)) return PASSED;
        const fault = faulty(check, wrongAnswerText(exchange, calls.slice(calls.indexOf(exchange) + 1), call));
        return status >= 500 || isDisconnected(exchange) ? { ...fault, hint: FAILED_HINT } : fault;
      });
      if (verdict === nothingCame) return skipVerdict(`no correct ${call} was made`);
      const undecided = wrongCodes(exchanges).find((exchange) => readGuardReply(exchange).kind === "unclear");
      return verdict.result !== "pass" || undecided === undefined
        ? verdict
        : faulty(check, `the app ${readGuardReply(undecided).says} to a ${call} with a wrong code`);
    },
  };
  return check;
}

/** What is wrong with the answer to a correct call. @param later the correct calls after it */
function wrongAnswerText(exchange: Exchange, later: readonly Exchange[], call: string): string {
  // While an app ends, it may still accept a connection, but only to close it.
  const isDown =
    isDisconnected(exchange) && later.some(isUnreachable) && later.every(({ response }) => response === null);
  return isDown
    ? `${WENT_DOWN} a correct ${call}: ${NOTHING_LISTENS}`
    : replyTo(`a correct ${call}`, exchange, readGuardReply(exchange));
}

function statusCheck({ prefix, call }: GuardCall): ObservationCheck {
  const check: ObservationCheck = {
    ...facts,
    id: `${prefix}.status`,
    severity: "should",
    choices: ["guard.denial.status"],
    title: `The guard answers a correct ${call} with status 200`,
    why: "The body says whether the user is let in. The platform treats any other status as an error, and may not show the user its message.",
    fix: "Answer a decision with 200, even a denial.",
    observe: (exchanges) => {
      const calls = rightCalls(exchanges).filter(isDecided);
      if (calls.length > 0 && calls.every(({ response }) => response?.status === 401))
        return skipVerdict(`no correct ${call} was accepted as authentic`);
      return judgeAnswers(calls, ({ response }) => {
        if (response?.status === 200) return PASSED;
        const reason = `the app answered ${response?.status} with success in its body`;
        // A status of 5XX says that the app itself is broken, so its answer is no decision.
        return (response?.status ?? 0) >= 500 ? { result: "fail", reason } : faulty(check, reason);
      });
    },
  };
  return check;
}

function errorCheck({ prefix, call }: GuardCall): ObservationCheck {
  const check: ObservationCheck = {
    ...facts,
    id: `${prefix}.error-success`,
    choices: ["guard.denial.status"],
    title: `No answer to a ${call} says success: true with an error status`,
    why: "The interface shows that success decides, and shows no status for a refusal. A platform that reads only the body lets the user in.",
    fix: "Answer a refusal with success: false, or with a body that has no success.",
    observe: (exchanges) => {
      const errors = exchanges.filter(
        ({ purpose, response }) => purpose === "guard" && response !== null && response.status >= 400,
      );
      const wrong = errors.find((exchange) => memberOf(exchange, "success") === true);
      if (wrong !== undefined) return faulty(check, `the app answered ${wrong.response?.status} with success: true`);
      return errors.length === 0 ? skipVerdict("no answer has an error status") : PASSED;
    },
  };
  return check;
}

function messageCheck({ prefix, call }: GuardCall): ObservationCheck {
  const check: ObservationCheck = {
    ...facts,
    id: `${prefix}.message`,
    title: `The message of an answer to the ${call} is a string named \`message\``,
    why: "The message is shown to the user as the reason. An answer with a message of another type does not match the interface, and text under another name is never shown.",
    fix: "Send the text for the user as a string named `message`, or none.",
    observe: (exchanges) => {
      const right = rightCalls(exchanges);
      return judgeAnswers(decisions(exchanges), (exchange) => {
        const value = memberOf(exchange, "message");
        // No user sees the answer to a wrong request.
        if (value === undefined || value === null) return right.includes(exchange) ? judgeUnnamed(exchange) : PASSED;
        if (typeof value === "string") return PASSED;
        return faulty(check, `its message is ${Array.isArray(value) ? "a list" : `of type ${typeof value}`}`);
      });
    },
  };
  return check;
}

/** Names that apps give to the text of a denial. */
const OTHER_NAMES = ["msg", "messages", "reason", "error", "errorMessage", "description", "detail", "text"];

/** The verdict on an answer without a message. The interface allows other members, but shows only this one to the user. */
function judgeUnnamed(exchange: Exchange): Verdict {
  if (memberOf(exchange, "success") !== false) return PASSED;
  const name = OTHER_NAMES.find((each) => isSentence(memberOf(exchange, each)));
  if (name === undefined) return PASSED;
  return { result: "warn", reason: `a denial has no message, and its text is in ${name}` };
}

/** Whether a member has text for people, not a code for programs. */
function isSentence(value: unknown): boolean {
  const text = typeof value === "object" && value !== null ? (value as { readonly message?: unknown }).message : value;
  return typeof text === "string" && text.trim().includes(" ");
}

function contentTypeCheck({ prefix, call }: GuardCall): ObservationCheck {
  const check: ObservationCheck = {
    ...facts,
    id: `${prefix}.content-type`,
    section: "4.2",
    severity: "should",
    title: `The answer to the ${call} is sent as JSON`,
    why: "The content type says how to read an answer. An answer sent as a page may be read as a page.",
    fix: "Send Content-Type: application/json.",
    observe: (exchanges) =>
      judgeAnswers(decisions(rightCalls(exchanges)), ({ response }) => {
        const sent = mediaType(headerValue(response?.headers ?? [], "content-type"));
        if (sent === "application/json" || sent.endsWith("+json")) return PASSED;
        return faulty(check, sent === "" ? "it has no content type" : "it has another content type");
      }),
  };
  return check;
}

function jsonCheck({ prefix, call }: GuardCall): ObservationCheck {
  const check: ObservationCheck = {
    ...facts,
    id: `${prefix}.json`,
    section: "RFC 8259",
    title: `The JSON of an answer to the ${call} is UTF-8, and no name occurs twice`,
    why: "JSON parsers may refuse other encodings, and may use either value of a repeated name. Whether the user is let in is then a matter of chance.",
    fix: "Let a JSON library write the answer from one object, and send it in UTF-8.",
    observe: (exchanges) =>
      judgeAnswers(decisions(exchanges), ({ response }) => {
        const read = response === null ? null : parseJson(unpackedBytes(response), "the answer");
        return read === null || read.ok ? PASSED : faulty(check, read.reason);
      }),
  };
  return check;
}
