import { fold, indent } from "../output/layout.ts";
import type { Paint } from "../output/paint.ts";
import { choicesLine, type ExchangeLines, markOf, plural, reasonText, restLine, shownParts } from "../output/text.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import type { Tampering } from "../protocol/webhook.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { isDisbelief, isUntried } from "./rules/judge-deliveries.ts";
import type { Delivery, DeliveryAttempt, DeliverySummary, WebhookDiagnosis, WebhookResult } from "./webhook-result.ts";

interface WebhookTextOptions {
  /** Shows how a refused delivery was signed. */
  readonly signatures?: ExchangeLines;
  /** Whether anything was random, so that the seed is needed to repeat the run. */
  readonly isByChance?: boolean;
}

/**
 * Deliveries as lines. A single one for each module is shown in full, request and answer; otherwise each has one line,
 * and there is a summary.
 */
export function webhookText(
  result: WebhookResult,
  exchanges: ExchangeLines,
  paint: Paint,
  { signatures = () => [], isByChance = true }: WebhookTextOptions = {},
): string[] {
  const { deliveries, summary } = result;
  const isShort = deliveries.length === moduleCount(deliveries) && summary.dropped === 0;
  const telling = deliveries.filter(({ module, tampered }) => tampered === null || !isRightRefused(result, module));
  const shown = shownParts(telling, ({ asExpected }) => !asExpected);
  const rest = [
    ...indent(restLine(telling.length - shown.length, "delivery", "deliveries"), 2),
    ...leftOutLine(deliveries.length - telling.length, paint),
  ];
  return [
    ...(isShort
      ? [...shown.flatMap((delivery) => [...inFull(delivery, exchanges, paint), ""]), ...rest]
      : [...oneLineEach(shown, paint), ...rest, "", ...summaryLines(deliveries, summary, paint), ""]),
    ...refusedSignature(result, signatures),
    ...verdict(result, paint, isByChance),
    ...diagnosisText(result.diagnosis, paint),
    ...choicesLine(result.choices, paint),
  ];
}

/** Whether a module refused every correct delivery: its other refusals then prove nothing. */
function isRightRefused({ deliveries, outcome }: WebhookResult, module: string): boolean {
  const right = deliveries.filter((delivery) => delivery.module === module && delivery.tampered === null);
  return outcome === "inconclusive" && right.every(({ result }) => result === "refused");
}

function leftOutLine(count: number, paint: Paint): string[] {
  if (count === 0) return [];
  const what = `${plural(count, "delivery", "deliveries")} with something wrong: refused too, which proves nothing while correct ones are refused`;
  return indent(fold(`${markOf("skipped", paint)} ${what}`, paint.width - 2, 2), 2);
}

function inFull({ id, module, events, attempts, ...delivery }: Delivery, exchanges: ExchangeLines, paint: Paint) {
  return [
    `Delivery ${id} of ${plural(events, "event")} to webhook ${paint.strong(harmlessLine(module))}`,
    ...attempts.flatMap((attempt, index) => {
      const before = attempts[index - 1];
      const isSaid = before?.reason === attempt.reason && before?.hint === attempt.hint;
      return [
        ...indent(
          attempts.length > 1 || attempt.number > 1
            ? fold(`attempt ${attempt.number}${spellingText(delivery, before ?? null)}`, paint.width - 2, 2)
            : [],
          2,
        ),
        ...indent(exchanges(attempt.exchange), 4),
        ...indent(isSaid ? [] : whyLines(attempt, paint, 4), 4),
      ];
    }),
    `  ${mark(delivery, paint)} ${delivery.result === "acknowledged" ? "acknowledged" : "not acknowledged"}`,
  ];
}

/**
 * How an attempt wrote the JSON, if there is another way.
 * @param before the attempt before it; null: it is the first
 */
function spellingText(
  { respelled, nonAscii }: Pick<Delivery, "respelled" | "nonAscii">,
  before: DeliveryAttempt | null,
) {
  if (!respelled && !nonAscii) return "";
  if (before === null) return respelled ? ": reformatted JSON" : ": non-ASCII project names";
  if (before.number > 1 || !isDisbelief(before)) return "";
  return respelled ? ": the same as JSON.stringify writes it" : ": the same in ASCII";
}

