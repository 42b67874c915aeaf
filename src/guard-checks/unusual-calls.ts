import { withToken } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Exchange } from "../journal/exchange.ts";
import { withCommas } from "../protocol/with-commas.ts";
import { type CallCheck, NOBODY } from "./call-check.ts";

const HUGE_CHARACTERS = 200_000;

const hugeToken: CallCheck = {
  id: "guard.token.huge",
  area: "guard",
  section: "RFC 9110, 5.4",
  severity: "must",
  title: `The guard refuses a token of ${withCommas(HUGE_CHARACTERS)} characters without crashing`,
  why: "Anybody can send one. An app that crashes or hangs locks every user out.",
  fix: "Limit the size of headers in the server: answer 431, or close the connection.",
  async run({ prepare, send }) {
    const request = withToken(await prepare(), () => ({ respell: (compact) => compact + "A".repeat(HUGE_CHARACTERS) }));
    if (request !== null) await send("huge", request);
  },
  judge: ({ steps: [step], read }) => {
    if (step === undefined) return skipVerdict("the request has no token");
    const { outcome, response } = step.exchange;
    const { kind, says } = read(step.exchange);
    // A server that closes the connection before everything arrived has refused it.
    if (outcome.kind === "disconnected" || outcome.kind === "not-http" || response?.status === 431) return PASSED;
    if (kind === "accepted") return faulty(hugeToken, `the app ${says}`);
    return kind === "broken" ? { result: "warn", reason: `the app ${says}` } : PASSED;
  },
};

const addresses = ["2001:db8::7", "::1", "2001:DB8:0:0:0:0:0:7", "::ffff:203.0.113.10", "fe80::1"];

const ipv6: CallCheck = {
  id: "guard.answer.ipv6",
  area: "guard",
  section: "2.2",
  severity: "must",
  title: "The guard decides about users with an IPv6 address",
  why: "An IP address may be IPv4 or IPv6. A guard that knows only IPv4 locks users out.",
  fix: "Parse addresses with a library that supports both versions.",
  async run({ people, request, send }) {
    const person = people.passes ?? people.asked;
    if (person === null) return;
    for (const ipAddress of addresses) await send("ipv6", await request({ ...person, ipAddress }, null));
  },
  judge: ({ steps, read }) => {
    for (const { exchange } of steps) {
      const { kind, says } = read(exchange);
      if (kind === "broken" || kind === "unclear") return faulty(ipv6, `the app ${says}`);
      if (isUnreadable(exchange)) return faulty(ipv6, `the app ${says}`);
    }
    return steps.length === 0 ? skipVerdict(NOBODY) : PASSED;
  },
};

/** Whether the app says that it cannot read a call; 401 and 403 may be how it denies. */
function isUnreadable({ response }: Exchange): boolean {
  return [400, 415, 422].includes(response?.status ?? 0);
}

/** Ids that no app knows, the smallest first: Java compares two equal ones with `==` only up to 127. */
const strangers = [119, 126, 30_011, 2_147_483_648, 9_007_199_254_740_990];

/** One of the small ids may be that of a user. */
const FEWEST_TAKEN = 2;

/** Whether the app answers with an error of the client, other than that it has too much to do. */
function isClientError({ response }: Exchange): boolean {
  const status = response?.status ?? 0;
  return status >= 400 && status < 500 && status !== 429;
}

const unknownUser: CallCheck = {
  id: "guard.answer.unknown-user",
  area: "guard",
  section: "2.2",
  severity: "should",
  title: "The guard decides about unknown users",
  why: "Users join an organization at any time, and their first login may be the first that an app hears of them. Their ids are integers of any size.",
  fix: "Handle users who are not in the app's own tables, and store ids in 64 bits.",
  async run({ people, request, send }) {
    const person = people.passes ?? people.asked;
    if (person === null) return;
    for (const id of strangers) {
      const user = { ...person.user, id, login: `stranger.${id}` };
      await send("stranger", await request({ ...person, user }, null));
    }
  },
  judge: ({ steps, read }) => {
    const replies = steps.map(({ exchange }) => read(exchange));
    const broken = replies.find(({ kind }) => kind === "broken");
    if (broken !== undefined) return faulty(unknownUser, `the app ${broken.says}`);
    // An app that takes small ids and not a large one keeps too few bits, or compares objects.
    const refused = steps.findIndex(({ exchange }) => isClientError(exchange));
    return refused < FEWEST_TAKEN
      ? PASSED
      : faulty(
          unknownUser,
          `the app ${replies[refused]?.says} to an id of ${strangers[refused]}, but not to smaller ones`,
        );
  },
};

/** Checks of calls that are right but rare, and of one that is far too long (hardening G11, G16). */
export const unusualCallChecks: readonly CallCheck[] = [hugeToken, ipv6, unknownUser];
