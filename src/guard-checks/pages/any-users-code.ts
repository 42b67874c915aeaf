import type { Evidence, Verdict } from "../../checking/check.ts";
import { isLetInAs } from "../../checking/reply.ts";

/** The role of the other user's final call with a code that the page rightly issued to the first user. */
export const OF_FIRST_USER = "code of the first user";
/** The role of a final call with a code that nobody issued. */
export const OF_NOBODY = "code of nobody";
/** Why a code that lets somebody in proves nothing. */
export const ANY_CODE = "the guard lets a user who has passed its page in with any code";

/**
 * The verdict on a code that let another user in, if the guard accepts any user's code: then that code does not show
 * for whom the page issued it. Null: the guard looks at whose code it is, or needs no code of that user, whom it
 * remembers.
 */
export function anyUsersCode({ steps }: Pick<Evidence, "steps">): Verdict | null {
  if (!isLetInAs(OF_FIRST_USER, steps) || isLetInAs(OF_NOBODY, steps)) return null;
  return {
    result: "inconclusive",
    reason: "the guard accepts one user's code for another user",
    hint: "first fix the guard, as guard.final.code.other-user says: until it refuses other users' codes, this proves nothing about the page",
  };
}
