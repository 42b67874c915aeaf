import { judgeTokens, NO_TOKEN } from "../checking/judge-token.ts";
import { type RequestParts, withMembers } from "../checking/request-parts.ts";
import { withStrangersSignature } from "../checking/token-twin.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { neighbourOf, ofBinding } from "./binding.ts";
import { jsonOf } from "./body.ts";
import type { CallCheck } from "./call-check.ts";
import type { GuardTrial } from "./trial.ts";

/** Sends the changed call of a user of every role, in the role that `roleOf` makes of the user's. */
async function sendAsEach(
  { users, people, request, send }: GuardTrial,
  change: (call: RequestParts) => RequestParts | null,
  roleOf: (userRole: string) => string,
): Promise<void> {
  const person = people.passes ?? people.asked;
  if (person === null) return;
  for (const user of users) {
    const changed = change(await request({ ...person, user }, null));
    if (changed !== null) await send(roleOf(user.role), changed);
  }
}

/** The check of forged tokens in the name of users of every role: rules often have exceptions for some. */
export const everyUserCheck: CallCheck = {
  id: "guard.token.every-user",
  area: "guard",
  section: "5.1",
  severity: "must",
  title: "The guard refuses a forged token, whatever the role of the user whom it names",
  why: "An exception for administrators may end the code before the token is verified. Anybody can write a token in the name of an administrator.",
  fix: "Verify the token first, for every user; only then decide by user and address.",
  run: (tools) => sendAsEach(tools, withStrangersSignature, (role) => role),
  judge: (evidence) =>
    judgeTokens(everyUserCheck, evidence, (role) => ` to a token in the name of a user with the role ${role}`) ??
    skipVerdict(NO_TOKEN),
};

/** What of a body is about somebody else. */
const others = {
  user: (body: Readonly<Record<string, unknown>>) => ({ userId: neighbourOf(body.userId) }),
  organization: (body: Readonly<Record<string, unknown>>) => ({ organizationId: Number(body.organizationId) + 1 }),
} as const;

/** The check of bodies that do not match the tokens of users of every role. */
export const everyBodyCheck: CallCheck = {
  ...ofBinding,
  id: "guard.body.every-user",
  section: "5.1",
  severity: "must",
  title: "The guard refuses a body about another user or organization than its token's, whatever the user's role",
  why: "An exception for administrators may end the code before body and token are compared. A token issued for one login must not be valid for another.",
  fix: "Compare the body with the claims of the verified token first, for every user; only then decide by user and address.",
  async run(tools) {
    for (const [what, change] of Object.entries(others)) {
      const changed = (call: RequestParts) => withMembers(call, change(jsonOf(call) ?? {}));
      await sendAsEach(tools, changed, (role) => `${what} ${role}`);
    }
  },
  judge: ({ steps, read }) => {
    if (steps.length === 0) return skipVerdict("nobody is known whom the guard lets in or sends to its page");
    const found = steps.find(({ exchange }) => read(exchange).kind === "accepted");
    if (found === undefined) return PASSED;
    const [what, role] = found.role.split(" ");
    const says = read(found.exchange).says;
    return faulty(
      everyBodyCheck,
      `the app ${says} to a body about another ${what}, with the token of a user with the role ${role}`,
    );
  },
};
