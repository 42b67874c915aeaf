import { isIPv4 } from "node:net";
import type { Verdict } from "../checking/check.ts";
import { type Reply, readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { User } from "../config/schema.ts";
import { type CallCheck, LET_IN } from "./call-check.ts";

/** The role of calls about another user than the one who is let in. */
const OTHER = "other user";
/** Who calls first from each of the addresses: an order that no rule about addresses has by accident. */
const FIRST = [OTHER, LET_IN, LET_IN, OTHER, LET_IN, OTHER] as const;

/** The answers to two users who call from the same address. */
interface Round {
  readonly first: typeof OTHER | typeof LET_IN;
  readonly letIn: Reply["kind"];
  readonly other: Reply["kind"];
}

/** The check that a guard does not keep its decision about a user for the next one at the same address. */
export const ofUserCheck: CallCheck = {
  id: "guard.answer.of-user",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard decides by the user of this login, not by who logged in before from the same address",
  why: "Everybody in an office has the same address. A decision that is kept by address lets all of them in after one who may.",
  fix: "Do not cache decisions by address alone: the user matters, too. If an address is meant to be trusted after somebody's login, leave this check out: --skip guard.answer.of-user.",
  async run({ people: { passes }, users, request, send, number }) {
    if (passes === null || !isIPv4(passes.ipAddress)) return;
    const addresses = neighbours(passes.ipAddress, number());
    for (const other of users.filter(({ id }) => id !== passes.user.id)) {
      const rounds: Round[] = [];
      for (const first of FIRST) {
        const ipAddress = addresses.next().value;
        const call = async (role: string, user: User) =>
          readGuardReply(await send(role, await request({ user, ipAddress }, null))).kind;
        const callLetIn = () => call(LET_IN, passes.user);
        const callOther = () => call(OTHER, other);
        const [one, two] = first === OTHER ? [callOther, callLetIn] : [callLetIn, callOther];
        rounds.push(roundOf(first, await one(), await two()));
        if (!areDecidedByFirst(rounds)) break;
      }
    }
  },
  judge({ steps, read }): Verdict {
    const kinds = steps.map(({ exchange }) => read(exchange).kind);
    let isDecidedByUser = false;
    let rounds: Round[] = [];
    for (let index = 0; index + 1 < steps.length; index += 2) {
      const [one, two] = kinds.slice(index, index + 2);
      const round = roundOf(steps[index]?.role === OTHER ? OTHER : LET_IN, one, two);
      isDecidedByUser ||= round.letIn === "accepted" && round.other === "refused";
      rounds.push(round);
      if (!areDecidedByFirst(rounds)) rounds = [];
      else if (rounds.length === FIRST.length)
        return faulty(
          ofUserCheck,
          "a user who is refused otherwise was let in from every address from which somebody else had been let in before",
        );
    }
    if (isDecidedByUser) return PASSED;
    return skipVerdict("nobody is known whom the guard refuses at an IPv4 address from which it lets somebody else in");
  },
};

function roundOf(first: Round["first"], one: Reply["kind"] = "unclear", two: Reply["kind"] = "unclear"): Round {
  return first === OTHER ? { first, other: one, letIn: two } : { first, letIn: one, other: two };
}

/** Whether the other user is let in wherever, and only where, the first user was let in before. */
function areDecidedByFirst(rounds: readonly Round[]): boolean {
  return rounds.every(({ first, letIn, other }) =>
    first === LET_IN ? letIn === "accepted" && other === "accepted" : other === "refused",
  );
}

/** Other addresses in the network of one, in an order that depends on a number. */
function* neighbours(address: string, number: number): Generator<string, never> {
  const parts = address.split(".");
  const network = parts.slice(0, -1);
  for (let index = 0; ; index += 1) {
    // An even step, because a rule may go by odd and even.
    const last = String(20 + ((number + 14 * index) % 230));
    if (last !== parts.at(-1)) yield [...network, last].join(".");
  }
}