/** Why an attempt failed, and what to try. */
function whyLines({ reason, hint, retryAfter }: DeliveryAttempt, paint: Paint, indented: number): string[] {
  const room = paint.width - indented;
  return [
    ...(reason === null ? [] : fold(reasonText(reason), room).map((line) => paint.bad(line))),
    ...(retryAfter === null ? [] : fold(`Retry-After: ${harmlessLine(retryAfter)}`, room)),
    ...(hint === null ? [] : fold(`hint: ${harmlessLine(hint)}`, room)),
  ];
}

function mark(delivery: Pick<Delivery, "asExpected" | "result" | "nonAscii">, paint: Paint): string {
  if (delivery.result === "dropped" || isUntried(delivery)) return markOf("skipped", paint);
  return markOf(delivery.asExpected ? "passed" : "denied", paint);
}

const tamperedText: Record<Tampering, string> = {
  body: "changed body",
  signature: "wrong signature",
  secret: "another secret",
  header: "no signature",
};

/** One line per delivery; the reason for a failure, unless it is the same as for the one before. */
function oneLineEach(deliveries: readonly Delivery[], paint: Paint): string[] {
  const isForOne = moduleCount(deliveries) === 1;
  let said: string | null = null;
  return deliveries.flatMap((delivery) => {
    const last = delivery.attempts.at(-1);
    const line = `  ${mark(delivery, paint)} ${deliveryLine(delivery, isForOne)}`;
    if (delivery.asExpected || last === undefined || last.reason === said) return [line];
    said = last.reason;
    return [line, ...indent(whyLines(last, paint, 6), 6)];
  });
}

/** As wide as `acknowledged 204`, so that columns align as long as all goes well. */
const OUTCOME_WIDTH = 16;
const TIME_WIDTH = 9;

function deliveryLine(delivery: Delivery, isForOne: boolean): string {
  const { id, module, events, attempts, result } = delivery;
  const what = [id, ...(isForOne ? [] : [harmlessLine(module)]), plural(events, "event")];
  const kind = kindText(delivery);
  // The second attempt then has another body.
  const [judged, twin] = delivery.nonAscii ? attempts : [attempts.at(-1)];
  if (judged === undefined) return [...what, result.padEnd(OUTCOME_WIDTH), kind].join("  ").trimEnd();
  const status = statusText(judged, result === "failed" ? judged.outcome : result);
  const inAscii = twin === undefined ? kind : `${kind}, in ASCII ${statusText(twin, twin.outcome)}`;
  const earlier = attempts.filter((attempt) => attempt !== judged && attempt !== twin);
  const after = earlier.map((attempt) => attempt.status ?? attempt.outcome).join(", ");
  const time = milliseconds(judged.ms).padStart(TIME_WIDTH);
  return [...what, status.padEnd(OUTCOME_WIDTH), time, judged.exchange, inAscii, after === "" ? "" : `after ${after}`]
    .filter((part) => part !== "")
    .join("  ");
}

function statusText({ status }: DeliveryAttempt, outcome: string): string {
  return status === null ? outcome : `${outcome} ${status}`;
}

function kindText({ copy, tampered, respelled, nonAscii }: Delivery): string {
  if (tampered !== null) return tamperedText[tampered];
  if (nonAscii) return "non-ASCII";
  return respelled ? "reformatted" : copy > 0 ? "again" : "";
}

/** With fewer deliveries, percentiles add nothing to the maximum. */
const DELIVERIES_FOR_PERCENTILES = 20;

/** Counts, sizes and how long the app took. */
function summaryLines(deliveries: readonly Delivery[], summary: DeliverySummary, { width }: Paint): string[] {
  const { acknowledged, refused, failed, dropped, attempts, sent, events, latency } = summary;
  const most = (of: "events" | "bytes") => deliveries.reduce((highest, { [of]: value }) => Math.max(highest, value), 0);
  const counts = Object.entries({ acknowledged, refused, failed, dropped }).filter(([, count]) => count > 0);
  const what = `${plural(events, "event")} in ${plural(sent, "delivery", "deliveries")} to ${plural(moduleCount(deliveries), "webhook module")}`;
  const names = attempts < DELIVERIES_FOR_PERCENTILES ? (["max"] as const) : (["p50", "p95", "p99", "max"] as const);
  const times = latency === null ? [] : names.map((name) => `${name} ${milliseconds(latency[name])}`);
  return [
    `${what}, at most ${plural(most("events"), "event")} and ${plural(most("bytes"), "byte")} each`,
    `${counts.map(([name, count]) => `${withCommas(count)} ${name}`).join(", ")}; ${plural(attempts, "attempt")}`,
    ...(times.length === 0 ? [] : [`answered within ${times.join(", ").replace(/^max /, "")}`]),
  ].flatMap((line) => fold(line, width));
}

