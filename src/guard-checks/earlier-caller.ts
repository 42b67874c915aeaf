import { isIPv4 } from "node:net";
import type { Verdict } from "../checking/check.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { User } from "../config/schema.ts";
import { type CallCheck, LET_IN } from "./call-check.ts";

/** The role of calls about another user than the one who is let in. */
const OTHER = "other user";
/** At how many addresses in a row the first caller must have decided: a rule about addresses does not alternate. */
const ROUNDS = 4;

/** The check that a guard does not keep its decision about a user for the next one at the same address. */
export const earlierCallerCheck: CallCheck = {
  id: "guard.answer.of-user",
  area: "guard",
  section: "3.1",
  severity: "must",
  title: "The guard decides by the user of this login, not by who logged in before from the same address",
  why: "Everybody in an office has the same address. A decision that is kept by address lets all of them in after one who may, or locks all of them out after one who may not.",
  fix: "Do not cache decisions by address alone: the user matters, too.",
  async run({ people: { passes }, users, request, send, number }) {
    if (passes === null || !isIPv4(passes.ipAddress)) return;
    const addresses = neighbours(passes.ipAddress, number());
    for (const other of users.filter(({ id }) => id !== passes.user.id)) {
      const call = async (role: string, user: User, ipAddress: string) =>
        readGuardReply(await send(role, await request({ user, ipAddress }, null))).kind;
      for (let round = 0; round < ROUNDS; round += 1) {
        const ipAddress = addresses.next().value;
        const letIn = () => call(LET_IN, passes.user, ipAddress);
        const others = () => call(OTHER, other, ipAddress);
        const isOthersTurn = round % 2 === 0;
        const kinds = isOthersTurn ? [await others(), await letIn()] : [await letIn(), await others()];
        if (!areAll(kinds, isOthersTurn ? "refused" : "accepted")) break;
      }
    }
  },
  judge({ steps, read }): Verdict {
    if (steps.length === 0) return skipVerdict("nobody is known who is let in from an IPv4 address");
    let inARow = 0;
    for (let index = 0; index + 1 < steps.length; index += 2) {
      const pair = steps.slice(index, index + 2);
      const wanted = pair[0]?.role === OTHER ? "refused" : "accepted";
      const kinds = pair.map(({ exchange }) => read(exchange).kind);
      inARow = areAll(kinds, wanted) ? inARow + 1 : 0;
      if (inARow === ROUNDS)
        return faulty(earlierCallerCheck, "whoever called first from an address decided about the next user there");
    }
    return PASSED;
  },
};

function areAll(kinds: readonly string[], wanted: string): boolean {
  return kinds.every((kind) => kind === wanted);
}

/** Addresses in the network of another one, in an order that depends on a number. */
function* neighbours(address: string, number: number): Generator<string, never> {
  const network = address.split(".").slice(0, -1);
  for (let index = 0; ; index += 1) {
    const last = 20 + ((number + 7 * index) % 230);
    yield [...network, last].join(".");
  }
}
