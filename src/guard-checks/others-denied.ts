import { SEARCH } from "../checking/evidence.ts";
import { readGuardReply } from "../checking/reply.ts";
import { taggedContext } from "../checking/subject.ts";
import { type InstalledGuard, makeFirstCall, type Person } from "./call.ts";
import {
  asksOrDenies,
  configuredCandidates,
  type FoundPeople,
  isTurnedAway,
  type Search,
  strangerLike,
  tellingAddresses,
} from "./candidates.ts";
import type { GuardPeople } from "./trial.ts";

/** People who differ only by user or by address from those whom a guard treats in the other way. */
export type OthersDenied = Pick<GuardPeople, "elsewhere" | "outsider" | "insider">;

/** Nobody was looked for, or found. */
export const NOBODY_ELSE: OthersDenied = { elsewhere: null, outsider: null, insider: null };

/**
 * Tries the user who is let in from other addresses, and other users from the same one; if all of these are let in, other
 * users from where somebody is not.
 */
export async function findOthersDenied(
  { context, choices, run }: Search,
  guard: InstalledGuard,
  subject: string,
  { passes, asked }: FoundPeople,
): Promise<OthersDenied> {
  if (passes === null || asked.length === 0) return NOBODY_ELSE;
  const tagged = taggedContext(context, { run, subject, id: null, role: SEARCH });
  const call = (person: Person) => makeFirstCall(tagged, { choices, guard }, person);
  const isDenied = async (person: Person) => {
    const answer = await call(person);
    return asksOrDenies(readGuardReply(answer)) || isTurnedAway(answer);
  };
  const isLetIn = async (person: Person) => readGuardReply(await call(person)).kind === "accepted";
  const firstOf = async (persons: readonly Person[], isWanted: (person: Person) => Promise<boolean>) => {
    for (const person of persons) {
      if (context.signal?.aborted === true) return null;
      if (await isWanted(person)) return person;
    }
    return null;
  };
  const firstDenied = (persons: readonly Person[]) => firstOf(persons, isDenied);
  const { user, ipAddress } = passes;
  const own = asked.filter((person) => person.user.id === user.id && person.ipAddress !== ipAddress);
  const others = tellingAddresses.filter((address) => address !== ipAddress);
  const fromOthers = others.map((address) => ({ user, ipAddress: address }));
  const known = [...asked, ...configuredCandidates(context.config, guard.module, choices)];
  const users = new Map(known.map((person) => [person.user.id, person.user]));
  const othersThan = ({ user: one, ipAddress: from }: Person) =>
    [...users.values()].filter(({ id }) => id !== one.id).map((other) => ({ user: other, ipAddress: from }));
  const outsider = await firstDenied(othersThan(passes));
  const [denied] = asked;
  const insider = outsider === null && denied !== undefined ? await firstOf(othersThan(denied), isLetIn) : null;
  const elsewhere = await firstDenied([...own, ...fromOthers]);
  // An app that remembers what it decided about a user still decides about new ones.
  const isOpen = elsewhere === null && !(await isDenied(strangerLike(passes, context.ids)));
  return {
    elsewhere: isOpen ? await firstDenied(fromOthers.map((person) => strangerLike(person, context.ids))) : elsewhere,
    outsider,
    insider,
  };
}
