import { judgeTokens, NO_TOKEN } from "../checking/judge-token.ts";
import { withStrangersSignature } from "../checking/token-twin.ts";
import { skipVerdict } from "../checking/verdict.ts";
import type { CallCheck } from "./call-check.ts";

/** The check of forged tokens in the name of users of every role: rules often have exceptions for some. */
export const everyUserCheck: CallCheck = {
  id: "guard.token.every-user",
  area: "guard",
  section: "5.1",
  severity: "must",
  title: "The guard refuses a forged token, whatever the role of the user whom it names",
  why: "An exception for administrators may end the code before the token is verified. Anybody can write a token in the name of an administrator.",
  fix: "Verify the token first, for every user; only then decide by user and address.",
  async run({ users, people, request, send }) {
    const person = people.passes ?? people.asked;
    if (person === null) return;
    for (const user of users) {
      const call = await request({ ...person, user }, null);
      const forged = withStrangersSignature(call);
      if (forged !== null) await send(user.role, forged);
    }
  },
  judge: (evidence) =>
    judgeTokens(everyUserCheck, evidence, (role) => ` to a token in the name of a user with the role ${role}`) ??
    skipVerdict(NO_TOKEN),
};
