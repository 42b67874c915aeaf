import { atOnce as sentAtOnce } from "../checking/at-once.ts";
import type { CheckFacts, TrialCheck } from "../checking/check.ts";
import { bodyBytesOf, type RequestParts, withSignature } from "../checking/request-parts.ts";
import { seriesCheck } from "../checking/series.ts";
import { strangersSecret } from "../checking/token-twin.ts";
import { PASSED, skipVerdict } from "../checking/verdict.ts";
import { withKey } from "./signature-secrets.ts";

const AT_ONCE = 20;
/** The role of a forged delivery beside which nothing else is sent. */
const ALONE = "forged alone";

const facts = { area: "webhook", section: "6.4", severity: "should" } as const;
const redelivery =
  "A platform that got no answer in time sends the delivery again: the app may have it already. An answer other than 2XX makes it try for ever.";

const forged = (request: RequestParts) => withSignature(request, withKey(strangersSecret));

const signed = (title: string): Pick<CheckFacts, "title" | "area" | "section" | "severity"> => ({
  title,
  area: "webhook",
  section: "5.1",
  severity: "must",
});

const again: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.repeat.same",
  title: "The app acknowledges a delivery that comes again",
  why: redelivery,
  mend: "Answer 2XX to a delivery that the app has had already, and do nothing else.",
  right: "accepted",
  requests: async (prepare) => {
    const request = await prepare();
    return { "the first time": request, "the second time": request, "the third time": request };
  },
});

const COPIES = 3;
/** What an app may answer that has the delivery in hand already (RFC 9110, 15.6.4). */
const BUSY = 503;

const copiesAtOnce: TrialCheck = {
  ...facts,
  id: "webhook.repeat.copies-at-once",
  title: "The app answers copies of a delivery that come at once without an error of its own",
  why: "A platform that got no answer in time sends the delivery again, while the app may still be at the first. Between looking whether it is known and noting it there is time for the second.",
  mend: "Note a delivery in the same step that looks whether it is known, and answer 2XX to the copy.",
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

/** Seconds: less than any usual tolerance. */
const A_LITTLE_OLDER = 60;

const reordered: TrialCheck = seriesCheck({
  ...facts,
  id: "webhook.time.other-order",
  title: "The app acknowledges deliveries that were signed in another order",
  choices: ["webhook.signature.content"],
  why: "The order of deliveries is not promised: the second may be quicker than the first. An app that insists on it loses events.",
  mend: "Compare the time that was signed with the clock, not with that of other deliveries.",
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
  ...signed("The app refuses a new body under the signature of a delivery that it has accepted"),
  id: "webhook.repeat.signature-reused",
  why: "Whoever has seen one delivery has its signature. If that is good for other bodies, they can send any event.",
  mend: "Compute the signature of each body anew, and remember none of them as good.",
  async run({ prepare, send }) {
    const [seen, fresh] = [await prepare(), await prepare()];
    const reused = withSignature(fresh, () => ({ ...seen.signature, over: bodyBytesOf(seen) }));
    await send("seen", seen);
    if (reused !== null) await send("reused", reused);
  },
  judge({ steps, read }) {
    const reused = steps.find(({ role }) => role === "reused");
    if (reused === undefined) return skipVerdict("nothing was sent");
    const { kind, says } = read(reused.exchange);
    return kind === "refused" ? PASSED : { result: "fail", reason: `the app ${says}` };
  },
};

const forgedTwice: TrialCheck = {
  ...signed("The app refuses a forged delivery as often as it comes"),
  id: "webhook.repeat.forged-twice",
  why: "An app that remembers a delivery before it has verified it takes the second forgery for one that it knows. The right delivery of that body is then lost, too.",
  mend: "Verify the signature first; only then look whether the delivery is known, and remember it.",
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
      reason: `the app ${wrong.says} when it came again: does it remember deliveries that it refused?`,
    };
  },
};

const forgedBefore: TrialCheck = {
  ...signed("The app acknowledges a right delivery after a forged copy of it"),
  id: "webhook.repeat.forged-before",
  why: "Anybody can send a wrong copy first. If the app remembers it, the right delivery is refused, and its events are lost.",
  mend: "Verify the signature first; remember only deliveries that were accepted.",
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
  ...signed("The app refuses a forged copy of a delivery that it has accepted"),
  id: "webhook.repeat.forged-after",
  severity: "should",
  why: "An app that removes duplicates before it verifies answers 2XX to whoever sends a known delivery, without its secret. It tells strangers which deliveries it has had.",
  mend: "Verify the signature first; only then look whether the delivery is known.",
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
      reason: `the app ${says} to the copy, and refuses other forgeries: does it remove duplicates before it verifies?`,
    };
  },
};

const atOnce: TrialCheck = {
  ...facts,
  id: "webhook.repeat.at-once",
  section: "6.5",
  severity: "must",
  title: `The app tells right from forged where ${AT_ONCE} deliveries come at once`,
  why: "Deliveries come at the same time. An app that keeps the one at hand where all requests can see it mixes them up.",
  mend: "Keep everything about a request in variables of its own handler, and wait for all that it does.",
  needsQuiet: true,
  async run({ prepare, send }) {
    const alone = forged(await prepare());
    if (alone !== null) await send(ALONE, alone);
    const requests: RequestParts[] = [];
    for (let count = 0; count < AT_ONCE; count++) requests.push(await prepare());
    await Promise.all(
      requests.map((request, index) => {
        const wrong = index % 2 === 0 ? null : forged(request);
        return wrong === null ? send("right", request) : send("forged", wrong);
      }),
    );
  },
  judge({ steps, read }) {
    const isRefused = steps.some(({ role, exchange }) => role === ALONE && read(exchange).kind === "refused");
    const replies = steps
      // Some apps limit how often they may be asked.
      .filter(({ role, exchange }) => role !== ALONE && exchange.response?.status !== 429)
      // Where a forgery that comes alone is not refused, the others say nothing of what comes at once.
      .filter(({ role }) => isRefused || role === "right")
      .map(({ role, exchange }) => ({ role, wanted: role === "right" ? "accepted" : "refused", ...read(exchange) }));
    if (replies.length === 0) return skipVerdict("the app limits how often it may be asked");
    const wrong = replies.find(({ kind, wanted }) => kind !== wanted);
    if (wrong !== undefined) return { result: "fail", reason: `the app ${wrong.says} to a ${wrong.role} delivery` };
    if (isRefused) return PASSED;
    return skipVerdict("the app does not refuse a forged delivery that comes alone either: see webhook.signature");
  },
};

/** The checks of what comes again, in another order, or at once (hardening W4). */
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
