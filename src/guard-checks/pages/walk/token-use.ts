import type { Trial } from "../../../checking/check.ts";
import { NotPrepared, type Subject, sendAndFollow } from "../../../checking/subject.ts";
import type { Verification } from "../../../checking/unit.ts";

/** How the app treats a request without its token. */
type TokenUse = "absent" | "needed" | "idle";
/** Why the checks of the token are not tried. */
export const tokenReasons: Record<TokenUse, string> = {
  absent: "it does not send the token: it sends something issued with the page instead",
  idle: "it is accepted without its token, so what the token says does not matter here",
  needed: "",
};

/** Whether a request sends the token, and is refused without it. */
export async function tokenUse<Tools extends Trial>(
  subject: Subject<Tools>,
  context: Verification["context"],
): Promise<TokenUse> {
  try {
    const right = await subject.prepare(context);
    if (right.token === null) return "absent";
    const control = await sendAndFollow(subject, () => context, "search", right);
    const request = await subject.prepare(context);
    const landing = await sendAndFollow(subject, () => context, "search", { ...request, token: null });
    return subject.read(landing, control).kind === "accepted" ? "idle" : "needed";
  } catch (error) {
    if (error instanceof NotPrepared) return "absent";
    throw error;
  }
}
