import type { TrialCheck } from "../../../checking/check.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { freeNames, withAddedMembers } from "../added-members.ts";
import { withIdInUrl } from "../form/form.ts";
import { withOtherId, withOtherIdInPath } from "../other-ids.ts";
import type { FrameTools } from "../walk/frame-tools.ts";

/** Names of fields that usually have the key of a module. */
const moduleNames = ["module", "moduleKey", "module_key", "guard", "guardKey", "guard_key", "key"];

const [OWN, OF_CHANGED, OF_SWAPPED] = ["the page's own code", "code of the changed call", "code of the other's call"];

/** The check of an app that takes the module from the page's call. */
export const addedModuleCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.added-module",
  area: "page",
  title: "The page's own call with another guard's key gets no code for that guard",
  section: "4.2",
  severity: "must",
  choices: ["guard.jwt.claims"],
  why: "Users can add to what their page sends. With a code for another guard, they never have to pass that guard's page.",
  fix: "Issue the code for the module in the verified token, and take nothing about it from the body or the URL.",
  run: async (tools) => {
    for (const guard of tools.otherGuards) {
      const { key } = guard.module;
      // Some guards need no code of this user, or accept those of the others: see guard.final.code.other-module.
      if (await tools.redeemAllAt(OWN, await tools.send("unchanged", await tools.prepare()), guard)) continue;
      const right = await tools.prepare();
      const members = Object.fromEntries(freeNames(right, moduleNames).map((name) => [name, key]));
      const changes = [
        [OF_CHANGED, withAddedMembers(right, members)],
        [OF_CHANGED, withIdInUrl(await tools.prepare(), moduleNames, key)],
        [OF_SWAPPED, withOtherId(await tools.prepare(), tools.moduleKey, key)],
        [OF_SWAPPED, withOtherIdInPath(await tools.prepare(), tools.moduleKey, key)],
      ] as const;
      for (const [role, changed] of changes)
        if (changed !== null) await tools.redeemAllAt(role, await tools.send(`changed for ${key}`, changed), guard);
    }
  },
  judge: ({ steps }) => {
    if (!steps.some(({ role }) => role.startsWith("changed for")))
      return skipVerdict("the app has no other guard that needs a code of its own");
    const letIn = "its code let the user in at another guard";
    if (isLetInAs(OF_CHANGED, steps)) return faulty(addedModuleCheck, letIn);
    // It may be the call of the other guard's own page, which asks for nothing else.
    return isLetInAs(OF_SWAPPED, steps)
      ? { result: "warn", reason: `with the other guard's key in place of its own, ${letIn}` }
      : PASSED;
  },
};
