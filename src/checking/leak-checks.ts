import type { App } from "../config/schema.ts";
import { appSecrets } from "../config/secrets.ts";
import { answerParts } from "../journal/answer-parts.ts";
import { type Exchange, type ExchangePurpose, headerValue } from "../journal/exchange.ts";
import { leakedSecrets, secretsPhrase, tracePhrase } from "../journal/leaks-in-answer.ts";
import { findSecrets } from "../journal/secrets-in.ts";
import type { Area, CheckFacts, ObservationCheck, Verdict } from "./check.ts";
import { CONTROL } from "./evidence.ts";
import { faulty, PASSED, skipVerdict } from "./verdict.ts";

/** What is looked at. */
interface SearchedAnswers {
  /** The beginning of the checks' ids, such as `page.form`. */
  readonly prefix: string;
  readonly area: Area;
  readonly purpose: ExchangePurpose;
  /** The answers, as the end of a sentence that starts with "No answer": `to a first call`. */
  readonly what: string;
}

/**
 * No answer holds a secret of the app, in its body, a header, a cookie, or the address that it redirects to (hardening
 * G19).
 */
export function secretCheck({ prefix, area, purpose, what }: SearchedAnswers): ObservationCheck {
  const check: ObservationCheck = {
    id: `${prefix}.secret`,
    area,
    title: `No answer ${what} holds a secret of the app`,
    section: "5.1",
    severity: "must",
    why: "Answers end up in logs, and users see their messages. Anybody who knows the secret can forge tokens for anybody.",
    fix: "Keep settings out of answers; log errors, and answer with your own message.",
    observe: (exchanges, app) => judgeAnswered(exchanges, purpose, (answered) => judgeSecrets(check, answered, app)),
  };
  return check;
}

/** The finding for the first secret of the app in these answers. */
export function judgeSecrets(check: CheckFacts, answers: readonly Exchange[], app: App): Verdict {
  const find = findSecrets(appSecrets(app));
  for (const exchange of answers) {
    const [leaked] = leakedSecrets(exchange, find);
    if (leaked !== undefined) return faulty(check, secretsPhrase(leaked));
  }
  return PASSED;
}

/** No answer holds a stack trace (hardening G19). */
export function traceCheck({ prefix, area, purpose, what }: SearchedAnswers): ObservationCheck {
  const check: ObservationCheck = {
    id: `${prefix}.stack-trace`,
    area,
    title: `No answer ${what} holds a stack trace`,
    section: "5.1",
    severity: "should",
    why: "A stack trace shows strangers how the app is built, and sometimes its data. It is useless to users.",
    fix: "Log errors, and answer with your own message.",
    observe: (exchanges) =>
      judgeAnswered(exchanges, purpose, (answered) => {
        const unseen = answered.filter(({ response }) => !isShown(response?.status ?? 0, purpose));
        const trace = unseen.map(tracePhrase).find((phrase) => phrase !== null);
        if (trace !== undefined) return faulty(check, trace);
        return answered.every(isControl) ? NOTHING_PROVOKED : PASSED;
      }),
  };
  return check;
}

const isControl = (exchange: Exchange) => exchange.check?.role === CONTROL;
const NOTHING_PROVOKED = skipVerdict("only correct requests were answered: run the module's other checks, too");

/** Answers do not repeat the received token (hardening G19). */
export function tokenEchoCheck({ prefix, area, purpose, what }: SearchedAnswers): ObservationCheck {
  const check: ObservationCheck = {
    id: `${prefix}.token-echo`,
    area,
    title: `No answer ${what} repeats its token`,
    section: "5.1",
    severity: "should",
    why: "Answers end up in logs and are shown to users, where a token does not belong. It is valid until it expires.",
    fix: "Say that the token is invalid, without repeating it.",
    observe: (exchanges) =>
      judgeAnswered(exchanges, purpose, (answered) =>
        answered.some(repeatsToken) ? faulty(check, "an answer repeats the token of its request") : PASSED,
      ),
  };
  return check;
}

/** A text of this length is not in an answer by chance. */
const TELLING_CHARACTERS = 24;

function repeatsToken(exchange: Exchange): boolean {
  const token = /^\w+ +(\S+)$/.exec(headerValue(exchange.request.headers, "authorization") ?? "")?.[1] ?? "";
  const parts = token.split(".").filter(({ length }) => length >= TELLING_CHARACTERS);
  const texts = answerParts(exchange).map(({ text }) => text);
  return token.length < 1000 && parts.some((part) => texts.some((text) => text.includes(part)));
}

/** A page may quote its subject; an answer to a program has no reason to. */
function isShown(status: number, purpose: ExchangePurpose): boolean {
  return purpose === "guard-page" && status < 400;
}

function judgeAnswered(
  exchanges: readonly Exchange[],
  purpose: ExchangePurpose,
  judge: (answered: readonly Exchange[]) => Verdict,
): Verdict {
  const answered = exchanges.filter((exchange) => exchange.purpose === purpose && exchange.response !== null);
  return answered.length === 0 ? skipVerdict("nothing was answered") : judge(answered);
}
