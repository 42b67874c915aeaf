import { isIPv4 } from "node:net";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { type CallCheck, LET_IN, NOBODY } from "./call-check.ts";

/** The roles of an address that resembles one that is let in, and of one that differs in the same place without that. */
const SIMILAR = "similar in part ";
const UNRELATED = "unrelated in part ";

/** Numbers that have no digit in common with most. */
const unrelatedNumbers = ["88", "66"];

interface Variant {
  readonly address: string;
  /** The place that differs, from 0. */
  readonly part: number;
}

function withPart(address: string, part: number, text: string): Variant {
  return { address: address.split(".").with(part, text).join("."), part };
}

/**
 * Addresses of other networks whose texts contain that of an admitted one, or are contained in it. Without the last part:
 * most rules are about a network, which has all of them.
 */
export function similarAddresses(address: string): Variant[] {
  const [first = "", ...others] = address.split(".").slice(0, -1);
  // Guards that let in the user's own networks let in these, too.
  const isOrdinary = (text: string) => !["0", "10", "127"].includes(text) && Number(text) < 224;
  const isPart = (text: string) => /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) < 256;
  const ofFirst = [first.slice(1), first.slice(2), `1${first}`, `2${first}`, `${first}1`, `${first}9`];
  const ofOthers = others.flatMap((text, index) =>
    [`${text}1`, `${text}3`, `${text}9`].map((other) => withPart(address, index + 1, other)),
  );
  const all = [...ofFirst.filter(isOrdinary).map((text) => withPart(address, 0, text)), ...ofOthers];
  return all.filter(({ address: other, part }) => isPart(other.split(".")[part] ?? ""));
}

/** Addresses that differ in the same place, and resemble the admitted one in nothing there. */
function unrelatedAddresses(address: string, part: number): Variant[] {
  const own = address.split(".")[part] ?? "";
  return unrelatedNumbers.filter((number) => !own.includes(number)).map((number) => withPart(address, part, number));
}

/** The check that a list of networks is not searched as text. */
export const similarAddressCheck: CallCheck = {
  id: "guard.denied.similar-address",
  area: "guard",
  section: "2.2",
  severity: "must",
  title: "An address whose text only resembles that of somebody who is let in is not let in",
  why: "A network that is compared as text also fits other networks: 10.1 is the beginning of 10.128.0.1, and 3.0.113 is a part of 203.0.113.",
  fix: "Parse addresses and networks with a library, and compare their bits: not with `startsWith`, `includes` or a pattern.",
  async run({ people, request, send }) {
    const { passes } = people;
    const denied = people.elsewhere ?? people.asked;
    if (passes === null || denied === null || !isIPv4(passes.ipAddress)) return;
    const letsIn = async (role: string, ipAddress: string) =>
      readGuardReply(await send(role, await request({ ...passes, ipAddress }, null))).kind === "accepted";
    if (!(await letsIn(LET_IN, passes.ipAddress))) return;
    for (const { address, part } of similarAddresses(passes.ipAddress)) {
      if (!(await letsIn(SIMILAR + part, address))) continue;
      for (const other of unrelatedAddresses(passes.ipAddress, part)) await letsIn(UNRELATED + part, other.address);
    }
  },
  judge: ({ steps, read }) => {
    const letIn = (role: string) =>
      steps.filter((step) => step.role === role).map(({ exchange }) => read(exchange).kind === "accepted");
    if (steps.length === 0) return skipVerdict(NOBODY);
    if (!letIn(LET_IN).every(Boolean)) return skipVerdict("whom the guard lets in depends on more than the address");
    // A network may have all addresses that differ in this place; two networks may have similar numbers by chance.
    const isFault = (part: number) => {
      const unrelated = letIn(UNRELATED + part);
      const similar = letIn(SIMILAR + part).filter(Boolean);
      return similar.length >= (part === 0 ? 1 : 2) && unrelated.length > 0 && !unrelated.includes(true);
    };
    return [0, 1, 2].some(isFault)
      ? faulty(
          similarAddressCheck,
          "the app lets in addresses that only resemble one that it lets in, and no others that differ in the same place",
        )
      : PASSED;
  },
};
