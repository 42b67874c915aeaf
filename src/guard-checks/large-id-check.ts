import type { TrialCheck } from "../checking/check.ts";
import { readGuardReply } from "../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import type { FinalTrial } from "./trial.ts";

const [SMALL, LARGE, AFTER] = ["user with an id as small as the others", "user with a large id", "another small id"];

/** The check that the size of an id makes no difference: two users unknown to the app pass the page in the same way. */
export const largeIdCheck: TrialCheck<FinalTrial> = {
  id: "guard.final.large-id",
  area: "guard",
  title: "The guard accepts the code of a user whose id has ten digits",
  section: "2.2",
  severity: "must",
  why: "The ids of real users are larger than those in tests. Code that compares boxed numbers by identity, or puts ids into a small type, works only for small ones.",
  fix: "Compare ids by their values, as 64-bit integers; in Java, with equals, or as long.",
  run: async ({ walker, users, number, passPage, request, send }) => {
    const small = Math.max(...users.map(({ id }) => id)) + 1;
    const passAs = async (role: string, id: number) => {
      const person = { ...walker, user: { ...walker.user, id, login: `user.${id}` } };
      const code = await passPage(person);
      if (code !== null) await send(role, await request(person, code));
      return code !== null;
    };
    if (!(await passAs(SMALL, small)) || (await passAs(LARGE, number()))) return;
    // The app may let only a few users pass in a row.
    await passAs(AFTER, small + 1);
  },
  judge: ({ steps }) => {
    const replyTo = (wanted: string) => {
      const step = steps.find(({ role }) => role === wanted);
      return step === undefined ? null : readGuardReply(step.exchange);
    };
    const [small, large, after] = [replyTo(SMALL), replyTo(LARGE), replyTo(AFTER)];
    if (small?.kind !== "accepted")
      return skipVerdict("no user unknown to the app passes the page over HTTP and is let in");
    if (large !== null) {
      const isRefused = large.kind === "refused" || large.kind === "broken";
      return isRefused ? faulty(largeIdCheck, `the app ${large.says}`) : PASSED;
    }
    return after?.kind === "accepted"
      ? faulty(largeIdCheck, "the page gave no code to such a user, but one to users with small ids before and after")
      : skipVerdict("the page stopped giving codes to unknown users");
  },
};
