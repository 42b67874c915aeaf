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

/** Whom a guard does not let in, although it lets in the same user from elsewhere, or another user from there. */
export type OthersDenied = Pick<GuardPeople, "elsewhere" | "outsider">;

/** Nobody was looked for, or found. */
export const NOBODY_ELSE: OthersDenied = { elsewhere: null, outsider: null };

/** Tries the user who is let in from other addresses, and other users from the same one. */
export async function findOthersDenied(
  { context, choices, run }: Search,
  guard: InstalledGuard,
  subject: string,
  { passes, asked }: FoundPeople,
): Promise<OthersDenied> {
  if (passes === null || asked.length === 0) return NOBODY_ELSE;
  const tagged = taggedContext(context, { run, subject, id: null, role: SEARCH });
  const isDenied = async (person: Person) => {
    if (context.signal?.aborted === true) return false;
    const answer = await makeFirstCall(tagged, { choices, guard }, person);
    return asksOrDenies(readGuardReply(answer)) || isTurnedAway(answer);
  };
  const firstDenied = async (persons: readonly Person[]) => {
    for (const person of persons) if (await isDenied(person)) return person;
    return null;
  };
  const { user, ipAddress } = passes;
  const own = asked.filter((person) => person.user.id === user.id && person.ipAddress !== ipAddress);
  const others = tellingAddresses.filter((address) => address !== ipAddress);
  const fromOthers = others.map((address) => ({ user, ipAddress: address }));
  const known = [...asked, ...configuredCandidates(context.config, guard.module, choices)];
  const users = new Map(known.map((person) => [person.user.id, person.user]));
  users.delete(user.id);
  const elsewhere = await firstDenied([...own, ...fromOthers]);
  // An app that remembers what it decided about a user still decides about new ones.
  const isOpen = elsewhere === null && !(await isDenied(strangerLike(passes, context.ids)));
  return {
    elsewhere: isOpen ? await firstDenied(fromOthers.map((person) => strangerLike(person, context.ids))) : elsewhere,
    outsider: await firstDenied([...users.values()].map((other) => ({ user: other, ipAddress }))),
  };
}
