import type { RequestParts } from "../../../checking/request-parts.ts";
import { skipVerdict } from "../../../checking/verdict.ts";
import type { Exchange } from "../../../journal/exchange.ts";
import type { FrameTools } from "../walk/frame-tools.ts";
import { changedIn } from "../walk/replay.ts";
import { hasTyped, sendsTyped, type Typed } from "./spoiled-password.ts";
import { passwordsTyped } from "./typed-password.ts";

/** The result of checks of the password that the page sends, if it sends none. */
export const NO_PASSWORD_SENT = skipVerdict("the page's own calls send no password that is configured");

/** The configured passwords that the page sends with its calls. */
export async function passwordsSent(tools: FrameTools): Promise<Typed[]> {
  if (Object.keys(tools.configured).length === 0) return [];
  const shown = await tools.open("shown");
  const right = await tools.prepare();
  const typed = passwordsTyped([shown], tools.configured).map(([name, value]) => ({ name, value }));
  return typed.filter((one) => sendsTyped(right, one) || tools.earlier.some((each) => hasTyped(each, one)));
}

/**
 * The call with a change where it has a password; if it has none, the earlier calls are changed that do.
 * @param role the role of the earlier calls
 * @returns `refused`: the app refused an earlier call that was changed
 */
export async function changedCall(
  tools: FrameTools,
  role: string,
  typed: Typed,
  change: (request: RequestParts) => RequestParts | null,
): Promise<RequestParts | "unchanged" | "refused"> {
  const right = await tools.prepare();
  return sendsTyped(right, typed) ? (change(right) ?? "unchanged") : changedEarlier(tools, role, change);
}

/**
 * The call with a change, after earlier calls with the same change, where that is possible. The rest is as in
 * `changedCall`.
 */
export async function changedCalls(
  tools: FrameTools,
  role: string,
  change: (request: RequestParts) => RequestParts | null,
): Promise<RequestParts | "unchanged" | "refused"> {
  const earlier = await changedEarlier(tools, role, change);
  if (earlier === "refused") return earlier;
  const call = earlier === "unchanged" ? await tools.prepare() : earlier;
  return change(call) ?? earlier;
}

async function changedEarlier(
  tools: FrameTools,
  role: string,
  change: (request: RequestParts) => RequestParts | null,
): Promise<RequestParts | "unchanged" | "refused"> {
  const changed = (each: Exchange) => changedIn(each, change);
  if (!tools.earlier.some((each) => changed(each) !== null)) return "unchanged";
  return (await tools.prepareAfter(role, (each) => [changed(each) ?? each])) ?? "refused";
}
