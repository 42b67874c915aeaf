import { atOnce } from "../checking/at-once.ts";
import type { Evidence, Verdict } from "../checking/check.ts";
import { type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Person } from "./call.ts";
import { bypass, type CallCheck, DENIED, LET_IN, NOBODY, TRIED } from "./call-check.ts";
import { guardLines } from "./config-lines.ts";
import type { GuardTrial } from "./trial.ts";

/** Nobody has passed a page yet: a denied user stays denied. */
const again: CallCheck = {
  id: "guard.denied.again",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "A denied user who tries again is denied again",
  why: bypass,
  fix: "Decide each call separately, by the rule alone.",
  async run(tools) {
    for (let count = 0; count < 4; count += 1) {
      const request = await requestOf(tools, DENIED);
      if (request !== null) await tools.send(DENIED, request);
    }
  },
  judge: (evidence) => judgeEach(again, evidence),
};

/** The verdict on several calls, each of which must be answered as if it were alone. */
function judgeEach(check: CallCheck, { steps, control, read }: Evidence): Verdict {
  if (steps.length === 0) return skipVerdict(NOBODY);
  for (const { role, exchange } of steps) {
    const { kind, says } = read(exchange);
    const isRight = role === LET_IN ? kind === control : kind !== "accepted";
    if (kind === "broken") return faulty(check, `the app ${says}`);
    if (!isRight) return faulty(check, `the app ${says} about somebody who is otherwise ${role}`);
    if (kind === "unclear") return faulty(check, `the app ${says}`);
  }
  return PASSED;
}

/** The first call about the person of the control, or about the one who is not let in. */
async function requestOf(tools: GuardTrial, role: string): Promise<RequestParts | null> {
  const person = role === LET_IN ? tools.people.passes : tools.people.asked;
  return person === null ? null : tools.request(person, null);
}

/** Users unknown to the app, on their first call. */
const NEW_DENIED = "new user, elsewhere";
const NEW_LET_IN = "new user";

const ofThisCall: CallCheck = {
  id: "guard.answer.of-call",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard decides by the address of this login, not of the user's previous one",
  why: "In the morning a user logs in from the office; at night somebody else logs in from elsewhere with that user's password. The first decision says nothing about the second login.",
  fix: "Do not cache decisions by user alone: the address matters, too.",
  async run({ people: { passes, asked, elsewhere }, request, send, number }) {
    const away = elsewhere ?? asked;
    if (passes === null || away === null) return;
    const [first, second] = [number(), number()];
    const call = async (role: string, id: number, { ipAddress }: Person) =>
      send(role, await request({ user: { ...passes.user, id, login: `user.${id}` }, ipAddress }, null));
    // New users show whether only the address decides; then the two swap addresses.
    await call(NEW_DENIED, first, away);
    await call(NEW_LET_IN, second, passes);
    await call(DENIED, second, away);
    await call(LET_IN, first, passes);
  },
  judge: ({ steps, control, read }) => {
    const [denied, letIn, then, back] = steps.map(({ exchange }) => read(exchange));
    if (denied?.kind !== "refused" || letIn?.kind !== "accepted") {
      return skipVerdict(
        "no address is known from which this guard denies new users whom it lets in from another",
        `if there is one, name it: ${guardLines("KEY", { denies: { ip: "ADDRESS" } })}`,
      );
    }
    if (then?.kind === "accepted") return faulty(ofThisCall, `the app ${then.says} from an address that it denies`);
    return back?.kind === control
      ? PASSED
      : faulty(ofThisCall, `the app ${back?.says} from an address that it lets in`);
  },
};

const PARALLEL_CALLS = 20;
/** Users unknown to the app, each with a separate answer. */
const NEW_USERS = 8;

const steady: CallCheck = {
  id: "guard.answer.steady",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard answers alternating calls about two people independently",
  why: "Two people may log in one after another from any address. The decision about one must not affect the other.",
  fix: "Let no call change the answer to the next, or cache decisions by everything that they depend on.",
  isAboutAfter: true,
  async run(tools) {
    for (const role of [LET_IN, DENIED, LET_IN, DENIED, DENIED, LET_IN]) {
      const request = await requestOf(tools, role);
      if (request !== null) await tools.send(role, request);
    }
  },
  judge: (evidence) => judgeEach(steady, evidence),
};

