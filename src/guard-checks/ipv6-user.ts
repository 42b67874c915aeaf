import type { TrialCheck } from "../checking/check.ts";
import { type RequestParts, withMembers } from "../checking/request-parts.ts";
import { faulty, PASSED, skipVerdict } from "../checking/verdict.ts";
import { neighbourOf } from "./binding.ts";
import { jsonOf } from "./body.ts";
import type { GuardTrial } from "./trial.ts";

/** An IPv6 address that nobody has (RFC 3849). */
export const IPV6_ADDRESS = "2001:db8::7";

/** Roles of a correct call, of one about a user other than its token's, and of such a call from the usual address. */
const FROM = "from";
const OTHER = "another user from";
const USUAL = "the usual address";

/** The body about another user, whoever its token is about. */
function aboutAnother(request: RequestParts): RequestParts | null {
  return withMembers(request, { userId: neighbourOf(jsonOf(request)?.userId) });
}

/** The check that body and token are compared for users with an IPv6 address, too. */
export const ipv6UserCheck: TrialCheck<GuardTrial> = {
  id: "guard.body.other-user-ipv6",
  area: "guard",
  section: "2.2",
  severity: "must",
  title: "The guard refuses a body about a user other than its token's, even if that user has an IPv6 address",
  choices: ["guard.jwt.claims"],
  why: "The address of a call says nothing about its token. If another path through the app handles IPv6 addresses, one user's token opens the door for every other user there.",
  fix: "Compare the body with the claims of the verified token before anything else, whatever the address.",
  async run({ people: { passes }, prepare, send, read }) {
    if (passes === null || passes.ipAddress.includes(":")) return;
    // Many apps treat the second like the IPv4 address in it.
    for (const ipAddress of [IPV6_ADDRESS, `::ffff:${passes.ipAddress}`, "::1"]) {
      const correct = withMembers(await prepare(), { ipAddress });
      if (correct === null || read(await send(`${FROM} ${ipAddress}`, correct), null).kind !== "accepted") continue;
      const fresh = withMembers(await prepare(), { ipAddress });
      const other = fresh && aboutAnother(fresh);
      if (other === null || read(await send(`${OTHER} ${ipAddress}`, other), null).kind !== "accepted") return;
      const usual = aboutAnother(await prepare());
      if (usual !== null) await send(USUAL, usual);
      return;
    }
  },
  judge({ steps, read }) {
    const replyTo = (start: string) => {
      const step = steps.find(({ role }) => role.startsWith(start));
      return step === undefined ? null : { ...read(step.exchange), role: step.role };
    };
    if (replyTo(FROM) === null) return skipVerdict("on the first call, the guard lets nobody in from an IPv4 address");
    const [usual, other] = [replyTo(USUAL), replyTo(OTHER)];
    if (other === null) return skipVerdict("the guard lets nobody in from the IPv6 addresses that were tried");
    if (usual?.kind === "accepted")
      return skipVerdict("the guard lets in calls about another user from any address: see guard.body.other-user");
    if (other.kind === "accepted") return faulty(ipv6UserCheck, `the app ${other.says} to a call about ${other.role}`);
    return other.kind === "broken" ? { result: "warn", reason: `the app ${other.says} to ${other.role}` } : PASSED;
  },
};
