import { atOnce as sentAtOnce } from "../checking/at-once.ts";
import type { CheckFacts, TrialCheck } from "../checking/check.ts";
import { bodyBytesOf, type RequestParts, withSignature } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { strangersSecret } from "../checking/token-twin.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { withManyEvents, withOtherLetter } from "./body.ts";
import { withKey } from "./signature-secrets.ts";

const AT_ONCE = 20;
/** The role of a body with the signature of another one. */
const REUSED = "reused";
/** The role of a forged delivery that is sent alone. */
const ALONE = "forged alone";
/** The role of a large correct delivery that is sent alone. */
const LARGE = "large alone";
/** Fewer than make Express refuse a delivery for its size. */
const LARGE_EVENTS = 500;

/** What an app that is still processing the delivery may answer (RFC 9110, 15.6.4). */
const BUSY = 503;

const facts = { area: "webhook", section: "6.4", severity: "should" } as const;
const redelivery =
  "A platform that got no answer in time sends the delivery again, so the app may already have it. Any answer other than 2XX makes it try again.";

const forged = (request: RequestParts) => withSignature(request, withKey(strangersSecret));
const enlarged = (request: RequestParts) => withManyEvents(request, LARGE_EVENTS) ?? request;

const signed = (title: string): Pick<CheckFacts, "title" | "area" | "section" | "severity"> => ({
  title,
  area: "webhook",
  section: "5.1",
  severity: "must",
});

const repeated: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.repeat.same",
  title: "The app acknowledges a repeated delivery",
  why: redelivery,
  fix: "Answer 2XX to a delivery that the app already has, and do nothing else.",
  right: "accepted",
  requests: async (prepare) => {
    const request = await prepare();
    return { "the first time": request, "the second time": request, "the third time": request };
  },
});

const COPIES = 3;

const copiesAtOnce: TrialCheck = {
  ...facts,
  id: "webhook.repeat.copies-at-once",
  title: "The app answers simultaneous copies of a delivery without a server error",
  why: "A platform that got no answer in time sends the delivery again, while the app may still be processing the first copy. The second may arrive after the check for a duplicate, but before the first is stored.",
  fix: "Check for a duplicate and store the delivery in one atomic step, and answer 2XX to the copy.",
  needsQuiet: true,
  async run({ prepare, send }) {
    const request = await prepare();
    await Promise.all(sentAtOnce(Array.from({ length: COPIES }, () => request)).map((copy) => send("copy", copy)));
  },
  judge({ steps, read }) {
    const broken = steps
      .filter(({ exchange }) => exchange.response?.status !== BUSY)
      .map(({ exchange }) => read(exchange))
      .find(({ kind }) => kind === "broken");
    if (steps.length === 0) return skipVerdict("nothing was sent");
    return broken === undefined ? PASSED : { result: "warn", reason: `the app ${broken.says} to one of them` };
  },
};

/** Refusing a copy is only unwise: the interface does not show redelivery. A server error is a fault in any case. */
const again: TrialCheck = {
  ...repeated,
  severity: "must",
  judge(evidence) {
    const verdict = repeated.judge(evidence);
    const [, ...copies] = evidence.steps.map(({ exchange }) => exchange.response?.status ?? 0);
    const isCrash = copies.some((status) => status >= 500 && status !== BUSY);
    return isCrash && verdict.result === "warn" ? { ...verdict, result: "fail", hint: copiesAtOnce.fix } : verdict;
  },
};

/** Seconds: less than any usual tolerance. */
const A_LITTLE_OLDER = 60;

const reordered: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.time.other-order",
  title: "The app acknowledges deliveries that arrive out of order",
  choices: ["webhook.signature.content"],
  why: "The order of deliveries is not guaranteed: the second may overtake the first. An app that insists on the order loses events.",
  fix: "Compare the signed time with the clock, not with that of other deliveries.",
  right: "accepted",
  requests: async (prepare) => {
    const [later, earlier] = [await prepare(), await prepare()];
    if ((later.signature?.scheme.timestampHeader ?? null) === null) return {};
    return {
      "the later one": later,
      "the earlier one": withSignature(earlier, ({ now }) => ({ now: now - A_LITTLE_OLDER })),
    };
  },
});

const replayed: TrialCheck = {
  ...signed("The app refuses a new body with the signature of an accepted delivery"),
  id: "webhook.repeat.signature-reused",
  why: "Anybody who has seen one delivery has its signature. If that is valid for other bodies, they can send any event.",
  fix: "Compute the signature of each body again, and do not cache valid ones.",
  async run({ prepare, send }) {
    const [seen, fresh] = [await prepare(), await prepare()];
    const reused = withSignature(fresh, () => ({ ...seen.signature, over: bodyBytesOf(seen) }));
    await send("seen", seen);
    // Of the same length: what an app remembers of a body may be only that.
    await send(REUSED, { ...seen, tamper: withOtherLetter });
    if (reused !== null) await send(REUSED, reused);
  },
  judge({ steps, read }) {
    const replies = steps.filter(({ role }) => role === REUSED).map(({ exchange }) => read(exchange));
    if (replies.length === 0) return skipVerdict("nothing was sent");
    const other = replies.find(({ kind }) => kind !== "refused");
    return other === undefined ? PASSED : { result: "fail", reason: `the app ${other.says}` };
  },
};

