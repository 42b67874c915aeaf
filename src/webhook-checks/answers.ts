import { explainStatus } from "../app-client/explain-status.ts";
import type { ObservationCheck, Verdict } from "../checking/check.ts";
import { CONTROL } from "../checking/evidence.ts";
import { secretCheck } from "../checking/leak-checks.ts";
import { answerOf, type Reply, readWebhookReply, replyTo, WHY_DOWN } from "../checking/reply.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { holdsTrace } from "../journal/leaks-in-answer.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { EVERY_NAME } from "../webhook/rules/likely-causes.ts";

/** Milliseconds: a slower app probably works before it answers (hardening W7). */
export const PROMPT_MS = 5000;

const controlsOf = (exchanges: readonly Exchange[]) => exchanges.filter(({ check }) => check?.role === CONTROL);

/** The role prefix of a wrong delivery that shows why the right one is not accepted. */
export const DIAGNOSIS = "diagnosis: ";

/** The role prefix of a correct delivery of a single event, followed by its name. */
export const ALONE = "alone: ";

const acknowledged: ObservationCheck = {
  id: "webhook.delivery.acknowledged",
  area: "webhook",
  title: "The app acknowledges a correct delivery with a 2XX status",
  section: "4.2",
  severity: "must",
  choices: ["webhook.signature.encoding", "webhook.signature.prefix", "webhook.signature.content"],
  why: "A delivery that is not acknowledged counts as lost. A redirect, a refusal or a server error does not acknowledge it.",
  fix: "Verify the HMAC-SHA256 of the raw body with the PLATFORM_APP_SECRET that `app-sim env` prints, handle every element of `events`, and answer 204.",
  observe(exchanges) {
    const [first] = controlsOf(exchanges);
    if (first === undefined) return skipVerdict("no delivery was made");
    const reply = readWebhookReply(first);
    if (reply.kind === "accepted") return judgeLater(controlsOf(exchanges));
    const { why, hint = fixFor(first) } = diagnosisOf(exchanges);
    return {
      result: "fail",
      reason: `${replyTo("a correct delivery", first, reply)}${why === null ? "" : `; it accepts ${why}`}`,
      ...(hint === null ? {} : { hint }),
    };
  },
};

/** What the app accepts instead of a correct delivery; `why` is null if it accepts nothing that was tried. */
function diagnosisOf(exchanges: readonly Exchange[]): { readonly why: string | null; readonly hint?: string } {
  const tried = exchanges.flatMap((exchange) => {
    const { role = "" } = exchange.check ?? {};
    const { kind } = readWebhookReply(exchange);
    return role.startsWith(DIAGNOSIS) ? [{ what: role.slice(DIAGNOSIS.length), kind }] : [];
  });
  const other = tried.find(({ what, kind }) => kind === "accepted" && !what.startsWith(ALONE));
  if (other !== undefined) return { why: other.what };
  const alone = tried.filter(({ what }) => what.startsWith(ALONE));
  const namesOf = (wanted: Reply["kind"]) =>
    alone.flatMap(({ what, kind }) => (kind === wanted ? harmlessLine(what.slice(ALONE.length)) : []));
  const [taken, refused] = [namesOf("accepted"), namesOf("refused")];
  if (taken.length === 0) return { why: null };
  if (refused.length === 0) return { why: "a delivery with a single event" };
  const hint = `Does the handler know ${refused.join(", ")}? A platform delivers what the manifest names: ${EVERY_NAME}.`;
  return { why: `${taken.join(", ")} alone, and refuses ${refused.join(", ")} alone`, hint };
}

/** The fix if the answer to a correct delivery has nothing to do with its signature; null: it may be due to that. */
function fixFor(exchange: Exchange): string | null {
  const answer = answerOf(exchange);
  if (exchange.outcome.kind === "unreachable") return WHY_DOWN;
  if (exchange.outcome.kind !== "answered" || [400, 401, 403].includes(answer.status)) return null;
  return explainStatus(answer, { by: "signature", url: exchange.request.url }).hint;
}

/**
 * The correct deliveries after the first: an app that limits requests, or blocks senders of wrong ones, shows it here.
 */
function judgeLater(controls: readonly Exchange[]): Verdict {
  const isPatient = ({ response }: Exchange) => [401, 403, 429, 503].includes(response?.status ?? 0);
  const lost = controls.find((exchange) => {
    const { kind } = readWebhookReply(exchange);
    return (kind === "refused" || (kind === "broken" && exchange.response !== null)) && !isPatient(exchange);
  });
  if (lost === undefined) return PASSED;
  return {
    result: "fail",
    reason: `the app ${readWebhookReply(lost).says} to a correct delivery, after accepting others`,
  };
}

const prompt: ObservationCheck = {
  id: "webhook.delivery.prompt",
  area: "webhook",
  title: "The app acknowledges a delivery within 5 seconds",
  section: "4.2",
  severity: "should",
  choices: ["webhook.timeout"],
  why: "A platform waits only so long for an answer, and ignores a late one. Then it sends the delivery again, and the app does its work twice.",
  fix: "Store the delivery in a database or a queue, acknowledge it, and do the work afterwards.",
  observe(exchanges) {
    const times = controlsOf(exchanges)
      .filter((exchange) => readWebhookReply(exchange).kind === "accepted")
      .map(({ timings }) => timings.totalMs);
    const slow = times.filter((ms) => ms > PROMPT_MS);
    if (times.length === 0) return skipVerdict("no delivery was acknowledged");
    // An app that was just started may be slow once.
    if (slow.length * 2 <= times.length) return PASSED;
    return { result: "warn", reason: `the app took ${(Math.max(...slow) / 1000).toFixed(1)} s` };
  },
};

const noTrace: ObservationCheck = {
  id: "webhook.delivery.no-trace",
  area: "webhook",
  title: "No error answer to a delivery holds a stack trace",
  section: "7",
  severity: "should",
  why: "A stack trace reveals files, packages and versions to anybody who provokes an error. That is where attacks start.",
  fix: "Let the error handler answer with a short message, and write the stack trace to the app's own log.",
  observe(exchanges) {
    const refusals = exchanges.filter(({ response }) => (response?.status ?? 0) >= 400);
    if (refusals.length === 0)
      return skipVerdict("nothing was refused: run the checks webhook.signature, too, which send forgeries");
    const leak = refusals.find(holdsTrace);
    if (leak === undefined) return PASSED;
    return { result: "warn", reason: `an answer ${leak.response?.status} holds a stack trace (exchange ${leak.id})` };
  },
};

const secret = secretCheck({
  prefix: "webhook.delivery",
  area: "webhook",
  purpose: "webhook",
  what: "to a delivery",
});

/** Checks of the app's answers to everything that was sent (hardening W7). */
export const webhookAnswerChecks: readonly ObservationCheck[] = [acknowledged, prompt, noTrace, secret];