/** Only for the first delivery that was not believed: the others were signed the same way. */
function refusedSignature({ deliveries }: WebhookResult, signatures: ExchangeLines): string[] {
  const isBelieved = deliveries.some(({ acknowledged, tampered }) => acknowledged && tampered === null);
  const refused = deliveries.find(
    ({ asExpected, attempts }) => !asExpected && isDisbelief({ status: attempts.at(-1)?.status ?? null }),
  );
  const lines = isBelieved ? [] : signatures(refused?.attempts.at(-1)?.exchange ?? "");
  return lines.length === 0 ? [] : [...lines, ""];
}

/** The diagnosis of each module. */
export function diagnosisText(diagnosis: WebhookResult["diagnosis"], paint: Paint): string[] {
  return diagnosis.flatMap((each) => diagnosisLines(each, paint));
}

/** The deliveries sent to find out why a module refuses everything, and their outcomes. */
function diagnosisLines({ module, cause, hint, tried }: WebhookDiagnosis, paint: Paint): string[] {
  const name = harmlessLine(module);
  const accepted = tried.find((one) => one.accepted)?.exchange;
  return [
    "",
    `Diagnosis of webhook ${paint.strong(name)}: ${plural(tried.length, "delivery", "deliveries")} sent, each signed differently`,
    ...(cause === null
      ? noneAccepted(tried, paint)
      : fold(`The app accepts a delivery ${cause} (exchange ${accepted})`, paint.width).map((line) => paint.bad(line))),
    ...(hint === null ? [] : fold(`hint: ${hint}`, paint.width)),
  ];
}

function noneAccepted(tried: WebhookDiagnosis["tried"], paint: Paint): string[] {
  const listed = [
    "the app's secret differs from app-sim's (`app-sim env` prints it), or the app verifies in a way that is not tried here",
    "or it finds no signature: does it read the header under its name (in Node.js, names in req.headers are in lower case)?",
    "or it refuses for a reason unrelated to the signature; its own log may say more",
  ];
  const item = (text: string) => indent(fold(text, paint.width - 2, 2), 2);
  return ["None was accepted:", ...listed.flatMap(item), "Tried:", ...tried.flatMap(({ what }) => item(what))];
}

function verdict(result: WebhookResult, paint: Paint, isByChance: boolean): string[] {
  const { outcome, reason, hint, failure, deliveries, seed, command } = result;
  // It was already shown with its delivery.
  const isShown = deliveries.some(({ attempts }) => attempts.at(-1)?.hint === hint);
  const bad = (text: string) => fold(text, paint.width).map((line) => paint.bad(line));
  const hints = hint === null || isShown ? [] : fold(`hint: ${harmlessLine(hint)}`, paint.width);
  const again =
    command === "webhook" && isByChance && deliveries.length > 0
      ? [`seed ${seed}: --seed ${seed} repeats this run`]
      : [];
  if (failure === "interrupted") return [paint.bad("Interrupted before the end")];
  switch (outcome) {
    case "acknowledged":
      return [paint.good(`Acknowledged by ${plural(moduleCount(deliveries), "webhook module")}`)];
    case "refused":
      if (reason !== null)
        return fold(`Refused: ${reasonText(reason)}`, paint.width).map((line) => paint.caution(line));
      return [paint.good("Every delivery that was tampered with was refused, every correct one acknowledged")];
    case "no-module":
      return [...bad(`Nothing was sent: ${reasonText(reason ?? "")}`), ...hints, ...again];
    case "inconclusive":
      return [...bad(`Inconclusive: ${reasonText(reason ?? "")}`), ...hints, ...again];
    case "failed":
      return [...bad(`Failed: ${reasonText(reason ?? "")}`), ...hints, ...again];
  }
}

function milliseconds(value: number): string {
  return `${Math.round(value * 10) / 10} ms`;
}

function moduleCount(deliveries: readonly Delivery[]): number {
  return new Set(deliveries.map(({ app, module }) => `${app} ${module}`)).size;
}
