import type { TrialCheck } from "../../../checking/check.ts";
import { isLetInAs } from "../../../checking/reply.ts";
import { faulty, PASSED, skipVerdict } from "../../../checking/verdict.ts";
import { OF_FIRST_USER, OF_NOBODY } from "../any-users-code.ts";
import { withIdInUrl } from "../form/form.ts";
import { withAddedId, withIdAsBody, withOtherId, withOtherIdInPath } from "../other-ids.ts";
import type { FrameTools } from "../walk/frame-tools.ts";

/** Names of fields that usually have the id of an organization. */
const organizationNames = ["organizationId", "organization_id", "orgId", "org_id", "organization"];

const OF_CHANGED = "code of the changed call";

/** The check of an app that takes the organization from the page's call. */
export const addedOrganizationCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.added-organization",
  area: "page",
  title: "The page's own call with another organization's id gets no code for that organization",
  section: "4.2",
  severity: "must",
  why: "Users can add to what their page sends. With a code for another organization, its user with the same id is logged in.",
  fix: "Take user, organization and module from the verified token, and nothing about them from the body or the URL.",
  run: async (tools) => {
    const { elsewhere } = tools;
    const { id } = elsewhere;
    await tools.redeemMadeUp(OF_NOBODY, tools.person, elsewhere);
    const unchanged = await tools.send("unchanged", await tools.prepare());
    await tools.redeemAll(OF_FIRST_USER, unchanged, tools.person, elsewhere);
    const changed = [
      withOtherId(await tools.prepare(), tools.organization.id, id),
      withOtherIdInPath(await tools.prepare(), tools.organization.id, id),
      withIdAsBody(await tools.prepare(), organizationNames, id),
      withAddedId(await tools.prepare(), organizationNames, id),
      withIdInUrl(await tools.prepare(), organizationNames, id),
    ];
    for (const request of changed.filter((each) => each !== null))
      await tools.redeemAll(OF_CHANGED, await tools.send("changed", request), tools.person, elsewhere);
  },
  judge: ({ steps }) => {
    if (isLetInAs(OF_NOBODY, steps)) return skipVerdict("the guard lets in users of other organizations with any code");
    if (!isLetInAs(OF_CHANGED, steps)) return PASSED;
    if (isLetInAs(OF_FIRST_USER, steps))
      return skipVerdict("codes are valid in every organization: see guard.final.code.other-organization");
    return faulty(addedOrganizationCheck, "its code let the user in at the other organization");
  },
};
