import type { TrialCheck } from "../../../checking/check.ts";
import { faulty, NOTHING_TO_CHANGE, PASSED } from "../../../checking/verdict.ts";
import { callJson } from "../call-json.ts";
import type { FrameTools } from "../walk/frame-tools.ts";

const RIGHT = "right";
/** How many members of a body are spoiled. */
const MOST_MEMBERS = 4;

/** The check of bodies that no page sends. */
export const callBodyCheck: TrialCheck<FrameTools> = {
  id: "page.frame-request.body",
  area: "page",
  title: "The page's own call is answered without a server error, whatever is missing in its body",
  section: "4.2",
  severity: "should",
  why: "Anybody can send the call without the page. A server error tells nothing to a user whose browser sent half of it, and may take down the rest of the app.",
  fix: "Check each member of the body before it is used, and answer 400 or 422 if one is missing or null.",
  run: async (tools) => {
    const bodies = spoiledBodies(callJson(await tools.prepare()));
    for (const [role, text] of bodies) {
      const request = await tools.prepare();
      await tools.send(role, { ...request, body: { bytes: Buffer.from(text) } });
    }
    // Many apps lock out users who send only wrong calls.
    if (bodies.length > 0) await tools.send(RIGHT, await tools.prepare());
  },
  judge: ({ steps, read }) => {
    if (steps.length === 0) return NOTHING_TO_CHANGE;
    const broken = steps.find(({ role, exchange }) => role !== RIGHT && read(exchange).kind === "broken");
    return broken === undefined
      ? PASSED
      : faulty(callBodyCheck, `the app ${read(broken.exchange).says} to a body with ${broken.role}`);
  },
};

/** Bodies in which something is wrong, with what that is; none if the right one is no JSON object. */
function spoiledBodies(json: unknown): [what: string, text: string][] {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return [];
  const members = Object.keys(json).slice(0, MOST_MEMBERS);
  return members.flatMap((name): [string, string][] => [
    [`no ${name}`, JSON.stringify({ ...json, [name]: undefined })],
    [`a ${name} that is null`, JSON.stringify({ ...json, [name]: null })],
  ]);
}