const forgedTwice: TrialCheck = {
  ...signed("The app refuses a forged delivery every time"),
  id: "webhook.repeat.forged-twice",
  why: "An app that stores a delivery before verifying it treats the second forgery as a known delivery. The correct delivery with that body is then lost, too.",
  fix: "Verify the signature first; only then check for a duplicate, and store the delivery.",
  async run({ prepare, send }) {
    const copy = forged(await prepare());
    if (copy === null) return;
    for (const role of ["first", "second", "third"]) await send(role, copy);
  },
  judge({ steps, read }) {
    const [first, ...later] = steps.map(({ exchange }) => read(exchange));
    if (first === undefined) return skipVerdict("nothing was sent");
    if (first.kind !== "refused")
      return skipVerdict("the app does not refuse it the first time: see webhook.signature");
    const wrong = later.find(({ kind }) => kind !== "refused");
    if (wrong === undefined) return PASSED;
    return {
      result: "fail",
      reason: `the app ${wrong.says} the second time: does it remember refused deliveries?`,
    };
  },
};

const forgedBefore: TrialCheck = {
  ...signed("The app acknowledges a correct delivery after a forged copy of it"),
  id: "webhook.repeat.forged-before",
  why: "Anybody can send a forged copy first. If the app remembers it, the correct delivery is refused, and its events are lost.",
  fix: "Verify the signature first; remember only accepted deliveries.",
  async run({ prepare, send }) {
    const right = await prepare();
    const copy = forged(right);
    if (copy === null) return;
    await send("forged", copy);
    await send("right", right);
  },
  judge({ steps, read }) {
    const right = steps.find(({ role }) => role === "right");
    if (right === undefined) return skipVerdict("nothing was sent");
    const { kind, says } = read(right.exchange);
    return kind === "accepted" ? PASSED : { result: "fail", reason: `the app ${says} to the right one` };
  },
};

const forgedAfter: TrialCheck = {
  ...signed("The app refuses a forged copy of an accepted delivery"),
  id: "webhook.repeat.forged-after",
  severity: "should",
  why: "An app that removes duplicates before it verifies answers 2XX to anybody who sends a known delivery, without the secret. It reveals to strangers which deliveries it has received.",
  fix: "Verify the signature first; only then check for a duplicate.",
  async run({ prepare, send }) {
    const [right, other] = [await prepare(), await prepare()];
    const [fresh, copy] = [forged(other), forged(right)];
    if (fresh === null || copy === null) return;
    await send("right", right);
    await send("forged copy", copy);
    await send("fresh forgery", fresh);
  },
  judge({ steps, read }) {
    const of = (wanted: string) => steps.find(({ role }) => role === wanted);
    const [copy, fresh] = [of("forged copy"), of("fresh forgery")];
    if (copy === undefined || fresh === undefined) return skipVerdict("nothing was sent");
    const { kind, says } = read(copy.exchange);
    if (kind === "refused") return PASSED;
    if (read(fresh.exchange).kind !== "refused")
      return skipVerdict("the app does not refuse fresh forgeries either: see webhook.signature");
    return {
      result: "warn",
      reason: `the app ${says} to the copy, but refuses other forgeries: does it remove duplicates before it verifies?`,
    };
  },
};

const atOnce: TrialCheck = {
  ...facts,
  id: "webhook.repeat.at-once",
  section: "6.5",
  severity: "must",
  title: `The app distinguishes correct from forged deliveries when ${AT_ONCE} arrive at the same time`,
  why: "Deliveries arrive at the same time. An app that keeps the current one where all requests can see it mixes them up.",
  fix: "Keep everything about a request in local variables of its handler, and answer only when its signature has been verified.",
  needsQuiet: true,
  async run({ prepare, send, read }) {
    const alone = forged(await prepare());
    if (alone !== null) await send(ALONE, alone);
    // While an app hashes a large body, others can come in between. It may accept only smaller ones.
    const isLarge = read(await send(LARGE, enlarged(await prepare())), null).kind === "accepted";
    const requests: (readonly [role: string, request: RequestParts])[] = [];
    for (let count = 0; count < AT_ONCE; count++) {
      const small = await prepare();
      const correct = isLarge ? enlarged(small) : small;
      const wrong = count % 2 === 0 ? null : forged(correct);
      requests.push(wrong === null ? ["correct", correct] : ["forged", wrong]);
    }
    const sent = sentAtOnce(requests.map(([, request]) => request));
    await Promise.all(requests.map(([role, request], index) => send(role, sent[index] ?? request)));
  },
  judge({ steps, read }) {
    const isRefused = steps.some(({ role, exchange }) => role === ALONE && read(exchange).kind === "refused");
    const replies = steps
      // Some apps limit the rate of requests.
      .filter(({ role, exchange }) => role !== ALONE && role !== LARGE && exchange.response?.status !== 429)
      // If a single forgery is not refused, simultaneous ones prove nothing.
      .filter(({ role }) => isRefused || role === "correct")
      .map(({ role, exchange }) => ({ role, wanted: role === "correct" ? "accepted" : "refused", ...read(exchange) }));
    if (replies.length === 0) return skipVerdict("the app limits the rate of requests");
    const wrong = replies.find(({ kind, wanted }) => kind !== wanted);
    if (wrong !== undefined) return { result: "fail", reason: `the app ${wrong.says} to a ${wrong.role} delivery` };
    if (isRefused) return PASSED;
    return skipVerdict("the app does not refuse a single forged delivery either: see webhook.signature");
  },
};

/** Checks of repeated, reordered and simultaneous deliveries (hardening W4). */
export const repeatChecks: readonly TrialCheck[] = [
  again,
  copiesAtOnce,
  reordered,
  replayed,
  forgedTwice,
  forgedBefore,
  forgedAfter,
  atOnce,
];