const parallel: CallCheck = {
  id: "guard.answer.parallel",
  area: "guard",
  section: "8",
  severity: "must",
  needsQuiet: true,
  title: `The guard answers ${PARALLEL_CALLS} simultaneous calls, each about a different person`,
  why: "Many people log in at nine o'clock. Each must get the correct answer within 10 seconds.",
  fix: "Keep the data of a call in local variables.",
  async run(tools) {
    const strangers = newPeople(tools);
    const inTurn = async (when: string) => {
      for (const [index, person] of strangers.entries())
        await tools.send(`${when} ${index}`, await tools.request(person, null));
    };
    await inTurn(BEFORE);
    const roles = Array.from({ length: PARALLEL_CALLS - strangers.length }, (_, index) =>
      index % 2 === 0 ? LET_IN : DENIED,
    );
    const known = await Promise.all(roles.map(async (role) => ({ role, request: await requestOf(tools, role) })));
    const unknown = await Promise.all(
      strangers.map(async (person, index) => ({
        role: `${AT_ONCE} ${index}`,
        request: await tools.request(person, null),
      })),
    );
    const calls = [...known, ...unknown].flatMap(({ role, request }) => (request === null ? [] : [{ role, request }]));
    const sent = atOnce(calls.map(({ request }) => request));
    await Promise.all(calls.map(({ role, request }, index) => tools.send(role, sent[index] ?? request)));
    await inTurn(AFTER);
  },
  judge: (evidence) => {
    const { steps, read } = evidence;
    const known = steps.filter(({ role }) => role === LET_IN || role === DENIED);
    const verdict = judgeEach(parallel, { ...evidence, steps: known });
    if (verdict.result !== "pass") return verdict;
    for (let index = 0; index < NEW_USERS; index += 1) {
      const [before, atOnce, after] = [BEFORE, AT_ONCE, AFTER].map((when) => {
        const step = steps.find(({ role }) => role === `${when} ${index}`);
        return step === undefined ? undefined : read(step.exchange);
      });
      // Some guards decide only once about a new user.
      if (atOnce === undefined || before?.kind !== after?.kind) continue;
      if (atOnce.kind !== before?.kind)
        return faulty(
          parallel,
          `the app ${atOnce.says} about a person; before the simultaneous calls it ${before?.says}`,
        );
    }
    return PASSED;
  },
};

const [BEFORE, AT_ONCE, AFTER] = ["before", "at once", "after"];

/** Users unknown to the app, alternately from an address that is let in and one that is not. */
function newPeople({ people: { passes, asked }, number }: GuardTrial): Person[] {
  const [first, second] = [passes ?? asked, asked ?? passes];
  if (first === null || second === null) return [];
  const id = number();
  return Array.from({ length: NEW_USERS }, (_, index) => {
    const { user, ipAddress } = index % 2 === 0 ? first : second;
    return { user: { ...user, id: id + index, login: `user.${id + index}` }, ipAddress };
  });
}

const OTHER_USER = "another user";
const NEW_TOKEN = "another user, new token";

const sameToken: CallCheck = {
  id: "guard.token.second-use",
  area: "guard",
  section: "5.1",
  severity: "must",
  title: "The guard verifies a token again when it is sent a second time",
  choices: ["guard.jwt.claims"],
  why: "An app that caches its verdict about a token answers the next call without checking. That call may be about somebody else.",
  fix: "Verify every token, and compare it with the body, on every call.",
  async run(tools) {
    const request = await tools.prepare();
    const other = withMembers(request, { userId: otherId(request) });
    await tools.send("first", request);
    if (other !== null) {
      await tools.send(OTHER_USER, other);
      // An app that accepts this with a new token, too, caches nothing: guard.body.other-user reports it.
      const anew = withMembers(await tools.prepare(), { userId: otherId(request) });
      if (anew !== null) await tools.send(NEW_TOKEN, anew);
    }
    const { passes, asked } = tools.people;
    if (passes === null || asked === null || passes.user.id !== asked.user.id) return;
    // A token is about a user, not about an address: it is also valid for a call from elsewhere.
    const fresh = await tools.request(passes, null);
    await tools.send("first", fresh);
    const elsewhere = withMembers(fresh, { ipAddress: asked.ipAddress });
    if (elsewhere !== null) await tools.send(TRIED, elsewhere);
  },
  judge: ({ steps, read }) => {
    const answersTo = (sent: string) => steps.filter(({ role }) => role === sent).map(({ exchange }) => read(exchange));
    const believesAny = answersTo(NEW_TOKEN).some(({ kind }) => kind === "accepted");
    const tried = [...(believesAny ? [] : answersTo(OTHER_USER)), ...answersTo(TRIED)];
    const accepted = tried.find(({ kind }) => kind === "accepted");
    if (accepted !== undefined)
      return faulty(sameToken, `the app ${accepted.says} to another call with the same token`);
    const broken = tried.find(({ kind }) => kind === "broken");
    return broken === undefined ? PASSED : { result: "warn", reason: `the app ${broken.says}` };
  },
};

function otherId({ body }: RequestParts): number {
  return body !== null && "json" in body ? Number((body.json as { readonly userId?: unknown }).userId) + 1 : 1;
}

/** The checks of several first calls (hardening G11, G18). */
export const callChecks: readonly CallCheck[] = [again, steady, ofThisCall, parallel, sameToken];
