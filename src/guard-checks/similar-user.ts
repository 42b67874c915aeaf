import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { Person } from "./call.ts";
import { type CallCheck, DENIED, LET_IN, TRIED } from "./call-check.ts";
import { guardLines } from "./config-lines.ts";

/** Calls about users whose ids are as long as those that are tried, but do not contain an id that is let in. */
const NEIGHBOUR = "neighbour";
/** How far away such an id is: a list of users often has the ids next to each other. */
const DISTANCE = 13;

/** Ids that contain another one, or are contained in it: a rule that compares parts of texts confuses them with it. */
const similarTo = (id: number) => [
  ...[`${id}7`, `${id}42`, `7${id}`, `42${id}`].map(Number),
  ...(id >= 100 ? [String(id).slice(0, -1), String(id).slice(1)].map(Number).filter((part) => part > 0) : []),
];

/** The check that a list of users is compared whole, not by how the ids begin or end. */
export const similarUserCheck: CallCheck = {
  id: "guard.denied.similar-user",
  area: "guard",
  section: "2.2",
  severity: "must",
  title: "A user whose id only contains that of somebody who is let in, or is part of it, is not let in",
  why: "A list of ids that is searched as text also finds parts of ids. Then users 1017 and 10 get in because user 101 may.",
  fix: "Compare ids as integers, each as a whole: `ids.has(userId)`, not `startsWith`, `includes` or a pattern.",
  async run({ people, request, send }) {
    const passes = people.insider ?? people.passes;
    const asked = people.outsider ?? people.asked;
    if (passes === null || asked === null || passes.user.id === asked.user.id) return;
    const about = async (role: string, id: number) => {
      const person: Person = { ...asked, user: { ...passes.user, id } };
      return readGuardReply(await send(role, await request(person, null))).kind === "accepted";
    };
    await send(DENIED, await request(asked, null));
    if (!(await about(LET_IN, passes.user.id))) return;
    let areLetIn = false;
    for (const id of similarTo(passes.user.id)) areLetIn = (await about(TRIED, id)) || areLetIn;
    if (!areLetIn) return;
    for (const id of [passes.user.id + DISTANCE, passes.user.id + 2 * DISTANCE].flatMap(similarTo)) {
      await about(NEIGHBOUR, id);
    }
    await send(DENIED, await request(asked, null));
  },
  judge: ({ steps, read }) => {
    const lets = (role: string) =>
      steps.filter((step) => step.role === role).map(({ exchange }) => read(exchange).kind === "accepted");
    if (steps.length === 0)
      return skipVerdict(
        "no two users are known of whom the guard lets in only one",
        `if it decides by user, name them: ${guardLines("KEY", { lets: { user: "ROLE" }, denies: { user: "ROLE" } })}`,
      );
    if (!lets(LET_IN).every(Boolean)) return skipVerdict("whom the guard lets in depends on the address");
    if (lets(DENIED).includes(true)) return skipVerdict("it now lets in this person, whom it did not let in before");
    // A rule may also be about a range of ids.
    if (lets(NEIGHBOUR).includes(true)) return skipVerdict("the guard lets in users that it does not know");
    const count = lets(TRIED).filter(Boolean).length;
    return count < 2
      ? PASSED
      : faulty(
          similarUserCheck,
          "the app lets in unknown users whose ids contain that of a user whom it lets in, or are part of it",
        );
  },
};
