import { NotPrepared, sendTo } from "../checking/subject.ts";
import type { VerifyContext } from "../checking/verify-context.ts";
import type { InstalledGuard } from "./call.ts";
import { pageCall } from "./pages/walk/login.ts";
import { codeIn, prepareAgain, recordedWalk, walkWithToken } from "./pages/walk/replay.ts";
import type { PageWay } from "./pages/walk/walk.ts";
import { type PageWalker, walkAsPerson } from "./pages/walk/ways.ts";

/**
 * Makes the page of a guard issue a code, after the first call that sends its user there.
 * @param as another guard whose call and token the user comes with; default the page's own
 * @throws NotPrepared if the page issues none
 */
export type CodeSource = (context: VerifyContext, as?: InstalledGuard) => Promise<string>;

/** How to get codes from a guard. */
export interface CodeParts extends PageWalker {
  readonly way: PageWay;
}

/** Gets each code by walking the page. A busy machine may keep a browser from passing it, which is unlikely twice. */
export function walkedCodes({ way, guard, ...walker }: CodeParts): CodeSource {
  return async (context, as = guard) => {
    const walk = () => walkAsPerson(context, { ...walker, guard: atPageOf(guard, as) }, way);
    const first = await walk();
    const { outcome, trouble } = way.by === "browser" && first.outcome === null ? await walk() : first;
    if (outcome !== null && "code" in outcome) return outcome.code;
    throw new NotPrepared(trouble?.reason ?? "the app's page came back with an error");
  };
}

/**
 * Gets each code by repeating the requests of one walk over HTTP: a browser for each would take long.
 * @returns null if the walk does not show which request returns the code
 */
export async function replayedCodes(context: VerifyContext, parts: CodeParts): Promise<CodeSource | null> {
  const { choices, guard, person, way } = parts;
  const recorded = recordedWalk(await walkWithToken({ context, choices, guard }, person, way));
  if (recorded === null) return null;
  return async (tagged, as = guard) => {
    const page = { context: tagged, choices, guard: atPageOf(guard, as) };
    const request = await prepareAgain(page, person, recorded);
    const answer = await sendTo({ module: guard.module.key, call: pageCall }, tagged, request);
    const issued = codeIn(answer, recorded);
    if (issued !== null) return issued;
    throw new NotPrepared("the app issued no code for the requests of its page");
  };
}

/** Another guard, as if it had the page of this one. */
function atPageOf({ module: { type, optionsUrl } }: InstalledGuard, as: InstalledGuard): InstalledGuard {
  return { ...as, module: { ...as.module, type, optionsUrl } };
}
